use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::pyvenv::Pyvenv;
use super::*;

/// A file system with programs in it.
struct Machine {
    root: TempDir,
}

impl Machine {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, contents: &[u8]) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), contents).unwrap();
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// An installation of Python of this version.
    fn install(&self, prefix: &str, version: &str) {
        let mut program = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0".to_vec();
        program.extend_from_slice(format!("\x003.40.1\0{version}\0").as_bytes());
        let short = version.rsplit_once('.').unwrap().0;
        self.write(&format!("{prefix}/bin/python{short}"), &program);
        symlink(
            format!("python{short}"),
            self.path(&format!("{prefix}/bin/python3")),
        )
        .unwrap();
        self.write(&format!("{prefix}/lib/python{short}/os.py"), b"");
        let site = format!("{prefix}/lib/python{short}/site-packages");
        fs::create_dir_all(self.path(&site)).unwrap();
    }

    fn ask(&self, variables: &[(&str, &str)]) -> Question {
        let root = self.root.path().display().to_string();
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.replace('@', &root)))
            .collect();
        Question {
            variables,
            root: self.root.path().to_owned(),
            ..Question::default()
        }
    }

    fn find(&self, variables: &[(&str, &str)]) -> Result<Interpreter, SurveyError> {
        find(&self.ask(variables), &mut Gaps::default())
    }

    fn short(&self, path: &str) -> String {
        path.replace(&*self.root.path().to_string_lossy(), "")
    }
}

#[test]
fn the_active_environment_comes_before_the_path() {
    let machine = Machine::new();
    machine.install("usr", "3.9.2");
    machine.install("conda", "3.10.4");
    fs::create_dir_all(machine.path("conda/conda-meta")).unwrap();
    machine.write(
        "venv/pyvenv.cfg",
        b"home = @/usr/bin\nversion = 3.9.2\ninclude-system-site-packages = false\n",
    );
    fs::create_dir_all(machine.path("venv/bin")).unwrap();
    symlink(
        machine.path("usr/bin/python3.9"),
        machine.path("venv/bin/python"),
    )
    .unwrap();
    let path = ("PATH", "@/nothing:@/usr/bin");
    let cases = [
        (
            vec![path],
            "/usr/bin/python3",
            "3.9.2",
            InterpreterKind::System,
        ),
        (
            vec![path, ("CONDA_PREFIX", "@/conda")],
            "/conda/bin/python3",
            "3.10.4",
            InterpreterKind::Conda,
        ),
        (
            vec![path, ("CONDA_PREFIX", "@/conda"), ("VIRTUAL_ENV", "@/venv")],
            "/venv/bin/python",
            "3.9.2",
            InterpreterKind::Venv,
        ),
        (
            vec![path, ("VIRTUAL_ENV", "@/gone")],
            "/usr/bin/python3",
            "3.9.2",
            InterpreterKind::System,
        ),
    ];
    for (variables, executable, version, kind) in cases {
        let python = machine.find(&variables).unwrap();
        assert_eq!(machine.short(&python.path), executable);
        assert_eq!(
            (python.version.as_str(), python.kind),
            (version, kind),
            "{executable}"
        );
        assert_eq!(
            python.architecture.known().map(String::as_str),
            Some("x86-64")
        );
    }
    assert!(matches!(machine.find(&[]), Err(SurveyError::NoPython)));
}

#[test]
fn folders_and_executables_can_be_named() {
    let machine = Machine::new();
    machine.install("opt", "3.12.1");
    machine.write("opt/bin/not-python", b"\x7fELF");
    for named in ["opt", "opt/bin", "opt/bin/python3", "opt/bin/python3.12"] {
        let mut question = machine.ask(&[]);
        question.python = Some(machine.path(named));
        let python = find(&question, &mut Gaps::default()).unwrap();
        assert_eq!(machine.short(&python.prefix), "/opt", "{named}");
        assert_eq!(
            machine.short(&python.sites[0]),
            "/opt/lib/python3.12/site-packages"
        );
    }
    for named in ["gone", "opt/lib"] {
        let mut question = machine.ask(&[]);
        question.python = Some(machine.path(named));
        let found = find(&question, &mut Gaps::default());
        assert!(matches!(found, Err(SurveyError::NotPython(_))), "{named}");
    }
}

