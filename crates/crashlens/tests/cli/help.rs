use crate::{output, stderr, stdout};

#[test]
fn every_command_explains_itself() {
    for command in ["run", "attach", "diagnose", "check", "rules", "completions"] {
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
        (&["run", "--format", "sarif", "--", "true"][..], 125),
        (&["run", "--save", "a", "--no-save", "--", "true"][..], 125),
        (&["attach"][..], 125),
        (&["attach", "me"][..], 125),
        (&["diagnose"][..], 2),
        (&["diagnose", "run", "--nonsense"][..], 2),
        (&[][..], 2),
        (&["check", "data"][..], 2),
        (&["check", "run", "--nonsense"][..], 2),
        (&["check", "--nonsense"][..], 2),
        (&["check", "env", "--fail-on", "everything"][..], 2),
        (&["rules", "--nonsense"][..], 2),
        (&["completions"][..], 2),
        (&["completions", "csh"][..], 2),
        (&["nonsense"][..], 2),
    ] {
        let output = output(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(stderr(&output).contains("--help"), "{args:?}");
    }
}

#[test]
fn a_form_that_a_command_does_not_offer_is_refused_with_those_it_does() {
    for (args, offered) in [
        (
            &["diagnose", "-", "--format", "sarif"][..],
            "text, json, md, html",
        ),
        (&["rules", "--format", "md"][..], "text, json"),
        (
            &["check", "data", ".", "--format", "xml"][..],
            "text, json, jsonl, sarif, junit, md, html",
        ),
    ] {
        let output = output(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = stderr(&output);
        assert!(
            text.contains(&format!("[possible values: {offered}]")),
            "{text}"
        );
    }
}
