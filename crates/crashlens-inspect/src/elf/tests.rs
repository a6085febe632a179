//! Real files, whole and damaged in every way that is cheap to try.

use std::path::PathBuf;

use super::exports::{Collected, Namespace};
use super::*;
use crate::elf::fingerprint::{openmp, protobuf_version};

const SMALL: &[u8] = include_bytes!("../../fixtures/elf/small.so");

fn small() -> ElfFile {
    from_source(&SMALL).unwrap()
}

/// A library that this process runs with.
fn mapped(name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let paths = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    paths
        .map(PathBuf::from)
        .find(|path| path.file_name().is_some_and(|file| file == name))
}

#[test]
fn a_module_is_read_whole() {
    let file = small();
    assert_eq!(file.architecture, "x86-64");
    assert!(file.is_shared && file.is_python_module);
    assert_eq!(file.soname.as_deref(), Some("libsmall.so.1"));
    assert_eq!(file.needed, ["libm.so.6", "libc.so.6"]);
    assert_eq!(file.runpath, ["$ORIGIN", "$ORIGIN/../small.libs"]);
    assert_eq!(file.version_definitions, ["SMALL_0", "SMALL_1", "SMALL_2"]);
    assert_eq!(file.static_tls, Some(56));
    assert_eq!(file.cpu.levels, ["x86-64-v2"]);
    assert_eq!((file.truncation, file.unread), (None, Vec::new()));
    let numpy = file.numpy.unwrap();
    assert!(numpy.old && numpy.new && !numpy.old_pybind11);
    let needs = &file.version_needs[0];
    assert_eq!(
        (needs.library.as_str(), needs.version.as_str()),
        ("libm.so.6", "GLIBC_2.2.5")
    );
}