#[test]
fn a_home_without_the_standard_library_is_told_and_the_rest_is_read_all_the_same() {
    let machine = Machine::new();
    machine.install("opt", "3.12.1");
    machine.install("old", "3.10.4");
    let cases = [
        ("@/gone", true),
        ("@/old", true),
        ("@/opt", false),
        ("", false),
    ];
    for (home, is_lost) in cases {
        let variables = [("PATH", "@/opt/bin"), ("PYTHONHOME", home)];
        let python = machine.find(&variables).unwrap();
        assert_eq!(python.lost_home.is_some(), is_lost, "{home}");
        assert_eq!(machine.short(&python.prefix), "/opt", "{home}");
    }
    machine.write("gone/lib/python312.zip", b"PK");
    let variables = [("PATH", "@/opt/bin"), ("PYTHONHOME", "@/gone")];
    assert_eq!(machine.find(&variables).unwrap().lost_home, None);
}

#[test]
fn a_program_that_is_no_python_is_refused() {
    let machine = Machine::new();
    machine.install("opt", "3.12.1");
    machine.write("opt/bin/ls", b"\x7fELF lists files");
    machine.write("opt/bin/snake", b"\x7fELF reads PYTHONHOME first");
    let ask = |named: &str| {
        let mut question = machine.ask(&[]);
        question.python = Some(machine.path(named));
        find(&question, &mut Gaps::default())
    };
    assert!(matches!(ask("opt/bin/ls"), Err(SurveyError::NotPython(_))));
    assert!(ask("opt/bin/snake").is_ok());
    symlink("python3", machine.path("opt/bin/own")).unwrap();
    assert!(ask("opt/bin/own").is_ok());
}

#[test]
fn a_shim_of_pyenv_leads_to_the_version_that_is_meant() {
    let machine = Machine::new();
    machine.write(
        "pyenv/shims/python3",
        b"#!/usr/bin/env bash\nexec pyenv exec python3\n",
    );
    for version in ["3.11.7", "3.11.10", "3.8.18"] {
        machine.install(&format!("pyenv/versions/{version}"), version);
    }
    machine.install("usr", "3.9.2");
    machine.write("project/.python-version", b"3.8.18 # for this one\n");
    fs::create_dir_all(machine.path("project/inner")).unwrap();
    let path = ("PATH", "@/pyenv/shims:@/usr/bin");
    let version = |variables: &[(&str, &str)]| {
        let variables: Vec<_> = [path]
            .into_iter()
            .chain(variables.iter().copied())
            .collect();
        machine.find(&variables).map(|python| python.version)
    };
    assert_eq!(version(&[("PWD", "@/project/inner")]).unwrap(), "3.8.18");
    assert_eq!(
        version(&[("PYENV_VERSION", "3.11.7"), ("PWD", "@/project")]).unwrap(),
        "3.11.7"
    );
    assert_eq!(version(&[("PYENV_VERSION", "3.11")]).unwrap(), "3.11.10");
    assert_eq!(version(&[("PYENV_VERSION", "system")]).unwrap(), "3.9.2");
    machine.write("pyenv/version", b"3.11.7\n");
    assert_eq!(version(&[("PWD", "@")]).unwrap(), "3.11.7");
    let refused = version(&[("PYENV_VERSION", "../../usr")]).unwrap_err();
    assert!(matches!(refused, SurveyError::Script(_)));
    assert!(refused.to_string().contains("--python"));
}

#[test]
fn settings_of_an_environment_are_read_in_every_dialect() {
    let plain =
        Pyvenv::parse("home = /usr/bin\nversion = 3.11.2\ninclude-system-site-packages = false\n");
    assert_eq!(plain.version.as_deref(), Some("3.11.2"));
    assert!(!plain.sees_system);
    let other = Pyvenv::parse(
        "HOME=/x\r\nversion_info = 3.13.0rc1.final.0\ninclude-system-site-packages = TRUE",
    );
    assert_eq!(other.version.as_deref(), Some("3.13.0rc1"));
    assert!(other.sees_system);
    assert_eq!(Pyvenv::parse("version = ../..\n\0=\n").version, None);
}

