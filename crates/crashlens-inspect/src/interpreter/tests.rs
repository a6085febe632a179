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
