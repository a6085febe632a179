//! What is read of packages after a crash.

use super::*;
use crate::Loaded;

/// A folder with a package of which a library was loaded, and another one.
fn two_packages() -> Folder {
    let folder = Folder::new();
    let of = |name: &str| {
        let path = |file: &str| format!("{name}/{file}");
        let files = ["__init__.py", "_native.so", "used.py", "api.h", "data.bin"].map(path);
        let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "text")).collect();
        folder.install(name, "1.0", &files);
    };
    of("loaded");
    of("other");
    folder
}

fn after_crash(folder: &Folder, files: &[&str]) -> (Installed, Gaps) {
    let files = files.iter().map(|file| folder.site().join(file));
    folder.ask(&Question {
        only: Some(Loaded {
            files: files.collect(),
            ..Loaded::default()
        }),
        ..Question::default()
    })
}

fn remove(folder: &Folder, files: &[&str]) {
    for file in files {
        fs::remove_file(folder.site().join(file)).unwrap();
    }
}

#[test]
fn files_of_a_package_that_was_not_loaded_are_not_known_to_be_whole() {
    let folder = two_packages();
    remove(
        &folder,
        &["loaded/used.py", "other/used.py", "other/_native.so"],
    );
    let (installed, gaps) = after_crash(&folder, &["loaded/_native.so"]);
    let (loaded, other) = (files(&installed, "loaded"), files(&installed, "other"));
    assert_eq!((loaded.missing_count, loaded.native_only), (1, None));
    // Of the native file the loader may have to say something; nothing else was looked at.
    assert_eq!(other.missing_count, 1);
    assert!(other.missing[0].ends_with("other/_native.so"));
    let gap = other.native_only.unwrap();
    assert!(gaps.0[gap.0].remedy.as_ref().unwrap().contains("check"));
    assert_eq!(other.top, ["other"]);
}

#[test]
fn a_loaded_package_that_lacks_something_is_compared_as_a_check_does() {
    let folder = two_packages();
    remove(&folder, &["loaded/api.h"]);
    let (installed, gaps) = after_crash(&folder, &["loaded/_native.so"]);
    let list = files(&installed, "loaded");
    assert!(gaps.0.iter().any(|gap| gap.part.starts_with("headers")));
    // No process reads a header: that it is gone is left to `check`, and it is not counted as compared.
    assert_eq!((list.listed, list.missing_count), (6, 0));
    folder.write("loaded/data.bin", "");
    let (installed, _) = after_crash(&folder, &["loaded/_native.so"]);
    let (whole, _) = folder.read();
    let list = files(&installed, "loaded");
    assert_eq!((list.missing_count, list.changed_count), (1, 1));
    assert_eq!(list, files(&whole, "loaded"));
}

#[test]
fn packages_with_a_name_or_a_folder_in_common_are_compared_whole() {
    let folder = two_packages();
    folder.install(
        "loaded-gpu",
        "1.0",
        &[("loaded/used.py", "else"), ("a.pyi", "a")],
    );
    folder.install("Loaded", "2.0", &[("b.py", "b"), ("b.pyi", "b")]);
    remove(&folder, &["loaded/api.h", "a.pyi", "b.pyi"]);
    let (installed, _) = after_crash(&folder, &["loaded/_native.so"]);
    let (whole, _) = folder.read();
    for name in ["loaded", "loaded-gpu", "Loaded"] {
        assert_eq!(files(&installed, name), files(&whole, name));
        assert_eq!(files(&installed, name).missing_count, 1, "{name}");
    }
    assert!(files(&installed, "other").native_only.is_some());
}

#[test]
fn a_package_that_is_known_to_have_been_loaded_is_compared_without_a_listed_library() {
    let folder = two_packages();
    let question = Question {
        only: Some(Loaded {
            packages: ["Other".to_owned()].into(),
            ..Loaded::default()
        }),
        ..Question::default()
    };
    let (installed, _) = folder.ask(&question);
    assert_eq!(files(&installed, "other").native_only, None);
    assert!(files(&installed, "loaded").native_only.is_some());
}

#[test]
fn native_files_that_the_loader_may_find_are_known_without_a_walk() {
    let folder = two_packages();
    folder.write("loaded/nobodys.so", "text");
    folder.write("loaded/nobodys_too.so", "text");
    let (installed, _) = after_crash(&folder, &["loaded/_native.so", "loaded/nobodys.so"]);
    let owned = |path: &str, owner: &str| (path.to_owned(), owner.to_owned());
    assert_eq!(
        owners(&installed, &folder.site()),
        [
            owned("loaded/_native.so", "loaded"),
            owned("loaded/nobodys.so", ""),
            owned("other/_native.so", "other"),
        ]
    );
}

#[test]
fn generated_modules_of_every_package_are_known_because_protobuf_may_refuse_them() {
    let folder = Folder::new();
    let module = "from google.protobuf.internal import builder as _builder\n";
    folder.install("other", "1.0", &[("other/a_pb2.py", module)]);
    let (installed, _) = after_crash(&folder, &[]);
    assert_eq!(
        installed.distributions[0].gencode.as_ref().unwrap().version,
        "3.20"
    );
}
