use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crashlens_core::survey::FileList;
use crashlens_core::{Gaps, Observed};
use tempfile::TempDir;

use super::*;

mod after_crash;
mod condition;
mod hostile;

/// A `site-packages` folder that is filled by the test.
struct Folder {
    root: TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = Self {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(folder.site()).unwrap();
        folder
    }

    fn site(&self) -> PathBuf {
        self.root.path().join("test/lib/python3.11/site-packages")
    }

    fn write(&self, path: &str, contents: &str) {
        let path = self.site().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// A distribution with these files, listed with the sizes they have.
    fn install(&self, name: &str, version: &str, files: &[(&str, &str)]) {
        let mut record = String::new();
        for (path, contents) in files {
            self.write(path, contents);
            let _ = writeln!(record, "{path},,{}", contents.len());
        }
        let metadata = format!("{name}-{version}.dist-info");
        let _ = writeln!(record, "{metadata}/LICENSE,,3\n{metadata}/RECORD,,");
        self.write(
            &format!("{metadata}/METADATA"),
            &format!("Name: {name}\nVersion: {version}\n\nText\n"),
        );
        self.write(&format!("{metadata}/RECORD"), &record);
    }

    fn read(&self) -> (Installed, Gaps) {
        self.ask(&Question::default())
    }

    fn ask(&self, question: &Question) -> (Installed, Gaps) {
        let python = Interpreter {
            prefix: self.root.path().display().to_string(),
            sites: vec![self.site().display().to_string()],
            ..Interpreter::default()
        };
        let mut gaps = Gaps::default();
        (read(&python, question, &mut gaps), gaps)
    }
}

fn files<'a>(installed: &'a Installed, name: &str) -> &'a FileList {
    let mut found = installed.distributions.iter();
    let found = found.find(|distribution| distribution.name == name);
    found.unwrap().files.known().unwrap()
}

fn owners(installed: &Installed, site: &Path) -> Vec<(String, String)> {
    let native = installed.native.iter();
    native
        .map(|(path, owner)| {
            let path = path
                .strip_prefix(site)
                .unwrap_or(path)
                .display()
                .to_string();
            let owner = owner.as_ref().map(|owner| owner.name.clone());
            (path, owner.unwrap_or_default())
        })
        .collect()
}

#[test]
fn files_that_are_gone_or_of_another_size_are_told_and_the_rest_is_not() {
    let folder = Folder::new();
    folder.install(
        "thing",
        "1.0",
        &[
            ("thing/__init__.py", "import x"),
            ("thing/_native.so", "12345"),
            ("thing/data.bin", "1234567890"),
            ("thing/tests/test_a.py", "a"),
            ("six.py", "a"),
            ("thing/__pycache__/x.cpython-311.pyc", "code"),
            ("../../../bin/thing", "script"),
        ],
    );
    let gone = [
        "thing/__init__.py",
        "thing/_native.so",
        "thing/tests/test_a.py",
    ];
    for path in gone
        .iter()
        .chain(&["thing/__pycache__/x.cpython-311.pyc", "../../../bin/thing"])
    {
        fs::remove_file(folder.site().join(path)).unwrap();
    }
    folder.write("thing/data.bin", "12345");
    let (installed, gaps) = folder.read();
    let list = files(&installed, "thing");
    assert_eq!(
        (list.listed, list.missing_count, list.changed_count),
        (8, 3, 1)
    );
    let order = ["_native.so", "__init__.py", "test_a.py"];
    for (path, name) in list.missing.iter().zip(order) {
        assert!(path.ends_with(name), "{path} {name}");
    }
    assert_eq!(
        (list.changed[0].listed_size, list.changed[0].size),
        (Some(10), 5)
    );
    assert_eq!(list.top, ["six", "thing"]);
    assert!(gaps.0.is_empty(), "{gaps:?}");
}

