//! The loader's decisions on made-up libraries.

mod machine;

use crashlens_core::survey::{Distribution, Link};

use machine::{Machine, PYTHON};

fn missing(link: &Link) -> Vec<&str> {
    let symbols = link.missing_symbols.iter();
    symbols.map(|symbol| symbol.name.as_str()).collect()
}

#[test]
fn a_module_is_bound_to_the_interpreter_the_c_library_and_what_it_needs() {
    let mut machine = Machine::new();
    machine.package(
        "a/m.so",
        "needs liba.so\nrunpath $ORIGIN/../a.libs\nwants PyList_New\nwants malloc@GLIBC_2.34\nwants f\nwants? maybe\nwants __tls_get_addr",
    );
    machine.package("a.libs/liba.so", "soname liba.so\nhas f");
    assert_eq!(machine.link("a/m.so"), Link::default());
}

#[test]
fn a_symbol_that_nothing_in_reach_defines_is_named_with_a_file_that_has_it() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "wants _ZN3foo3barEv\nwants PyList_Gone");
    machine.package("b/n.so", "has _ZN3foo3barEv");
    let link = machine.link("a/m.so");
    assert_eq!(link.missing_symbol_count, 2);
    let foo = &link.missing_symbols[0];
    assert_eq!(foo.demangled.as_deref(), Some("foo::bar()"));
    assert_eq!(foo.defined_in.as_deref(), Some("/venv/site/b/n.so"));
    assert_eq!(link.missing_symbols[1].defined_in, None);
    assert_eq!(link.missing_symbols[1].demangled, None);
}

#[test]
fn a_library_may_be_bound_to_what_another_one_of_the_same_opening_defines() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs liba.so\nneeds libb.so\nrunpath $ORIGIN");
    machine.package(
        "a/liba.so",
        "soname liba.so\nwants in_b\nwants in_m\nwants nowhere",
    );
    machine.package("a/libb.so", "soname libb.so\nhas in_b\nneeds libb.so");
    assert_eq!(missing(&machine.link("a/m.so")), ["in_m", "nowhere"]);
    assert_eq!(
        missing(&machine.link("a/liba.so")),
        ["in_b", "in_m", "nowhere"]
    );
}

#[test]
fn folders_of_an_rpath_hold_for_the_libraries_of_libraries_and_those_of_a_runpath_do_not() {
    let mut machine = Machine::new();
    for (kind, found) in [("rpath", true), ("runpath", false)] {
        machine.package("a/m.so", &format!("needs liba.so\n{kind} $ORIGIN/lib"));
        machine.write(
            "/venv/site/a/lib/liba.so",
            "soname liba.so\nneeds libdeep.so",
        );
        machine.write("/venv/site/a/lib/libdeep.so", "soname libdeep.so");
        let link = machine.link("a/m.so");
        assert_eq!(link.missing_libraries.is_empty(), found, "{kind}");
        machine.files.clear();
    }
}

#[test]
fn a_missing_library_is_named_with_the_file_that_needs_it_and_symbols_are_left_open() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs liba.so\nrunpath $ORIGIN\nwants f");
    machine.package("a/liba.so", "soname liba.so\nneeds libgone.so.1");
    let link = machine.link("a/m.so");
    assert_eq!(link.missing_libraries.len(), 1);
    assert_eq!(link.missing_libraries[0].name, "libgone.so.1");
    assert_eq!(link.missing_libraries[0].needed_by, "/venv/site/a/liba.so");
    assert!(link.missing_symbols.is_empty());
}

#[test]
fn a_library_that_a_required_package_has_is_taken_to_be_loaded() {
    let mut machine = Machine::new();
    machine.package("vision/_C.so", "needs libtorch.so\nwants at_add");
    machine.package(
        "torch/lib/libtorch.so",
        "soname libtorch.so\nhas at_add\nneeds libc10.so",
    );
    machine.package("torch/lib/libc10.so.real", "soname libc10.so");
    machine.package("other/libomp.so", "soname libomp.so");
    machine.package("lonely/m.so", "needs libomp.so");
    machine.distributions = [
        ("vision", "torch (==1.0)"),
        ("torch", ""),
        ("lonely", ""),
        ("other", ""),
    ]
    .map(|(name, requires)| Distribution {
        name: name.to_owned(),
        requires: vec![requires.to_owned()],
        ..Distribution::default()
    })
    .to_vec();
    let link = machine.link("vision/_C.so");
    assert!(link.missing_libraries.is_empty(), "{link:?}");
    let before: Vec<_> = link
        .opened_before
        .iter()
        .map(|one| one.path.as_str())
        .collect();
    assert_eq!(
        before,
        [
            "/venv/site/torch/lib/libc10.so.real",
            "/venv/site/torch/lib/libtorch.so"
        ]
    );
    let lonely = machine.link("lonely/m.so");
    assert_eq!(
        lonely.missing_libraries[0].elsewhere.as_deref(),
        Some("/venv/site/other/libomp.so")
    );
}

