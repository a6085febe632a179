use crate::{output, stderr, stdout};

#[test]
fn every_command_explains_itself() {
    for command in ["run", "attach", "diagnose", "check", "rules"] {
        let output = output(&[command, "--help"]);
        assert_eq!(output.status.code(), Some(0));
        insta::assert_snapshot!(format!("help_of_{command}"), stdout(&output));
    }
    insta::assert_snapshot!("help", stdout(&output(&["--help"])));
}

#[test]
fn the_committed_reference_is_fresh() {
    let committed = include_str!("../../../../docs/cli.md");
    assert_eq!(
        committed,
        stdout(&output(&["__generate", "cli"])),
        "run `cargo run -- __generate cli > docs/cli.md`"
    );
}

#[test]
fn wrong_use_has_the_exit_status_of_its_command() {
    for (args, code) in [
        (&["run"][..], 125),
        (&["run", "--nonsense"][..], 125),
        (&["attach", "me"][..], 125),
        (&["diagnose"][..], 2),
        (&["check", "--nonsense"][..], 2),
        (&["check", "env", "--fail-on", "everything"][..], 2),
        (&["rules", "--nonsense"][..], 2),
        (&["nonsense"][..], 2),
    ] {
        let output = output(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(stderr(&output).contains("--help"), "{args:?}");
    }
}
