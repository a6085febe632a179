use super::*;
use crate::capture::{Observed, System};
use crate::survey::{Distribution, Interpreter, InterpreterKind, PackageTool, Survey};

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

#[test]
fn packages_that_conda_installed_are_changed_by_conda() {
    let distribution = |name: &str, installer: &str| Distribution {
        name: name.to_owned(),
        installer: Some(installer.to_owned()),
        ..Distribution::default()
    };
    let place = Place::of(&Survey {
        python: Observed::Known(Interpreter {
            path: "/opt/conda/bin/python".to_owned(),
            prefix: "/opt/conda".to_owned(),
            kind: InterpreterKind::Conda,
            ..Interpreter::default()
        }),
        distributions: vec![distribution("NumPy", "conda"), distribution("keras", "pip")],
        ..Survey::default()
    });
    let rendered = |command: Option<Pip>| {
        let mut remedies = vec![Remedy::new("Do").command_if(command)];
        fit(&mut remedies, &place);
        remedies[0].command.as_ref().unwrap().to_string()
    };
    assert_eq!(
        rendered(Pip::install(["numpy<2"])),
        "conda install --prefix /opt/conda 'numpy<2'"
    );
    // conda would remove what depends on it, too, and has no extras.
    let uninstall = "/opt/conda/bin/python -m pip uninstall numpy";
    assert_eq!(rendered(Pip::uninstall(["numpy"])), uninstall);
    let both = Pip::uninstall(["numpy"]).zip(Pip::install(["numpy<2"]));
    assert_eq!(
        rendered(both.map(|(first, next)| first.then(next))),
        format!("{uninstall} && /opt/conda/bin/python -m pip install 'numpy<2'")
    );
    assert_eq!(
        rendered(Pip::install(["numpy[extra]"])),
        "/opt/conda/bin/python -m pip install 'numpy[extra]'"
    );
    // What pip installed, and what only pip can do, stays with pip.
    assert_eq!(
        rendered(Pip::install(["numpy<2", "keras>=3"])),
        "/opt/conda/bin/python -m pip install 'numpy<2' 'keras>=3'"
    );
    assert_eq!(
        rendered(Pip::build("numpy")),
        "/opt/conda/bin/python -m pip install --force-reinstall --no-deps --no-binary numpy numpy"
    );
}

/// What is left of a command on a system.
fn on(system: System, command: impl Into<Command>) -> Option<String> {
    let mut remedies = [Remedy::new("Do").command(command)];
    fit_to_system(&mut remedies, system);
    remedies[0].command.as_ref().map(ToString::to_string)
}

#[test]
fn on_windows_commands_are_ones_of_its_shells() {
    let windows = |command: Command| on(System::Windows, command);
    let install = Pip::install(["numpy<2", "keras"]).unwrap();
    assert_eq!(
        windows(install.into()).as_deref(),
        Some("pip install \"numpy<2\" keras")
    );
    let run = Again::new().set("A", "1").unset("B").flags("-X dev");
    assert_eq!(
        windows(run.into()).as_deref(),
        Some("cmd /c \"set A=1&& set B=&& python -X dev your_script.py\"")
    );
    assert_eq!(
        windows(Again::new().into()).as_deref(),
        Some("python your_script.py")
    );
    let expanded = Again::new().set_foreign("A", "a&b").unwrap();
    assert_eq!(windows(expanded.into()), None);
    assert_eq!(windows(Pip::install(["a%PATH%"]).unwrap().into()), None);
    assert_eq!(
        windows(ShellLine::anywhere("nvidia-smi").into()).as_deref(),
        Some("nvidia-smi")
    );
    assert_eq!(windows(ShellLine::unix("unset A").into()), None);
}

#[test]
fn commands_that_need_linux_are_not_given_elsewhere() {
    for system in [System::Macos, System::Windows] {
        let check = Crashlens::check_model("a.tflite").unwrap();
        assert_eq!(on(system, check), None);
        assert_eq!(on(system, Again::under_crashlens()), None);
        assert_eq!(on(system, "ldd module.so"), None);
    }
    assert_eq!(
        on(System::Macos, ShellLine::unix("unset A")).as_deref(),
        Some("unset A")
    );
    assert_eq!(
        on(System::Macos, Again::new().set("A", "1")).as_deref(),
        Some("A=1 python your_script.py")
    );
    assert_eq!(
        on(System::Linux, "ldd module.so").as_deref(),
        Some("ldd module.so")
    );
}

#[test]
fn a_path_from_a_process_is_one_word_of_a_command_of_crashlens() {
    let check = |path| Crashlens::check_model(path).map(|it| it.to_string());
    assert_eq!(
        check("my model.tflite").as_deref(),
        Some("crashlens check model 'my model.tflite'")
    );
    assert_eq!(check("--move-to"), None);
    assert_eq!(check("a\nb"), None);
}