#[test]
fn a_version_that_the_library_found_lacks_is_missing_and_one_without_versions_is_taken() {
    let mut machine = Machine::new();
    machine.write(
        "/lib64/libstdc++.so.6",
        "soname libstdc++.so.6\ndefines GLIBCXX_3.4.9\ndefines GLIBCXX_3.4.30",
    );
    machine.write("/lib64/libplain.so", "soname libplain.so\nhas f");
    machine.package(
        "a/m.so",
        "needs libstdc++.so.6\nneeds libplain.so\nasks libstdc++.so.6 GLIBCXX_3.4.32\nasks libplain.so V1\nwants f@V1",
    );
    let link = machine.link("a/m.so");
    assert_eq!(link.missing_versions.len(), 1);
    let version = &link.missing_versions[0];
    assert_eq!(version.version, "GLIBCXX_3.4.32");
    assert_eq!(version.found, "/lib64/libstdc++.so.6");
    assert_eq!(version.newest.as_deref(), Some("GLIBCXX_3.4.30"));
}

#[test]
fn the_library_path_wins_over_a_runpath_and_the_shadowed_file_is_named() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs liba.so\nrunpath $ORIGIN/../a.libs");
    machine.package("a.libs/liba.so", "soname liba.so");
    assert!(machine.link("a/m.so").shadowed.is_empty());
    machine.write("/shadow/liba.so", "soname liba.so");
    machine.set("LD_LIBRARY_PATH", "/shadow");
    let link = machine.link("a/m.so");
    assert_eq!(link.shadowed.len(), 1);
    assert_eq!(link.shadowed[0].found, "/shadow/liba.so");
    assert_eq!(link.shadowed[0].bundled, "/venv/site/a.libs/liba.so");
    assert_eq!(link.shadowed[0].by, "LD_LIBRARY_PATH");
}

#[test]
fn a_library_of_the_library_path_that_lacks_what_the_systems_has_is_named() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs libz.so.1\nneeds libb.so\nwants inflate");
    machine.write("/lib64/libz.so.1", "soname libz.so.1\nhas inflate");
    machine.write("/stubs/libz.so.1", "soname libz.so.1");
    machine.write("/stubs/libb.so", "soname libb.so");
    machine.set("LD_LIBRARY_PATH", "/stubs");
    let link = machine.link("a/m.so");
    assert_eq!(missing(&link), ["inflate"]);
    assert_eq!(link.lacking_by_library_path, ["/stubs/libz.so.1"]);
    machine.write("/lib64/libz.so.1", "soname libz.so.1");
    assert!(machine.link("a/m.so").lacking_by_library_path.is_empty());
}

#[test]
fn a_library_path_that_leads_to_the_bundled_file_itself_shadows_nothing() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs liba.so\nrunpath $ORIGIN/../a.libs");
    machine.package("a.libs/liba.so", "soname liba.so");
    machine.set("LD_LIBRARY_PATH", "/venv/site/a.libs");
    assert!(machine.link("a/m.so").shadowed.is_empty());
}

#[test]
fn a_preloaded_library_takes_the_symbols_of_a_bundled_one_of_another_name() {
    let mut machine = Machine::new();
    machine.package(
        "h5/m.so",
        "needs libhdf5-1b2c.so\nrunpath $ORIGIN\nwants H5open\nwants malloc",
    );
    machine.package("h5/libhdf5-1b2c.so", "soname libhdf5-1b2c.so\nhas H5open");
    machine.write("/lib64/libhdf5.so.103", "soname libhdf5.so.103\nhas H5open");
    machine.write(
        "/lib64/libjemalloc.so.2",
        "soname libjemalloc.so.2\nhas malloc",
    );
    machine.set("LD_PRELOAD", "libjemalloc.so.2:libnotthere.so");
    assert!(machine.link("h5/m.so").shadowed.is_empty());
    machine.set("LD_PRELOAD", "libhdf5.so.103 libjemalloc.so.2");
    let link = machine.link("h5/m.so");
    assert_eq!(link.shadowed.len(), 1);
    assert_eq!(link.shadowed[0].found, "/lib64/libhdf5.so.103");
    assert_eq!(link.shadowed[0].by, "LD_PRELOAD");
}

