//! Where a dead process came from.

use crashlens_core::{CrashCapture, Lineage, Origin};

use crate::support::{run_python, run_shell};

fn lineage(death: &CrashCapture) -> &Lineage {
    death.circumstances.lineage.known().unwrap()
}

#[test]
fn the_program_itself_was_started_also_when_it_becomes_another() {
    for program in ["kill -SEGV $$", "exec /bin/sh -c 'kill -SEGV $$'"] {
        let finished = run_shell(program);
        assert_eq!(lineage(finished.death()).origin, Origin::Started);
    }
}

#[test]
fn a_forked_child_is_told_from_a_spawned_one() {
    let finished = run_python(
        "import os, subprocess\n\
         print(os.getpid())\n\
         child = os.fork()\n\
         if child == 0: os.abort()\n\
         os.waitpid(child, 0)\n\
         subprocess.run(['/bin/sh', '-c', 'kill -SEGV $$'])",
    );
    let parent: u32 = finished.stdout.trim().parse().unwrap();
    let seen: Vec<_> = finished
        .deaths
        .iter()
        .map(|death| {
            let lineage = lineage(death);
            let threads = lineage.parent_threads_at_fork;
            (lineage.origin, lineage.made_by, threads)
        })
        .collect();
    let expected = [
        (Origin::Forked, Some(parent), Some(1)),
        (Origin::Spawned, Some(parent), None),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn threads_of_the_parent_are_counted_by_who_had_started_them() {
    let finished = run_python(
        "import os, threading\n\
         never = threading.Event()\n\
         for _ in range(7): threading.Thread(target=never.wait, daemon=True).start()\n\
         child = os.fork()\n\
         if child == 0: os.abort()\n\
         os.waitpid(child, 0); os._exit(0)",
    );
    let lineage = lineage(finished.death());
    assert_eq!(lineage.parent_threads_at_fork, Some(8));
    assert_eq!(lineage.tensorflow_threads_at_fork, Some(0));
    let starters = &lineage.starters_at_fork;
    assert_eq!(starters.len(), 1, "{starters:?}");
    assert!(starters[0].library.contains("python"), "{starters:?}");
    assert_eq!(starters[0].threads, 7);
}