#[test]
fn lines_of_path_files_name_folders_and_code_is_left_alone() {
    let text = "\u{feff}# comment\n../src  \nimport os; os.system('x')\nimport\tos\n\n/opt/lib\nimportant\n";
    let lines: Vec<_> = path_file::lines(text).collect();
    assert_eq!(lines, ["../src", "/opt/lib", "important"]);
    assert_eq!(
        path_file::without_dots(Path::new("/a/b/../c/./d")),
        Path::new("/a/c/d")
    );
}

#[test]
fn an_environment_whose_python_is_gone_says_where_it_was() {
    let machine = Machine::new();
    machine.install("usr", "3.11.2");
    machine.write("venv/pyvenv.cfg", b"home = /usr/bin\nversion = 3.10.4\n");
    fs::create_dir_all(machine.path("venv/bin")).unwrap();
    symlink("python3.10", machine.path("venv/bin/python")).unwrap();
    symlink(
        "../../usr/bin/python3.10",
        machine.path("venv/bin/python3.10"),
    )
    .unwrap();
    for named in ["venv", "venv/bin", "venv/bin/python"] {
        let mut question = machine.ask(&[]);
        question.python = Some(machine.path(named));
        let error = find(&question, &mut Gaps::default()).unwrap_err();
        let words = machine.short(&error.to_string());
        assert!(
            words.starts_with("/venv/bin/python leads to /usr/bin/python3.10, which is not there"),
            "{named}: {words}"
        );
    }
    let active = machine.ask(&[("VIRTUAL_ENV", "@/venv"), ("PATH", "@/usr/bin")]);
    let mut gaps = Gaps::default();
    let python = find(&active, &mut gaps).unwrap();
    assert_eq!(machine.short(&python.path), "/usr/bin/python3");
    assert!(gaps.0[0].reason.contains("is gone"), "{gaps:?}");
}

#[test]
fn packages_of_the_python_that_was_replaced_are_stranded() {
    let machine = Machine::new();
    machine.install("usr", "3.11.2");
    machine.write("venv/pyvenv.cfg", b"home = @/usr/bin\nversion = 3.10.4\n");
    fs::create_dir_all(machine.path("venv/bin")).unwrap();
    symlink(
        machine.path("usr/bin/python3.11"),
        machine.path("venv/bin/python"),
    )
    .unwrap();
    let stranded = || {
        let python = machine.find(&[("VIRTUAL_ENV", "@/venv")]).unwrap();
        let stranded = python.stranded.iter().map(|path| machine.short(path));
        stranded.collect::<Vec<_>>()
    };
    let old = "venv/lib/python3.10/site-packages";
    fs::create_dir_all(machine.path(old)).unwrap();
    assert_eq!(stranded(), [format!("/{old}")]);
    fs::create_dir_all(machine.path("venv/lib/python3.11/site-packages")).unwrap();
    assert!(stranded().is_empty());
}

#[test]
fn what_may_install_packages_is_what_the_installation_says() {
    let machine = Machine::new();
    machine.install("usr", "3.11.2");
    let tool = |variables: &[(&str, &str)]| machine.find(variables).unwrap().tool;
    let path = ("PATH", "@/usr/bin");
    assert_eq!(tool(&[path]), PackageTool::Pip);
    machine.write(
        "usr/lib/python3.11/EXTERNALLY-MANAGED",
        b"[externally-managed]\n",
    );
    assert_eq!(tool(&[path]), PackageTool::Refused);
    fs::create_dir_all(machine.path("venv/bin")).unwrap();
    let executable = machine.path("usr/bin/python3.11");
    symlink(executable, machine.path("venv/bin/python")).unwrap();
    for (text, expected) in [("", PackageTool::Pip), ("uv = 0.5.1\n", PackageTool::Uv)] {
        let settings = format!("home = @/usr/bin\n{text}version = 3.11.2\n");
        machine.write("venv/pyvenv.cfg", settings.as_bytes());
        assert_eq!(tool(&[path, ("VIRTUAL_ENV", "@/venv")]), expected);
    }
}
