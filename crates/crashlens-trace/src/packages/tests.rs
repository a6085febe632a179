use std::fs;

use crashlens_core::Address;
use tempfile::TempDir;

use super::*;

/// A `site-packages` folder with these files.
fn site(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("lib/python3.11/site-packages");
    for (path, contents) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    (root, folder)
}

fn module(path: String) -> Module {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    Module {
        name,
        path,
        start: Address(0),
        end: Address(0),
        bias: Address(0),
        build_id: None,
        package: None,
    }
}

fn metadata(name: &str, version: &str) -> String {
    format!(
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: x\n\nName: not this\n"
    )
}

fn owner(folder: &Path, relative: &str) -> Option<String> {
    let mut modules = [module(format!("{}/{relative}", folder.display()))];
    assign(&mut modules, &mut Gaps::default());
    modules[0]
        .package
        .as_ref()
        .map(|package| format!("{} {}", package.name, package.version))
}

#[test]
fn the_package_whose_record_lists_the_file_owns_it() {
    let (_root, folder) = site(&[
        (
            "tensorflow_cpu-2.15.1.dist-info/METADATA",
            &metadata("tensorflow-cpu", "2.15.1"),
        ),
        (
            "tensorflow_cpu-2.15.1.dist-info/RECORD",
            "../../../bin/tf,,\ntensorflow/libtensorflow_cc.so.2,sha256=x,5\n",
        ),
        (
            "tensorflow_estimator-2.15.0.dist-info/METADATA",
            &metadata("tensorflow-estimator", "2.15.0"),
        ),
        (
            "tensorflow_estimator-2.15.0.dist-info/RECORD",
            "tensorflow_estimator/__init__.py,,\n",
        ),
        (
            "numpy-1.26.4.dist-info/METADATA",
            &metadata("numpy", "1.26.4"),
        ),
        (
            "numpy-1.26.4.dist-info/RECORD",
            "numpy.libs/libopenblas64.so,sha256=x,5\nnumpy/core/_m.so,,\n",
        ),
        (
            "protobuf-4.25.9.dist-info/METADATA",
            &metadata("protobuf", "4.25.9"),
        ),
        (
            "protobuf-4.25.9.dist-info/RECORD",
            "google/_upb/_message.abi3.so,,\r\n\"google/a,b.so\",,\r\n",
        ),
        (
            "google_auth-2.0.dist-info/RECORD",
            "google/auth/__init__.py,,\n",
        ),
    ]);
    let cases = [
        (
            "tensorflow/libtensorflow_cc.so.2",
            Some("tensorflow-cpu 2.15.1"),
        ),
        ("numpy.libs/libopenblas64.so", Some("numpy 1.26.4")),
        ("numpy/core/_m.so (deleted)", Some("numpy 1.26.4")),
        ("google/_upb/_message.abi3.so", Some("protobuf 4.25.9")),
        ("google/a,b.so", Some("protobuf 4.25.9")),
        // Not installed by numpy, though in its folder.
        ("numpy/core/_made_later.so", None),
        ("flow/libtensorflow_cc.so.2", None),
    ];
    for (relative, expected) in cases {
        assert_eq!(owner(&folder, relative).as_deref(), expected, "{relative}");
    }
}

#[test]
fn without_a_list_the_folders_name_decides_if_it_means_one_package() {
    let (_root, folder) = site(&[
        (
            "numpy-1.24.2.dist-info/METADATA",
            &metadata("numpy", "1.24.2"),
        ),
        ("PyYAML-6.0.egg-info/PKG-INFO", &metadata("PyYAML", "6.0")),
        ("PyYAML-6.0.egg-info/top_level.txt", "_yaml\nyaml\n"),
        ("crcmod-1.7.egg-info", &metadata("crcmod", "1.7")),
        ("a-1.egg-info/top_level.txt", "shared\n"),
        ("b-1.egg-info/top_level.txt", "shared\n"),
        (
            "old-3.egg-info/installed-files.txt",
            "../old/_old.so\n../old/x.py\n",
        ),
    ]);
    let cases = [
        ("numpy/core/_m.so", Some("numpy 1.24.2")),
        (
            "yaml/_yaml.cpython-311-x86_64-linux-gnu.so",
            Some("PyYAML 6.0"),
        ),
        ("_yaml.cpython-311-x86_64-linux-gnu.so", Some("PyYAML 6.0")),
        ("crcmod/_crcfunext.so", Some("crcmod 1.7")),
        ("shared/x.so", None),
        ("stranger/x.so", None),
        ("old/_old.so", Some("old 3")),
    ];
    for (relative, expected) in cases {
        assert_eq!(owner(&folder, relative).as_deref(), expected, "{relative}");
    }
}

#[test]
fn modules_outside_package_folders_have_no_package_and_missing_folders_are_a_gap() {
    let mut modules = [
        module("/usr/lib/python3.11/lib-dynload/_ssl.so".into()),
        module("/usr/lib/libc.so.6".into()),
        module("[vdso]".into()),
        module("/nowhere/site-packages/a/b.so".into()),
        module("/nowhere/site-packages/a/c.so".into()),
        module("/nowhere/site-packages/".into()),
    ];
    let mut gaps = Gaps::default();
    assign(&mut modules, &mut gaps);
    assert!(modules.iter().all(|module| module.package.is_none()));
    assert_eq!(gaps.0.len(), 1);
    assert_eq!(gaps.0[0].part, "packages in /nowhere/site-packages/");
}

#[test]
fn damaged_metadata_falls_back_on_the_folders_name() {
    let (_root, folder) = site(&[
        ("x_y-1.2.dist-info/METADATA", "\nName: late\n"),
        ("x_y-1.2.dist-info/RECORD", "xy/a.so,,\n"),
    ]);
    assert_eq!(owner(&folder, "xy/a.so").as_deref(), Some("x_y 1.2"));
}