#[test]
fn what_a_module_needs_has_versions_and_may_be_weak() {
    let mut undefined = small().undefined;
    undefined.sort_by(|one, other| one.name.cmp(&other.name));
    let told: Vec<_> = undefined
        .iter()
        .map(|symbol| {
            (
                symbol.name.as_str(),
                symbol.version.as_deref(),
                symbol.is_weak,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("PyModule_Create2", None, false),
            ("cos", Some("GLIBC_2.2.5"), false),
            ("may_be_missing", None, true)
        ]
    );
}

#[test]
fn symbols_are_bound_by_version_as_the_loader_binds_them() {
    let exported = small().exported;
    assert!(exported.contains("answer") && exported.contains("plain"));
    assert!(!exported.contains("old_answer") && !exported.contains("cos"));
    assert!(exported.contains_version("answer", "SMALL_1"));
    assert!(exported.contains_version("answer", "SMALL_2"));
    assert!(!exported.contains_version("answer", "SMALL_3"));
    assert!(!exported.contains_version("plain", "SMALL_1"));
}

#[test]
fn a_symbol_without_a_version_answers_to_every_version() {
    let mut collected = Collected::default();
    collected.add(&b"unversioned"[..].into(), true);
    collected.add(&b"versioned"[..].into(), false);
    collected.add_versioned(&b"versioned"[..].into(), "V1");
    let exported = collected.finish();
    assert!(exported.contains_version("unversioned", "ANY"));
    assert!(exported.contains_version("versioned", "V1"));
    assert!(!exported.contains_version("versioned", "V2"));
}

#[test]
fn the_running_test_and_its_c_library_are_read() {
    let program = read(&std::env::current_exe().unwrap()).unwrap();
    assert!(program.interpreter.is_some_and(|path| path.contains("ld-")));
    assert!(program.needed.iter().any(|name| name == "libc.so.6"));
    let Some(path) = mapped("libc.so.6") else {
        return;
    };
    let libc = read(&path).unwrap();
    assert_eq!(libc.unread, Vec::<String>::new());
    assert!(libc.exported.contains("malloc") && libc.exported.len() > 1500);
    assert!(!libc.exported.contains_version("malloc", "GLIBC_99"));
    let wanted = program
        .undefined
        .iter()
        .filter(|symbol| symbol.name == "malloc");
    let versions: Vec<_> = wanted
        .filter_map(|symbol| symbol.version.as_deref())
        .collect();
    assert!(
        versions
            .iter()
            .all(|version| libc.exported.contains_version("malloc", version))
    );
}

#[test]
fn a_file_cut_anywhere_is_told_and_never_believed_whole() {
    let loaded = 0xe00 + 0x210;
    for length in 0..SMALL.len() {
        match from_source(&&SMALL[..length]) {
            Ok(file) if length < loaded => {
                let cut = file
                    .truncation
                    .unwrap_or_else(|| panic!("whole at {length}"));
                assert_eq!(cut.present, length as u64);
                assert!(cut.promised > cut.present);
            }
            Ok(file) => assert_eq!(file.exported, small().exported, "at {length}"),
            Err(ElfError::NotElf(_)) => assert!(length < 4, "at {length}"),
            Err(ElfError::CutShort(cut)) => assert!(length < 64 && cut.present == length as u64),
            Err(error) => panic!("{error} at {length}"),
        }
    }
}

#[test]
fn a_file_with_any_byte_changed_is_read_or_refused() {
    for at in 0..SMALL.len() {
        let mut damaged = SMALL.to_vec();
        damaged[at] ^= 0xff;
        let source = damaged.as_slice();
        let _ = from_source(&source);
        let _ = vectors_of(&source);
    }
}

#[test]
fn without_section_headers_the_same_is_read() {
    let mut stripped = SMALL.to_vec();
    stripped[0x28..0x30].fill(0);
    stripped[0x3c..0x40].fill(0);
    let file = from_source(&stripped.as_slice()).unwrap();
    assert_eq!(file, small());
}

#[test]
fn other_machines_are_named() {
    let with_machine = |class: u8, endian: u8, machine: [u8; 2]| {
        let mut bytes = SMALL.to_vec();
        (bytes[4], bytes[5]) = (class, endian);
        bytes[18..20].copy_from_slice(&machine);
        from_source(&bytes.as_slice()).map(|file| file.architecture)
    };
    assert_eq!(with_machine(2, 1, [183, 0]).unwrap(), "aarch64");
    assert_eq!(with_machine(2, 1, [21, 0]).unwrap(), "ppc64le");
    assert_eq!(with_machine(2, 1, [0, 2]).unwrap(), "machine 512");
    let mut small_machine = vec![0; 52];
    small_machine[..6].copy_from_slice(b"\x7fELF\x01\x01");
    small_machine[18] = 3;
    let file = from_source(&small_machine.as_slice()).unwrap();
    assert_eq!(file.architecture, "x86");
}

#[test]
fn what_is_no_elf_file_is_called_by_its_name() {
    let told = |bytes: &[u8]| from_source(&bytes).unwrap_err().to_string();
    assert_eq!(told(b""), "it is empty");
    assert_eq!(told(b"/* GNU ld script */\nINPUT(libm.so.6)\n"), TEXT);
    assert_eq!(
        told(b"\xcf\xfa\xed\xfe\x07\x00\x00\x01"),
        "it is a library of macOS"
    );
    assert_eq!(told(&[0; 80]), "it begins with zeros");
    assert!(told(b"version https://git-lfs.github.com/spec/v1\noid").contains("never fetched"));
    assert_eq!(told(&[1, 2, 3, 4]), "it is no ELF file");
}

#[test]
fn namespaces_are_told_from_the_outermost_scope() {
    let told = |name: &str| Namespace::of(name.as_bytes());
    assert_eq!(told("_ZN4llvm9StringRef4findEv"), Namespace::Llvm);
    assert_eq!(told("_ZNK4mlir4Type7getFuncEv"), Namespace::Mlir);
    assert_eq!(told("_ZTVN6google8protobuf7MessageE"), Namespace::Protobuf);
    assert_eq!(told("_ZGVZN4absl5MutexC1EvE1x"), Namespace::Absl);
    assert_eq!(told("_ZNSt6vectorIN4llvm5ValueEE4pushEv"), Namespace::Other);
    assert_eq!(told("_ZN6google3LogEv"), Namespace::Other);
    assert_eq!(told("llvm"), Namespace::Other);
}

#[test]
fn shared_names_are_counted_by_namespace() {
    let of = |names: &[&str]| {
        let mut collected = Collected::default();
        for name in names {
            collected.add(&name.as_bytes().into(), true);
        }
        collected.finish()
    };
    let one = of(&["_ZN4llvm1aEv", "_ZN4mlir1bEv", "SSL_new", "mine"]);
    let framework = of(&["_ZN4llvm1aEv"]);
    let rest = of(&["_ZN4mlir1bEv", "SSL_new", "_ZN4llvm1aEv"]);
    let shared = one.shared_with(&[&framework, &rest]);
    let told: Vec<_> = shared
        .iter()
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    assert_eq!(told, [("llvm", 1), ("mlir", 1), ("other", 1)]);
}

#[test]
fn openmp_runtimes_are_told_apart_although_llvm_speaks_gnu() {
    let of = |names: &[&str]| {
        let mut collected = Collected::default();
        for name in names {
            collected.add(&name.as_bytes().into(), true);
        }
        collected.finish()
    };
    let llvm = of(&["__kmpc_fork_call", "GOMP_parallel"]);
    let gnu = of(&["GOMP_parallel"]);
    assert_eq!(openmp(&llvm, Some("libomp.so.5")), Some(OpenMp::Llvm));
    assert_eq!(openmp(&llvm, Some("libiomp5-1a2b.so")), Some(OpenMp::Intel));
    assert_eq!(
        openmp(&gnu, Some("libgomp-a34b3233.so.1.0.0")),
        Some(OpenMp::Gnu)
    );
    assert_eq!(openmp(&of(&["main"]), Some("libomp.so.5")), None);
}

#[test]
fn the_version_of_protocol_buffers_is_that_of_the_soname() {
    assert_eq!(protobuf_version(Some("libprotobuf.so.25.3.0")), "25.3.0");
    assert_eq!(protobuf_version(Some("libprotobuf.so.32")), "3.21");
    assert_eq!(protobuf_version(Some("libtensorflow_framework.so.2")), "");
}

#[test]
fn vector_instructions_are_counted_by_their_form() {
    let counts = vectors_of(&SMALL).unwrap().unwrap();
    assert!(counts.legacy > 0);
    assert_eq!(counts.vex, 0);
}
