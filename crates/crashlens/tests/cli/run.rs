use crate::{crashlens, stderr};

#[test]
fn a_report_that_could_not_be_written_is_refused_before_the_program_starts() {
    let folder = tempfile::tempdir().unwrap();
    let output = crashlens(&[
        "run",
        "--output",
        "missing/report.json",
        "--",
        "touch",
        "started",
    ])
    .current_dir(folder.path())
    .output()
    .unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(
        stderr(&output)
            .starts_with("crashlens: cannot write the report to missing/report.json\n  help: ")
    );
    assert!(!folder.path().join("started").exists());
}
