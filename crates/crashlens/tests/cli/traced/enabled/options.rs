//! The arguments of `enable()`, and `last_report()`.

use std::process::{Command, Output};

use crashlens_core::Report;
use serde_json::Value;

use super::{python, run};
use crate::{stderr, stdout};

fn run_in(folder: &std::path::Path, program: &str) -> Output {
    python(folder).args(["-c", program]).output().unwrap()
}

#[test]
fn a_report_goes_to_the_file_that_is_named() {
    for file in [
        "'report'",
        "b'report'",
        "__import__('pathlib').Path('report')",
        "open('report', 'w')",
        "os.open('report', 65)",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let program = format!(
            "import crashlens, os\n\
            os.mkdir('other')\n\
            file = {file}\n\
            assert crashlens.enable(file=file)\n\
            os.chdir('other')\n\
            os.abort()"
        );
        let output = run_in(folder.path(), &program);
        assert_eq!(stderr(&output), "", "{file}");
        let report = std::fs::read_to_string(folder.path().join("report")).unwrap();
        assert!(report.contains("died of SIGABRT"), "{file}: {report}");
    }
}

#[test]
fn a_file_that_the_program_does_not_keep_stays_open_while_it_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let program = "import crashlens, os\n\
        crashlens.enable(file=open('report', 'w'))\n\
        if os.fork() == 0: os.abort()\n\
        os.wait()\n\
        open('other', 'w').close()\n\
        os.abort()";
    let output = run_in(folder.path(), program);
    assert_eq!(stderr(&output), "");
    let report = std::fs::read_to_string(folder.path().join("report")).unwrap();
    assert_eq!(report.matches("died of SIGABRT").count(), 2, "{report}");
}

#[test]
fn a_report_never_goes_to_another_file_that_has_the_number_by_then() {
    for replaced in [
        "os.close(number)",
        "os.dup2(os.open('other', 65), number)",
        "os.dup2(os.pipe()[1], number)",
        "os.dup2(os.open('report', os.O_RDONLY), number)",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let program = format!(
            "import crashlens, os\n\
            number = os.open('report', 65)\n\
            crashlens.enable(file=number)\n\
            {replaced}\n\
            os.abort()"
        );
        let said = stderr(&run_in(folder.path(), &program));
        assert!(said.contains("died of SIGABRT"), "{replaced}: {said}");
        for file in ["report", "other"] {
            let written = std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
            assert_eq!(written, "", "{replaced}: {file}");
        }
    }
}

#[test]
fn names_of_descriptors_are_those_of_the_program() {
    for (name, is_stdout) in [
        ("/dev/stdout", true),
        ("/dev/fd/1", true),
        ("/proc/self/fd/1", true),
        ("/dev/stderr", false),
        ("/dev/fd/2", false),
    ] {
        let output = run(&format!(
            "import crashlens, os\ncrashlens.enable(file='{name}')\nos.abort()"
        ));
        let (said, other) = if is_stdout {
            (stdout(&output), stderr(&output))
        } else {
            (stderr(&output), stdout(&output))
        };
        assert!(said.contains("died of SIGABRT"), "{name}: {said}");
        assert_eq!(other, "", "{name}");
    }
}

#[test]
fn a_capture_goes_to_the_file_that_is_named_or_nowhere() {
    for (save, saved) in [
        ("'kept'", true),
        ("False", false),
        ("True", false),
        ("None", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let program = format!("import crashlens, os\ncrashlens.enable(save={save})\nos.abort()");
        run_in(folder.path(), &program);
        assert_eq!(folder.path().join("kept").exists(), saved, "{save}");
        let by_default = folder.path().join("crashlens").exists();
        assert_eq!(by_default, matches!(save, "True" | "None"), "{save}");
    }
}

#[test]
fn a_command_runs_while_the_process_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let command = "cat /proc/$CRASHLENS_PID/comm > name; cp $CRASHLENS_REPORT report.json";
    let program =
        format!("import crashlens, os\ncrashlens.enable(on_death={command:?})\nos.abort()");
    run_in(folder.path(), &program);
    let name = std::fs::read_to_string(folder.path().join("name")).unwrap();
    assert!(name.starts_with("python"), "{name}");
    let report = std::fs::read(folder.path().join("report.json")).unwrap();
    assert_eq!(
        serde_json::from_slice::<Report>(&report)
            .unwrap()
            .deaths
            .len(),
        1
    );
}