#[test]
fn a_plugin_is_held_against_the_tensorflow_that_is_installed() {
    let mut machine = Machine::new();
    machine.package(
        "tensorflow/libtensorflow_framework.so.2",
        "soname libtensorflow_framework.so.2\nhas _ZN10tensorflow2OpEv",
    );
    machine.package(
        "tensorflow/libtensorflow_cc.so.2",
        "soname libtensorflow_cc.so.2\nhas _ZN10tensorflow2CcEv",
    );
    let op = "needs libtensorflow_framework.so.2\nwants _ZN10tensorflow2OpEv\nwants _ZN10tensorflow2CcEv";
    machine.package("ops/_op.so", op);
    machine.package("ops/_unlinked.so", "wants TF_VLog");
    let link = machine.link("ops/_op.so");
    assert!(link.into_tensorflow);
    assert_eq!(missing(&link), ["_ZN10tensorflow2CcEv"]);
    assert!(machine.link("ops/_unlinked.so").into_tensorflow);
    // One that makes its symbols global lends those of its other library too.
    machine.write(
        "/venv/site/tensorflow/python/pywrap_dlopen_global_flags.py",
        "",
    );
    assert_eq!(machine.link("ops/_op.so").missing_symbol_count, 0);
}

#[test]
fn a_file_of_another_architecture_is_passed_by_and_one_that_is_no_library_stops_the_search() {
    let mut machine = Machine::new();
    machine.package(
        "a/m.so",
        "needs liba.so\nrunpath $ORIGIN/x\nrunpath $ORIGIN/y",
    );
    machine.write("/venv/site/a/x/liba.so", "architecture aarch64");
    machine.write("/venv/site/a/y/liba.so", "soname liba.so");
    assert!(machine.link("a/m.so").missing_libraries.is_empty());
    machine.write("/venv/site/a/x/liba.so", "garbage");
    let link = machine.link("a/m.so");
    let broken = link.missing_libraries[0].broken.as_deref();
    assert_eq!(broken, Some("/venv/site/a/x/liba.so"));
}

#[test]
fn a_library_of_the_system_that_is_cut_short_or_a_folder_stops_the_search() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs liba.so\nneeds libb.so\nwants gone");
    machine.write("/usr/lib/liba.so", "soname liba.so");
    machine.write("/usr/lib/libb.so", "soname libb.so\ncut");
    let link = machine.link("a/m.so");
    assert_eq!(link.missing_libraries.len(), 1);
    let broken = link.missing_libraries[0].broken.as_deref();
    assert_eq!(broken, Some("/usr/lib/libb.so"));
    assert!(missing(&link).is_empty());

    machine.write("/usr/lib/libb.so", "soname libb.so");
    machine.write("/lib/liba.so/file", "");
    let link = machine.link("a/m.so");
    let broken = link.missing_libraries[0].broken.as_deref();
    assert_eq!(broken, Some("/lib/liba.so"));
}

#[test]
fn libraries_that_need_each_other_and_links_to_one_file_are_loaded_once() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "needs liba.so\nneeds liba.so.1\nrunpath $ORIGIN");
    machine.package(
        "a/liba.so.1",
        "soname liba.so.1\nneeds m.so\nneeds liba.so\nrunpath $ORIGIN",
    );
    let folder = machine.root.path().join("venv/site/a");
    std::os::unix::fs::symlink("liba.so.1", folder.join("liba.so")).unwrap();
    std::os::unix::fs::symlink("loop.so", folder.join("loop.so")).unwrap();
    machine.package("a/looped.so", "needs loop.so\nrunpath $ORIGIN");
    assert_eq!(machine.link("a/m.so"), Link::default());
    assert_eq!(machine.link("a/looped.so").missing_libraries.len(), 1);
}

#[test]
fn nothing_is_said_of_files_under_another_c_library() {
    let mut machine = Machine::new();
    machine.package("a/m.so", "wants nowhere");
    machine.write(
        "/opt/python",
        "interpreter /lib/ld-musl-x86_64.so.1\nneeds libc.so",
    );
    let (link, gaps) = machine.observe("a/m.so");
    assert!(link.is_unknown());
    assert!(gaps.0[0].reason.contains("ld-musl-x86_64.so.1"));
}

#[test]
fn an_executable_with_an_rpath_lends_it_to_every_search_as_conda_has_it() {
    let mut machine = Machine::new();
    machine.write("/opt/python", &format!("{PYTHON}\nrpath $ORIGIN/condalib"));
    machine.write(
        "/opt/condalib/libstdc++.so.6",
        "soname libstdc++.so.6\nhas f",
    );
    machine.package("a/m.so", "needs libstdc++.so.6\nwants f");
    assert_eq!(machine.link("a/m.so"), Link::default());
}
