use std::fs;

use crashlens_core::MemoryGroup;
use tempfile::TempDir;

use super::*;

/// A machine in a folder.
fn machine(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, contents) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    root
}

fn group_of(root: &TempDir) -> Option<MemoryGroup> {
    control_group::find(root.path(), 7, Controller::Memory)
        .unwrap()
        .map(|group| memory_group::read(&group))
}

const V2_MOUNT: &str =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const V1_MOUNTS: &str = "\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro,nosuid master:16 - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";

#[test]
fn the_lowest_limit_on_the_way_up_counts_in_version_2() {
    let root = machine(&[
        ("proc/7/cgroup", "0::/user.slice/job/worker\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/user.slice/memory.max", "1000000\n"),
        ("sys/fs/cgroup/user.slice/job/memory.max", "500000\n"),
        ("sys/fs/cgroup/user.slice/job/worker/memory.max", "max\n"),
        (
            "sys/fs/cgroup/user.slice/job/worker/memory.current",
            "4096\n",
        ),
        ("sys/fs/cgroup/user.slice/job/worker/memory.peak", "8192\n"),
        (
            "sys/fs/cgroup/user.slice/job/worker/memory.events",
            "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 0\n",
        ),
    ]);
    let expected = MemoryGroup {
        version: 2,
        path: "/user.slice/job/worker".into(),
        limit: Some(500_000),
        usage: Some(4096),
        peak: Some(8192),
        oom_kills: Some(1),
        oom_kills_before: None,
    };
    assert_eq!(group_of(&root), Some(expected));
}

#[test]
fn a_level_without_the_controller_is_accounted_above() {
    let root = machine(&[
        ("proc/7/cgroup", "0::/job/inner\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/job/memory.current", "10\n"),
        ("sys/fs/cgroup/job/memory.max", "max\n"),
        ("sys/fs/cgroup/job/inner/cgroup.procs", "7\n"),
    ]);
    let group = group_of(&root).unwrap();
    assert_eq!(
        (group.limit, group.usage, group.peak, group.oom_kills),
        (None, Some(10), None, None)
    );
}

#[test]
fn version_1_in_a_container_beside_an_empty_version_2() {
    let root = machine(&[
        (
            "proc/7/cgroup",
            "4:memory:/docker/abc/inner\n2:cpu,cpuacct:/\n1:name=systemd:/x\n0::/\n",
        ),
        ("proc/self/mountinfo", V1_MOUNTS),
        (
            "sys/fs/cgroup/memory/inner/memory.limit_in_bytes",
            "9223372036854771712\n",
        ),
        (
            "sys/fs/cgroup/memory/inner/memory.stat",
            "cache 0\nhierarchical_memory_limit 2147483648\ntotal_rss 5\n",
        ),
        ("sys/fs/cgroup/memory/inner/memory.usage_in_bytes", "77\n"),
        (
            "sys/fs/cgroup/memory/inner/memory.max_usage_in_bytes",
            "99\n",
        ),
        (
            "sys/fs/cgroup/memory/inner/memory.oom_control",
            "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n",
        ),
    ]);
    let expected = MemoryGroup {
        version: 1,
        path: "/docker/abc/inner".into(),
        limit: Some(2_147_483_648),
        usage: Some(77),
        peak: Some(99),
        oom_kills: Some(4),
        oom_kills_before: None,
    };
    assert_eq!(group_of(&root), Some(expected));
}

#[test]
fn version_1_without_a_limit_has_none() {
    let root = machine(&[
        ("proc/7/cgroup", "4:memory:/docker/abc\n"),
        ("proc/self/mountinfo", V1_MOUNTS),
        (
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "9223372036854771712\n",
        ),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "77\n"),
    ]);
    assert_eq!(group_of(&root).unwrap().limit, None);
}

#[test]
fn no_accounting_is_absent_and_an_unseen_group_is_a_gap() {
    let root = machine(&[
        ("proc/7/cgroup", "0::/\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/cgroup.procs", ""),
    ]);
    assert_eq!(group_of(&root), None);
    let root = machine(&[
        ("proc/7/cgroup", "4:memory:/other\n"),
        ("proc/self/mountinfo", V1_MOUNTS),
    ]);
    assert!(control_group::find(root.path(), 7, Controller::Memory).is_err());
    let root = machine(&[
        ("proc/7/cgroup", "4:memory:/docker/abc/gone\n"),
        ("proc/self/mountinfo", V1_MOUNTS),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "77\n"),
    ]);
    assert!(
        control_group::find(root.path(), 7, Controller::Memory).is_err(),
        "the level above is another group"
    );
    let root = machine(&[
        ("proc/7/cgroup", "garbage\n:::\n\u{0}\n"),
        ("proc/self/mountinfo", "x\n - \n"),
    ]);
    assert_eq!(group_of(&root), None);
}

#[test]
fn processor_and_memory_are_read_from_their_first_lines() {
    let root = machine(&[
        (
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu sse2 avx2\nbugs\t\t: x\n\nprocessor\t: 1\nflags\t: none\n",
        ),
        (
            "proc/meminfo",
            "MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:   8192 kB\n",
        ),
    ]);
    let mut gaps = Gaps::default();
    let host = read_host(root.path(), 7, &mut gaps);
    assert_eq!(host.cpu_model, Observed::Known("AMD EPYC".into()));
    assert_eq!(
        host.cpu_flags,
        Observed::Known(vec!["fpu".into(), "sse2".into(), "avx2".into()])
    );
    assert_eq!(host.memory_total, Observed::Known(16384 * 1024));
    assert_eq!(host.memory_available, Observed::Known(8192 * 1024));
    let parts: Vec<&str> = gaps.0.iter().map(|gap| gap.part.as_str()).collect();
    assert_eq!(parts, ["version of the C library", "memory control group"]);
}

#[test]
fn the_c_librarys_banner_names_its_version() {
    let cases: &[(&[u8], Option<&str>)] = &[
        (b"\0\0GNU C Library (Debian GLIBC 2.36-9+deb12u4) stable release version 2.36.\nCopyright", Some("2.36")),
        (b"GNU C Library (GNU libc) development release version 2.17.90.\n", Some("2.17.90")),
        (b"GNU C Library (x) release version .", None),
        (b"GNU C Library (x", None),
        (b"musl libc", None),
    ];
    for (library, expected) in cases {
        assert_eq!(banner_version(library).as_deref(), *expected);
    }
}

#[test]
fn the_c_library_is_found_among_the_mappings() {
    let maps = b"1-2 r--p 0 0:0 1 /lib/libcrypto.so.3\n1-2 r--p 0 0:0 1 /opt/a b/libc.so.6\n1-2 rw-p 0 0:0 0 [heap]\n";
    assert_eq!(glibc_path(maps).as_deref(), Some("/opt/a b/libc.so.6"));
    assert_eq!(
        glibc_path(b"1-2 r--p 0 0:0 1 /lib/libc-2.31.so\n").as_deref(),
        Some("/lib/libc-2.31.so")
    );
    assert_eq!(
        glibc_path(b"1-2 r--p 0 0:0 1 /lib/ld-musl-x86_64.so.1\n"),
        None
    );
}

#[test]
fn this_machine_can_be_described() {
    let mut gaps = Gaps::default();
    let host = host_facts(std::process::id(), &mut gaps);
    assert!(host.kernel.known().unwrap().starts_with("Linux "));
    assert!(*host.memory_total.known().unwrap() >= *host.memory_available.known().unwrap());
    if cfg!(target_env = "gnu") {
        assert!(host.glibc.known().unwrap().starts_with("2."));
    }
}
