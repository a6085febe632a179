use super::*;

fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(&root, path, text);
    }
    root
}

fn write(root: &tempfile::TempDir, path: &str, text: &str) {
    let path = root.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const MOUNTS: &str = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

#[test]
fn every_level_with_a_limit_is_told_and_how_often_it_was_met_in_this_run() {
    let root = machine(&[
        ("proc/7/cgroup", "0::/pod/box\n"),
        ("proc/self/mountinfo", MOUNTS),
        ("sys/fs/cgroup/pod/memory.current", "900\n"),
        ("sys/fs/cgroup/pod/memory.max", "1000\n"),
        ("sys/fs/cgroup/pod/memory.peak", "1000\n"),
        (
            "sys/fs/cgroup/pod/memory.events.local",
            "low 0\nhigh 0\nmax 5\noom 1\noom_kill 0\n",
        ),
        (
            "sys/fs/cgroup/pod/memory.events",
            "low 0\nhigh 0\nmax 50\noom 10\noom_kill 9\n",
        ),
        ("sys/fs/cgroup/pod/pids.max", "max\n"),
        ("sys/fs/cgroup/pod/box/memory.current", "800\n"),
        ("sys/fs/cgroup/pod/box/memory.max", "max\n"),
        ("sys/fs/cgroup/pod/box/memory.high", "700\n"),
        ("sys/fs/cgroup/pod/box/memory.swap.max", "0\n"),
        ("sys/fs/cgroup/pod/box/memory.swap.current", "0\n"),
        (
            "sys/fs/cgroup/pod/box/memory.swap.events",
            "high 0\nmax 3\nfail 0\n",
        ),
        (
            "sys/fs/cgroup/pod/box/memory.events.local",
            "low 0\nhigh 2\nmax 0\n",
        ),
        ("sys/fs/cgroup/pod/box/memory.events", "oom_kill 4\n"),
        ("sys/fs/cgroup/pod/box/pids.max", "100\n"),
        ("sys/fs/cgroup/pod/box/pids.current", "99\n"),
        ("sys/fs/cgroup/pod/box/pids.events", "max 0\n"),
    ]);
    let mut before = Baseline::default();
    before.note(root.path(), 7);
    write(&root, "sys/fs/cgroup/pod/memory.events.local", "max 12\n");
    write(&root, "sys/fs/cgroup/pod/box/pids.events", "max 2\n");
    before.note(root.path(), 7);
    assert_eq!(before.oom_kills("/pod/box"), Some(4));
    assert_eq!(before.oom_kills("/pod"), None);
    let uses = uses(root.path(), 7, &before);
    let told: Vec<_> = uses
        .iter()
        .map(|used| {
            (
                used.resource,
                used.set_by.as_str(),
                used.used,
                used.limit,
                used.met,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                Resource::MemoryHigh,
                "/pod/box",
                Some(800),
                Some(700),
                Some(0)
            ),
            (Resource::Swap, "/pod/box", Some(0), Some(0), Some(0)),
            (Resource::Memory, "/pod", Some(900), Some(1000), Some(7)),
            (Resource::Threads, "/pod/box", Some(99), Some(100), Some(2)),
        ]
    );
}

#[test]
fn version_1_has_hierarchies_for_memory_and_for_threads() {
    let root = machine(&[
        ("proc/7/cgroup", "8:pids:/job\n4:memory:/job\n0::/\n"),
        (
            "proc/self/mountinfo",
            "31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
             32 20 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
             33 20 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
        ),
        ("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "5000\n"),
        (
            "sys/fs/cgroup/memory/job/memory.limit_in_bytes",
            "9223372036854771712\n",
        ),
        (
            "sys/fs/cgroup/memory/job/memory.memsw.limit_in_bytes",
            "8000\n",
        ),
        ("sys/fs/cgroup/memory/job/memory.memsw.failcnt", "3\n"),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "6000\n"),
        ("sys/fs/cgroup/memory/memory.failcnt", "1\n"),
        ("sys/fs/cgroup/pids/job/pids.current", "2\n"),
        ("sys/fs/cgroup/pids/job/pids.max", "2\n"),
    ]);
    let uses = uses(root.path(), 7, &Baseline::default());
    let told: Vec<_> = uses
        .iter()
        .map(|used| (used.resource, used.set_by.as_str(), used.limit, used.met))
        .collect();
    assert_eq!(
        told,
        [
            (Resource::MemoryAndSwap, "/job", Some(8000), None),
            (Resource::Memory, "/", Some(6000), None),
            (Resource::Threads, "/job", Some(2), None),
        ]
    );
}
