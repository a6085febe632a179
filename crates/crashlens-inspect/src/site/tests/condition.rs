//! In what condition the files of a package are.

use std::os::unix::fs::PermissionsExt;

use crashlens_core::survey::PackageTool;

use super::*;

fn files_of(installed: &Installed) -> &FileList {
    files(installed, "thing")
}

fn files_missing(installed: &Installed) -> Vec<&str> {
    let missing = files_of(installed).missing.iter();
    missing.filter_map(|path| path.rsplit('/').next()).collect()
}

#[test]
fn a_module_whose_bytecode_is_in_place_of_its_source_is_not_missing() {
    let folder = Folder::new();
    let files = ["thing/__init__.py", "thing/whole.py", "thing/emptied.py"];
    folder.install("thing", "1.0", &files.map(|path| (path, "import x")));
    for path in files {
        fs::remove_file(folder.site().join(path)).unwrap();
        folder.write(&format!("{path}c"), "bytecode");
    }
    folder.write("thing/emptied.pyc", "");
    let (installed, _) = folder.read();
    assert_eq!(files_missing(&installed), ["emptied.py"]);
}

#[test]
fn a_package_whose_metadata_is_gone_is_still_there_to_be_imported() {
    let folder = Folder::new();
    folder.install("known", "1", &[("known/__init__.py", ""), ("six.py", "")]);
    folder.write("number/__init__.py", "");
    folder.write("alone.py", "");
    folder.write("_x.cpython-311-x86_64-linux-gnu.so", "");
    folder.write("emptied/left.txt", "");
    folder.write("notes.txt", "");
    let (installed, _) = folder.read();
    assert_eq!(installed.loose, ["_x", "alone", "number"]);
}

#[test]
fn what_installs_packages_is_told_by_what_is_there() {
    let folder = Folder::new();
    let tool = |said| folder.read().0.tool(said);
    assert_eq!(tool(PackageTool::Pip), PackageTool::Missing);
    assert_eq!(tool(PackageTool::Uv), PackageTool::Uv);
    folder.install("thing", "1", &[("thing.py", "")]);
    folder.write("thing-1.dist-info/INSTALLER", "uv\n");
    assert_eq!(tool(PackageTool::Pip), PackageTool::Uv);
    folder.install("pip", "24.0", &[("pip/__init__.py", "")]);
    assert_eq!(tool(PackageTool::Uv), PackageTool::Pip);
    assert_eq!(tool(PackageTool::Refused), PackageTool::Refused);
}

#[test]
fn a_module_that_was_cut_off_in_the_middle_of_a_line_is_told_from_one_that_was_edited() {
    let folder = Folder::new();
    let whole = "import os\nimport sys\n";
    let files = ["thing/cut.py", "thing/edited.py", "thing/grown.py"];
    folder.install("thing", "1", &files.map(|path| (path, whole)));
    folder.write("thing/cut.py", "import os\nimp");
    folder.write("thing/edited.py", "import os\n");
    folder.write("thing/grown.py", "import os\nimport sys\n\nimport re");
    let (installed, _) = folder.read();
    let changed = files_of(&installed).changed.iter();
    let cut: Vec<bool> = changed.map(|file| file.ends_within_line).collect();
    assert_eq!(cut, [true, false, false]);
}

#[test]
fn code_comes_first_among_what_is_not_as_listed() {
    let folder = Folder::new();
    let texts: Vec<String> = (0..30)
        .map(|number| format!("thing/{number}.txt"))
        .collect();
    let mut files: Vec<(&str, &str)> = texts.iter().map(|path| (path.as_str(), "1")).collect();
    files.push(("thing/x.so", "1"));
    folder.install("thing", "1", &files);
    for (path, _) in files {
        folder.write(path, "12");
    }
    let (installed, _) = folder.read();
    let list = files_of(&installed);
    assert_eq!((list.changed_count, list.changed.len()), (31, 20));
    assert!(list.changed[0].path.ends_with("x.so"));
}

#[test]
fn modules_that_may_not_be_read_are_counted() {
    let folder = Folder::new();
    let files = [
        "thing/__init__.py",
        "thing/_x.so",
        "thing/notes.txt",
        "thing/closed/y.py",
        "thing/tests/test_y.py",
    ];
    folder.install("thing", "1", &files.map(|path| (path, "1")));
    let forbid = |path: &str, mode: u32| {
        let path = folder.site().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for path in files {
        forbid(path, 0o200);
    }
    forbid("thing/closed", 0o200);
    let (installed, _) = folder.read();
    forbid("thing/closed", 0o700);
    let list = files_of(&installed);
    // Root may read everything, and then nothing is wrong.
    let expected = if fs::read(folder.site().join(files[0])).is_ok() {
        0
    } else {
        3
    };
    assert_eq!(
        (list.unreadable_count, list.unreadable.len()),
        (expected, expected as usize)
    );
}
