//! Folders, prefixes and versions as CPython itself finds them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crashlens_core::Survey;
use crashlens_core::survey::{Interpreter, InterpreterKind};
use crashlens_inspect::{Loaded, Question, Silent, survey};

/// Every interpreter: pyenv's, those on `PATH`, and those that `CRASHLENS_PYTHONS` names.
fn pythons() -> Vec<PathBuf> {
    let pyenv = std::env::home_dir()
        .unwrap_or_default()
        .join(".pyenv/versions");
    let pyenv = fs::read_dir(pyenv).into_iter().flatten().flatten();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| !folder.ends_with("shims"))
        .collect();
    let is_interpreter = |program: &PathBuf| {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let minor = name
            .strip_prefix("python3.")
            .or(name.strip_prefix("python2."));
        minor.is_some_and(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let found = pyenv
        .map(|version| version.path().join("bin"))
        .chain(path)
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(is_interpreter)
        .filter_map(|program| fs::canonicalize(program).ok());
    let named = std::env::var("CRASHLENS_PYTHONS").unwrap_or_default();
    let named: Vec<PathBuf> = named
        .split(':')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .collect();
    let all: BTreeSet<PathBuf> = found.chain(named).collect();
    let runs = |program: &PathBuf| {
        let mut command = Command::new(program);
        let quietly = command.args(["-c", "import json"]).stderr(Stdio::null());
        quietly.status().is_ok_and(|status| status.success())
    };
    // What starts an interpreter with other variables is a script: that it is told as one is another test's question.
    let is_script = |program: &PathBuf| {
        let mut head = [0; 2];
        let read = fs::File::open(program).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && head == *b"#!"
    };
    let all: Vec<PathBuf> = all
        .into_iter()
        .filter(|program| !is_script(program))
        .filter(runs)
        .collect();
    assert!(!all.is_empty(), "no Python interpreter on this machine");
    all
}

type Variables = BTreeMap<String, String>;

fn variables(home: &Path, more: &[(&str, String)]) -> Variables {
    let fixed = [
        ("HOME", home.display().to_string()),
        ("PATH", "/usr/bin:/bin".to_owned()),
    ];
    let all = fixed.into_iter().chain(more.iter().cloned());
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What the interpreter says: prefix, version, and the folders it imports from beside its standard library.
fn truth(python: &Path, variables: &Variables) -> (String, String, Vec<String>) {
    let program = "import os, re, sys\n\
        own = re.compile(r'(\\.zip|/lib(64)?/python[0-9.]+t?|/lib-dynload|/lib-tk|/lib-old|/plat-[a-z0-9_-]+)$')\n\
        print(sys.prefix); print(sys.version.split()[0])\n\
        print('\\n'.join(p for p in sys.path if p and not own.search(p) and os.path.isdir(p)))";
    let output = Command::new(python)
        .args(["-c", program])
        .env_clear()
        .envs(variables)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", python.display());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned);
    (
        lines.next().unwrap(),
        lines.next().unwrap(),
        lines.collect(),
    )
}

fn look(python: &Path, variables: &Variables) -> Interpreter {
    let question = Question {
        python: Some(python.to_owned()),
        variables: variables.clone(),
        home: variables.get("HOME").map(PathBuf::from),
        // No native file: they are not the question here.
        only: Some(Loaded::default()),
        ..Question::default()
    };
    let survey = survey(Survey::default(), &question, &Silent).unwrap();
    survey.python.known().unwrap().clone()
}

fn assert_as_it_says(python: &Path, variables: &Variables) -> Interpreter {
    let found = look(python, variables);
    let (prefix, version, sites) = truth(python, variables);
    assert_eq!(
        (&found.prefix, &found.version),
        (&prefix, &version),
        "{}",
        python.display()
    );
    assert_eq!(found.sites, sites, "{}", python.display());
    found
}

fn minor(version: &str) -> &str {
    version.rsplit_once('.').unwrap().0
}

#[test]
fn every_interpreter_is_seen_as_it_sees_itself() {
    for python in pythons() {
        let home = tempfile::tempdir().unwrap();
        let plain = variables(home.path(), &[]);
        let found = assert_as_it_says(&python, &plain);
        assert!(!found.user_site);
        let site = home.path().join(format!(
            ".local/lib/python{}/site-packages",
            minor(&found.version)
        ));
        let extra = home.path().join("extra");
        fs::create_dir_all(site.join("inner")).unwrap();
        fs::create_dir_all(&extra).unwrap();
        let lines = format!("inner\n{}\nimport sys\ngone\n", home.path().display());
        fs::write(site.join("more.pth"), lines).unwrap();
        let found = assert_as_it_says(
            &python,
            &variables(home.path(), &[("PYTHONPATH", extra.display().to_string())]),
        );
        assert!(found.user_site);
        assert_as_it_says(
            &python,
            &variables(home.path(), &[("PYTHONNOUSERSITE", "1".to_owned())]),
        );
    }
}

#[test]
fn virtual_environments_are_seen_with_and_without_what_is_around_them() {
    let home = tempfile::tempdir().unwrap();
    let plain = variables(home.path(), &[]);
    for python in pythons() {
        let base = look(&python, &plain);
        if base.version.starts_with('2') {
            continue;
        }
        let user = home.path().join(format!(
            ".local/lib/python{}/site-packages",
            minor(&base.version)
        ));
        fs::create_dir_all(user).unwrap();
        for (name, options) in [
            ("alone", &[][..]),
            ("open", &["--system-site-packages"][..]),
        ] {
            let folder = home.path().join(format!("{name}-{}", base.version));
            let mut command = Command::new(&python);
            command
                .args(["-m", "venv", "--without-pip"])
                .args(options)
                .arg(&folder);
            if !command.output().unwrap().status.success() {
                continue;
            }
            let found = assert_as_it_says(&folder.join("bin/python"), &plain);
            assert_eq!(found.kind, InterpreterKind::Venv);
            assert_eq!(found.user_site, name == "open");
        }
    }
}

#[test]
fn a_prefix_of_conda_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("env");
    let plain = variables(folder.path(), &[]);
    let is_own = |python: &&PathBuf| {
        let found = look(python, &plain);
        found.kind == InterpreterKind::Other && found.version.starts_with('3')
    };
    let all = pythons();
    let Some(python) = all.iter().find(is_own) else {
        return;
    };
    let base = look(python, &plain);
    let library = format!("lib/python{}", minor(&base.version));
    for made in ["conda-meta", "bin", &format!("{library}/site-packages")] {
        fs::create_dir_all(prefix.join(made)).unwrap();
    }
    fs::copy(python, prefix.join("bin/python3")).unwrap();
    for entry in fs::read_dir(Path::new(&base.prefix).join(&library))
        .unwrap()
        .flatten()
    {
        let link = prefix.join(&library).join(entry.file_name());
        if entry.file_name() != "site-packages" {
            symlink(entry.path(), link).unwrap();
        }
    }
    let installed = format!("conda-meta/python-{}-h0_0_cpython.json", base.version);
    fs::write(prefix.join(installed), "{}").unwrap();
    let found = assert_as_it_says(&prefix.join("bin/python3"), &plain);
    assert_eq!(found.kind, InterpreterKind::Conda);
}

#[test]
fn a_survey_says_neither_where_the_user_lives_nor_what_is_secret() {
    let home = tempfile::tempdir().unwrap();
    let more = [
        ("OMP_NUM_THREADS", "1".to_owned()),
        ("DATABASE_PASSWORD", "long-and-secret".to_owned()),
        ("TF_API_KEY", "0123456789abcdef0123456789abcdef".to_owned()),
    ];
    let python = pythons().remove(0);
    let question = Question {
        python: Some(python),
        variables: variables(home.path(), &more),
        home: Some(home.path().to_owned()),
        only: Some(Loaded::default()),
        ..Question::default()
    };
    let survey = survey(Survey::default(), &question, &Silent).unwrap();
    let shown = survey.variables.known().unwrap();
    let names: Vec<&str> = shown.keys().map(String::as_str).collect();
    assert_eq!(names, ["OMP_NUM_THREADS", "PATH", "TF_API_KEY"]);
    assert_eq!(shown["TF_API_KEY"], "[masked]");
}