#[test]
fn two_distributions_that_write_the_same_files_are_told_of_each_other() {
    let folder = Folder::new();
    let old = [
        ("flow/a.so", "old"),
        ("flow/b.py", "old"),
        ("flow/__init__.py", "1"),
        ("flow/LICENSE.txt", "a"),
    ];
    let new = [
        ("flow/a.so", "newer"),
        ("flow/b.py", "newer"),
        ("flow/__init__.py", "12"),
        ("flow/LICENSE.txt", "b"),
    ];
    folder.install("flow", "2.0", &old);
    folder.install("flow-cpu", "2.1", &new);
    folder.install("stranger", "1", &[("stranger.py", "x")]);
    let (installed, _) = folder.read();
    let list = files(&installed, "flow");
    assert_eq!(list.shared_with, [("flow-cpu".to_owned(), 2)]);
    assert_eq!(
        files(&installed, "flow-cpu").shared_with,
        [("flow".to_owned(), 2)]
    );
    assert!(files(&installed, "stranger").shared_with.is_empty());
    let writers: Vec<_> = list
        .changed
        .iter()
        .map(|file| file.written_by.as_deref())
        .collect();
    assert_eq!(writers, [Some("flow-cpu"); 3]);
    assert_eq!(files(&installed, "flow-cpu").changed_count, 0);
}

#[test]
fn files_that_are_listed_with_the_same_content_are_not_fought_over() {
    let folder = Folder::new();
    for name in ["one", "other"] {
        folder.write(
            &format!("{name}-1.dist-info/METADATA"),
            &format!("Name: {name}\nVersion: 1\n"),
        );
        folder.write(
            &format!("{name}-1.dist-info/RECORD"),
            "shared/x.py,sha256=same,1\n",
        );
    }
    folder.write("shared/x.py", "x");
    let (installed, _) = folder.read();
    assert!(files(&installed, "one").shared_with.is_empty());
}

#[test]
fn two_versions_of_one_name_are_both_kept_and_the_newer_comes_first() {
    let folder = Folder::new();
    for version in ["1.9", "1.10"] {
        folder.install("Some.Thing", version, &[("some/x.py", "x")]);
    }
    folder.write("twice-2.egg-info/PKG-INFO", "Name: twice\nVersion: 2\n");
    folder.install("twice", "2", &[("twice.py", "")]);
    folder.write("~humb/x.py", "");
    folder.write(
        "~humb-1.0.dist-info/METADATA",
        "Name: thumb\nVersion: 1.0\n",
    );
    let (installed, _) = folder.read();
    let names = installed.distributions.iter();
    let names: Vec<_> = names
        .map(|of| format!("{} {}", of.name, of.version))
        .collect();
    assert_eq!(names, ["Some.Thing 1.10", "Some.Thing 1.9", "twice 2"]);
    let leftovers: Vec<_> = ["~humb", "~humb-1.0.dist-info"]
        .map(|name| folder.site().join(name).display().to_string())
        .into();
    assert_eq!(installed.leftovers, leftovers);
}

#[test]
fn native_files_have_owners_by_list_or_by_the_only_name_that_fits() {
    let folder = Folder::new();
    folder.install(
        "thing",
        "1",
        &[
            ("thing/_x.cpython-311-x86_64-linux-gnu.so", ""),
            ("thing.libs/libz-1a.so.1.2", ""),
            ("../../libomp.so", ""),
        ],
    );
    folder.write("unlisted-1.egg-info", "Name: Unlisted\nVersion: 1\n");
    folder.write("unlisted/_y.so", "");
    folder.write("thing/made_later.so", "");
    folder.write("thing/notes.so.txt", "");
    std::os::unix::fs::symlink("libz-1a.so.1.2", folder.site().join("thing.libs/libz.so")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.site().join("thing.libs/libnone.so")).unwrap();
    let (installed, gaps) = folder.read();
    let outside = folder
        .root
        .path()
        .join("test/lib/libomp.so")
        .display()
        .to_string();
    let expected = [
        (outside.as_str(), "thing"),
        ("thing/_x.cpython-311-x86_64-linux-gnu.so", "thing"),
        ("thing/made_later.so", ""),
        ("thing.libs/libz-1a.so.1.2", "thing"),
        ("unlisted/_y.so", "Unlisted"),
    ];
    let expected = expected.map(|(path, owner)| (path.to_owned(), owner.to_owned()));
    assert_eq!(owners(&installed, &folder.site()), expected);
    assert!(gaps.0.is_empty(), "{gaps:?}");
}