#[test]
fn a_hang_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    // The program waits for its own report: it reads from the pipe that is standard error.
    let program = "import crashlens, os\n\
        reader, writer = os.pipe()\n\
        crashlens.enable(file=writer, hang_after=0.5)\n\
        print(b'no progress' in os.read(reader, 65536))";
    let output = run_in(folder.path(), program);
    assert_eq!(stdout(&output), "True\n", "{}", stderr(&output));
}

#[test]
fn a_program_has_the_last_report_of_its_children_and_of_its_earlier_runs() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program.py");
    let source = "import crashlens, json, os\n\
        print(json.dumps(crashlens.last_report()))\n\
        crashlens.enable()\n\
        child = os.fork()\n\
        if child == 0: os.abort()\n\
        os.waitpid(child, 0)\n\
        print(crashlens.last_report()['deaths'][0]['pid'] == child)\n\
        os.kill(os.getpid(), 11)\n";
    std::fs::write(&program, source).unwrap();
    let lines = |folder: &std::path::Path, arguments: &[&str]| {
        let output = python(folder)
            .arg(&program)
            .args(arguments)
            .output()
            .unwrap();
        let said = stdout(&output);
        assert!(said.ends_with("True\n"), "{said} {}", stderr(&output));
        serde_json::from_str::<Value>(said.lines().next().unwrap()).unwrap()
    };
    assert_eq!(lines(folder.path(), &[]), Value::Null);
    let second = lines(folder.path(), &[]);
    assert_eq!(second["schema"], "crashlens.report/1");
    assert_eq!(second["deaths"][0]["ending"]["signal"], "SIGSEGV");
    assert_eq!(second["deaths"][0]["role"], "main");
    assert_eq!(second["run"]["argv"][1], program.to_str().unwrap());
    // Another program: other arguments.
    assert_eq!(lines(folder.path(), &["--other"]), Value::Null);
}

#[test]
fn captures_of_crashlens_run_belong_to_earlier_runs() {
    let folder = tempfile::tempdir().unwrap();
    let program = "import crashlens\nprint(not crashlens.last_report())\nimport os; os.abort()";
    for said in ["True\n", "False\n"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_crashlens"));
        run.args(["run", "--", "python3", "-c", program]);
        let output = super::with_package(run, folder.path()).output().unwrap();
        assert_eq!(stdout(&output), said);
    }
}

#[test]
fn the_last_report_is_looked_for_where_captures_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_in(
        folder.path(),
        "import crashlens, os\n\
        crashlens.enable(file='report', save='kept')\n\
        for signal in 6, 11:\n\
        \x20   child = os.fork()\n\
        \x20   if child == 0: os.kill(os.getpid(), signal)\n\
        \x20   os.waitpid(child, 0)\n\
        \x20   report = crashlens.last_report()\n\
        \x20   print(report['deaths'][0]['ending']['signal'], os.path.basename(report['deaths'][0]['saved']))\n",
    );
    assert_eq!(
        stdout(&output),
        "SIGABRT kept\nSIGSEGV kept.2\n",
        "{}",
        stderr(&output)
    );
}

#[test]
fn without_a_death_the_last_report_is_none() {
    let output = run("import crashlens\nprint(crashlens.last_report())");
    assert_eq!(
        (stdout(&output), stderr(&output)),
        ("None\n".to_owned(), String::new())
    );
}
