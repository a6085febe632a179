use super::*;
use crate::capture::Observed;
use crate::survey::{Interpreter, PackageTool, Survey};

fn place(tool: PackageTool) -> Place {
    Place::of(&Survey {
        python: Observed::Known(Interpreter {
            path: "/my env/bin/python".to_owned(),
            tool,
            ..Interpreter::default()
        }),
        ..Survey::default()
    })
}

/// What is to be done in an environment with this tool, after something that is not about packages.
fn commands(tool: PackageTool) -> Vec<String> {
    let mut remedies = vec![
        Remedy::new("Look").command("df -h"),
        Remedy::new("Install").command_if(Pip::install(["a<2"])),
        Remedy::new("Remove").command_if(Pip::uninstall(["b"])),
    ];
    fit(&mut remedies, &place(tool));
    let commands = remedies.into_iter().filter_map(|it| it.command);
    commands.map(|it| it.to_string()).collect()
}

#[test]
fn a_command_is_one_that_works_in_the_environment() {
    assert_eq!(
        commands(PackageTool::Pip),
        [
            "df -h",
            "'/my env/bin/python' -m pip install 'a<2'",
            "'/my env/bin/python' -m pip uninstall b"
        ]
    );
    assert_eq!(
        commands(PackageTool::Uv),
        [
            "df -h",
            "uv pip install --python '/my env/bin/python' 'a<2'",
            "uv pip uninstall --python '/my env/bin/python' b"
        ]
    );
    assert_eq!(
        commands(PackageTool::Missing)[1..3],
        [
            "'/my env/bin/python' -m ensurepip",
            "'/my env/bin/python' -m pip install 'a<2'"
        ]
    );
    assert_eq!(
        commands(PackageTool::Refused)[1..3],
        [
            "'/my env/bin/python' -m venv .venv",
            "'/my env/bin/python' -m pip install --break-system-packages 'a<2'"
        ]
    );
}

#[test]
fn a_name_from_a_file_is_one_word_or_no_command_at_all() {
    assert_eq!(Pip::install(["a\nb"]), None);
    assert_eq!(Pip::install(["--index-url=http://x"]), None);
    assert_eq!(Pip::install([] as [&str; 0]), None);
    assert_eq!(Pip::uninstall(["a;reboot"]), None);
    assert_eq!(Pip::upgrade("$(reboot)"), None);
    let quoted = Pip::install(["a; reboot"]).unwrap();
    assert_eq!(quoted.to_string(), "pip install 'a; reboot'");
    assert_eq!(Again::new().set_foreign("LD_PRELOAD", "a\nb"), None);
    assert_eq!(Again::new().set_foreign("A=1;B", "a"), None);
    let quoted = Again::new().set_foreign("LD_PRELOAD", "/a b").unwrap();
    assert_eq!(
        quoted.render(None),
        "LD_PRELOAD='/a b' python your_script.py"
    );
}

#[test]
fn the_program_is_run_again_with_its_own_command_line_where_that_is_known() {
    let own = ["/venv/bin/python3.11", "train.py", "--epochs", "3"].map(str::to_owned);
    let run = Again::under_crashlens().set("MALLOC_CHECK_", "3");
    assert_eq!(
        run.render(None),
        "crashlens run -- env MALLOC_CHECK_=3 python your_script.py"
    );
    assert_eq!(
        run.render(Some(&own)),
        "crashlens run -- env MALLOC_CHECK_=3 /venv/bin/python3.11 train.py --epochs 3"
    );
    let without = Again::new().unset("LD_PRELOAD").set("A", "1");
    assert_eq!(
        without.render(Some(&own[..2])),
        "env -u LD_PRELOAD A=1 /venv/bin/python3.11 train.py"
    );
    let limited = Again::new().after_words("ulimit -s 65536;");
    assert_eq!(
        limited.render(None),
        "ulimit -s 65536; python your_script.py"
    );
}

#[test]
fn flags_of_python_follow_the_interpreter_and_are_not_given_to_other_programs() {
    let run = Again::new().set("A", "1").flags("-X dev").read_by("| cat");
    let of = |words: [&str; 2]| run.render(Some(&words.map(str::to_owned)));
    assert_eq!(
        of(["/venv/bin/python", "train.py"]),
        "A=1 /venv/bin/python -X dev train.py | cat"
    );
    assert_eq!(
        of(["torchrun", "train.py"]),
        "A=1 python -X dev your_script.py | cat"
    );
}

#[test]
fn the_interpreter_of_the_environment_stands_in_a_run_without_a_known_program() {
    let run = Again::new().unset("PYTHONPATH");
    let mut remedies = vec![Remedy::new("Run").command(run)];
    fit(&mut remedies, &place(PackageTool::Pip));
    let command = remedies[0].command.as_ref().unwrap();
    assert_eq!(
        command.to_string(),
        "env -u PYTHONPATH '/my env/bin/python' your_script.py"
    );
}

#[test]
fn in_json_a_command_is_its_text() {
    let remedy = Remedy::new("Install").command_if(Pip::install(["a<2"]));
    let json = serde_json::to_value(&remedy).unwrap();
    assert_eq!(json["command"], "pip install 'a<2'");
    let read: Remedy = serde_json::from_value(json).unwrap();
    assert_eq!(read.command, Some("pip install 'a<2'".into()));
}