#[test]
fn the_newest_generator_of_protocol_buffers_counts() {
    let folder = Folder::new();
    let checked = "from google.protobuf import runtime_version\n_runtime_version.ValidateProtobufRuntimeVersion(\n    \
                   _runtime_version.Domain.PUBLIC,\n    6,\n    31,\n    1,\n    '',\n    'a.proto'\n)\n";
    let built = "from google.protobuf.internal import builder as _builder\n";
    let old = "from google.protobuf import message\n";
    let older = old.to_owned()
        + "DESCRIPTOR = _descriptor.FileDescriptor(\n"
        + &"x".repeat(9000)
        + "_descriptor.FieldDescriptor(\n";
    folder.install(
        "a",
        "1",
        &[
            ("a/x_pb2.py", old),
            ("a/y_pb2.py", checked),
            ("a/z_pb2.py", checked),
        ],
    );
    folder.install("b", "1", &[("b/x_pb2.py", built), ("b/y_pb2.py", &older)]);
    folder.install("c", "1", &[("c/x_pb2.py", "print()")]);
    let (installed, _) = folder.read();
    let of = |index: usize| {
        let gencode = installed.distributions[index].gencode.as_ref();
        gencode.map(|of| (of.version.as_str(), of.is_checked, of.count))
    };
    assert_eq!(of(0), Some(("6.31.1", true, 2)));
    assert_eq!(of(1), Some(("3.20", false, 1)));
    assert_eq!(of(2), None);
    let direct = |index: usize| {
        installed.distributions[index]
            .gencode
            .as_ref()?
            .direct
            .as_deref()
    };
    assert_eq!(direct(0), None);
    assert!(direct(1).is_some_and(|file| file.ends_with("b/y_pb2.py")));
    let gencode = installed.distributions[1].gencode.as_ref().unwrap();
    assert_eq!(gencode.direct_count, 1);
}

#[test]
fn content_is_compared_when_asked_for() {
    let folder = Folder::new();
    let listed = "x.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n\
                  y.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,1\n";
    folder.write("x-1.dist-info/METADATA", "Name: x\nVersion: 1\n");
    folder.write("x-1.dist-info/RECORD", listed);
    folder.write("x.py", "");
    folder.write("y.py", "y");
    assert_eq!(files(&folder.read().0, "x").changed_count, 0);
    let question = Question {
        verify: true,
        ..Question::default()
    };
    let (installed, _) = folder.ask(&question);
    let changed = &files(&installed, "x").changed;
    assert_eq!(changed.len(), 1);
    assert!(changed[0].path.ends_with("y.py"));
}

#[test]
fn what_conda_installed_is_not_held_against_the_list_of_the_wheel() {
    let folder = Folder::new();
    folder.install("thing", "1", &[("thing/x.py", "1"), ("thing/y.py", "1")]);
    folder.write("thing-1.dist-info/INSTALLER", "conda\n");
    folder.write("thing/x.py", "with a longer prefix");
    fs::remove_file(folder.site().join("thing/y.py")).unwrap();
    let (installed, _) = folder.read();
    let list = files(&installed, "thing");
    assert_eq!(
        (list.listed, list.missing_count, list.changed_count),
        (4, 0, 0)
    );
}

#[test]
fn a_source_tree_that_lost_its_code_is_told_although_the_project_is_there() {
    let folder = Folder::new();
    let here = folder.root.path().display().to_string();
    let gone = format!("{here}/project/src");
    let finder = "import __editable___code_finder; __editable___code_finder.install()";
    for (name, line) in [("code", finder), ("gone", &gone), ("there", &here)] {
        let path = format!("__editable__.{name}-1.pth");
        folder.install(name, "1", &[(&path, line)]);
        folder.write(
            &format!("{name}-1.dist-info/direct_url.json"),
            &format!(r#"{{"dir_info": {{"editable": true}}, "url": "file://{here}"}}"#),
        );
    }
    let (installed, _) = folder.read();
    let lost = installed.distributions.iter().map(|it| &it.lost_source);
    assert_eq!(lost.collect::<Vec<_>>(), [&None, &Some(gone), &None]);
}

#[test]
fn installs_from_a_source_tree_in_place_are_marked() {
    let folder = Folder::new();
    folder.install("one", "1", &[("__editable__.one-1.pth", "/src/one")]);
    folder.install("two", "1", &[]);
    folder.write(
        "two-1.dist-info/direct_url.json",
        r#"{"dir_info": {"editable": true}, "url": "file:///x"}"#,
    );
    folder.install("three", "1", &[("three.py", "")]);
    folder.write(
        "three-1.dist-info/direct_url.json",
        r#"{"dir_info": {}, "url": "file:///x"}"#,
    );
    let (installed, _) = folder.read();
    let editable = installed
        .distributions
        .iter()
        .map(|of| (of.name.as_str(), of.editable));
    assert_eq!(
        editable.collect::<Vec<_>>(),
        [("one", true), ("three", false), ("two", true)]
    );
}
