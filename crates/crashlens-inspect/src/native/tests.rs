use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::{Loaded, Silent};

const SMALL: &[u8] = include_bytes!("../../fixtures/elf/small.so");

fn python() -> Interpreter {
    Interpreter {
        version: "3.11.7".to_owned(),
        architecture: Observed::Known("x86-64".to_owned()),
        ..Interpreter::default()
    }
}

fn installed(folder: &Path, names: &[&str]) -> Installed {
    Installed {
        native: names.iter().map(|name| (folder.join(name), None)).collect(),
        ..Installed::default()
    }
}

fn read_all(installed: &Installed, question: &Question, gaps: &mut Gaps) -> Vec<NativeFile> {
    let none = Observed::Absent;
    read(&python(), installed, &none, question, &Silent, gaps)
}

fn tag(name: &str, is_module: bool) -> Option<(String, bool)> {
    let extension = extension::of(name, is_module, &python())?;
    Some((extension.tag, extension.is_importable))
}

#[test]
fn modules_of_this_and_of_other_pythons_are_told_by_their_names() {
    let own = "cpython-311-x86_64-linux-gnu";
    assert_eq!(
        tag(&format!("a.{own}.so"), true),
        Some((own.to_owned(), true))
    );
    assert_eq!(tag("a.abi3.so", true), Some(("abi3".to_owned(), true)));
    assert_eq!(tag("a.so", true), Some((String::new(), true)));
    assert_eq!(tag("liba.so", false), None);
    assert_eq!(tag("liba.1.so", true), None);
    assert_eq!(tag("liba.so.1", false), None);
    for other in [
        "cpython-310-x86_64-linux-gnu",
        "cpython-311-aarch64-linux-gnu",
        "pypy39-pp73",
    ] {
        assert_eq!(
            tag(&format!("a.{other}.so"), false),
            Some((other.to_owned(), false))
        );
    }
}

#[test]
fn rubbish_in_the_place_of_libraries_is_told_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a_empty.so"), "").unwrap();
    fs::write(at("b_garbage.so"), [0xde; 5000]).unwrap();
    fs::write(at("c_script.so"), "INPUT(-lm)\n").unwrap();
    fs::write(at("d_cut.so"), &SMALL[..2000]).unwrap();
    symlink(at("e_loop.so"), at("e_loop.so")).unwrap();
    fs::create_dir(at("f_folder.so")).unwrap();
    fs::write(at("g_good.so"), SMALL).unwrap();
    let names = [
        "g_good.so",
        "f_folder.so",
        "e_loop.so",
        "d_cut.so",
        "c_script.so",
        "b_garbage.so",
        "a_empty.so",
    ];
    let mut gaps = Gaps::default();
    let files = read_all(
        &installed(folder.path(), &names),
        &Question::default(),
        &mut gaps,
    );

    let known: Vec<_> = files
        .iter()
        .map(|file| (file.name(), file.architecture.known().is_some()))
        .collect();
    assert_eq!(
        known,
        [
            ("a_empty.so", false),
            ("b_garbage.so", false),
            ("c_script.so", false),
            ("d_cut.so", true),
            ("e_loop.so", false),
            ("f_folder.so", false),
            ("g_good.so", true)
        ]
    );
    assert_eq!(files[2].architecture, Observed::Absent);
    assert_eq!(files[3].truncation.unwrap().present, 2000);
    assert!(files[6].extension.as_ref().unwrap().is_importable);
    let of = |name: &str| gaps.0.iter().find(|gap| gap.part.ends_with(name));
    assert_eq!(of("a_empty.so").unwrap().reason, "it is empty");
    assert!(of("c_script.so").is_none());
    assert!(
        of("f_folder.so")
            .unwrap()
            .reason
            .contains("not a regular file")
    );
}

#[test]
fn a_thousand_broken_files_do_not_make_a_thousand_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..1000).map(|number| format!("{number:04}.so")).collect();
    for name in &names {
        fs::write(folder.path().join(name), "\x01\x02").unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut gaps = Gaps::default();
    let files = read_all(
        &installed(folder.path(), &names),
        &Question::default(),
        &mut gaps,
    );
    assert_eq!(files.len(), 1000);
    assert!(gaps.0.len() < 60, "{}", gaps.0.len());
}

#[test]
fn a_link_to_another_listed_file_is_the_same_library() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("liba.so.2"), SMALL).unwrap();
    symlink("liba.so.2", folder.path().join("liba.so")).unwrap();
    // The folder may itself be reached through a link.
    let real = fs::canonicalize(folder.path()).unwrap();
    let installed = installed(&real, &["liba.so", "liba.so.2"]);
    let files = read_all(&installed, &Question::default(), &mut Gaps::default());
    let names: Vec<_> = files.iter().map(NativeFile::name).collect();
    assert_eq!(names, ["liba.so.2"]);
}

#[test]
fn only_what_is_asked_for_is_read_and_progress_is_told() {
    #[derive(Default)]
    struct Counted(AtomicU64, AtomicU64);
    impl Progress for Counted {
        fn begin(&self, files: u64) {
            self.0.store(files, Ordering::Relaxed);
        }
        fn advance(&self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.so", "b.so", "c.so"] {
        fs::write(folder.path().join(name), SMALL).unwrap();
    }
    let question = Question {
        only: Some(Loaded {
            files: ["a.so", "c.so", "elsewhere.so"]
                .iter()
                .map(|name| folder.path().join(name))
                .collect(),
            ..Loaded::default()
        }),
        ..Question::default()
    };
    let counted = Counted::default();
    let installed = installed(folder.path(), &["a.so", "b.so", "c.so"]);
    let files = read(
        &python(),
        &installed,
        &Observed::Absent,
        &question,
        &counted,
        &mut Gaps::default(),
    );
    assert_eq!(files.len(), 2);
    assert_eq!((counted.0.into_inner(), counted.1.into_inner()), (2, 2));
}

#[test]
fn names_shared_with_a_global_tensorflow_are_counted_outside_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let tensorflow = folder.path().join("tensorflow");
    fs::create_dir(&tensorflow).unwrap();
    for path in [
        "tensorflow/libtensorflow_cc.so.2",
        "tensorflow/own.so",
        "other.so",
    ] {
        fs::write(folder.path().join(path), SMALL).unwrap();
    }
    let names = [
        "other.so",
        "tensorflow/libtensorflow_cc.so.2",
        "tensorflow/own.so",
    ];
    let shared = |loads_globally, only: Option<PathBuf>| {
        let traits = TensorflowTraits {
            folder: tensorflow.display().to_string(),
            loads_globally,
            ..TensorflowTraits::default()
        };
        let question = Question {
            only: only.map(|path| Loaded {
                files: [path].into(),
                ..Loaded::default()
            }),
            ..Question::default()
        };
        let installed = installed(folder.path(), &names);
        let traits = Observed::Known(traits);
        let files = read(
            &python(),
            &installed,
            &traits,
            &question,
            &Silent,
            &mut Gaps::default(),
        );
        let counts = files
            .into_iter()
            .map(|file| file.shared_with_tensorflow.values().sum());
        counts.collect::<Vec<u64>>()
    };
    assert_eq!(shared(true, None), [6, 0, 0]);
    assert_eq!(shared(true, Some(folder.path().join("other.so"))), [6]);
    assert_eq!(shared(false, None), [0, 0, 0]);
}
