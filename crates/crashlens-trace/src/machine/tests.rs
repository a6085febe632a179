use std::fs;

use tempfile::TempDir;

use super::*;

const STATUS: &str = "Name:\tpython\nUid:\t1000\t1000\t1000\t1000\nThreads:\t5\nCapEff:\t0\nCpus_allowed_list:\t0-3,8\n";
const LIMITS: &str = "\
Limit                     Soft Limit           Hard Limit           Units
Max stack size            262144               unlimited            bytes
Max processes             200                  400                  processes
";
const CPU: &str =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nflags\t\t: fpu avx\n";

/// A machine in a folder, with what every one has, and then what is special to it.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let common = [
        ("proc/7/status", STATUS),
        ("proc/7/limits", LIMITS),
        ("proc/7/uid_map", "0 0 4294967295\n"),
        ("proc/7/maps", ""),
        ("proc/cpuinfo", CPU),
        (
            "proc/meminfo",
            "MemTotal: 4096 kB\nMemAvailable: 1024 kB\nCommitLimit: 2048 kB\nCommitted_AS: 512 kB\n",
        ),
        ("proc/sys/vm/overcommit_memory", "2\n"),
        ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
        ("proc/7/cgroup", "0::/job/inner\n"),
        (
            "proc/self/mountinfo",
            "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        ),
    ];
    for (path, contents) in common.iter().chain(files) {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    root
}

fn machine_in(root: &TempDir) -> (Machine, Gaps) {
    let mut gaps = Gaps::default();
    let machine = read(root.path(), 7, &mut gaps);
    (machine, gaps)
}

#[test]
fn limits_and_control_groups_of_a_container_are_read() {
    let root = folder(&[
        ("sys/fs/cgroup/job/pids.max", "100\n"),
        ("sys/fs/cgroup/job/pids.current", "90\n"),
        ("sys/fs/cgroup/job/inner/pids.max", "50\n"),
        ("sys/fs/cgroup/job/inner/pids.current", "4\n"),
        ("sys/fs/cgroup/job/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/job/inner/cpu.max", "max 100000\n"),
        ("sys/fs/cgroup/job/memory.max", "1000000\n"),
        ("sys/fs/cgroup/job/inner/memory.current", "10\n"),
        ("sys/fs/cgroup/job/inner/memory.max", "max\n"),
        (".dockerenv", ""),
        ("dev/shm/x", ""),
        (
            "lib64/libc.so.6",
            "GNU C Library (x) stable release version 2.28.\n",
        ),
    ]);
    let (machine, gaps) = machine_in(&root);
    assert_eq!(machine.cores, Observed::Known(5));
    assert_eq!(machine.cpu_quota, Observed::Known(1500));
    let tasks = TaskGroup {
        limit: Some(100),
        current: Some(85),
    };
    assert_eq!(
        machine.task_group,
        Observed::Known(tasks),
        "the level with less room"
    );
    assert_eq!(machine.memory_group.known().unwrap().limit, Some(1_000_000));
    assert_eq!(machine.user_tasks, Observed::Known(0));
    assert_eq!(machine.container, Observed::Known("docker".into()));
    assert_eq!(machine.glibc, Observed::Known("2.28".into()));
    assert_eq!(machine.wsl, Observed::Known(false));
    assert_eq!(machine.emulated_by, Observed::Absent);
    let shared = machine.shared_memory.known().unwrap();
    assert!(shared.path == "/dev/shm" && shared.size >= shared.free);
    let promises = Overcommit {
        mode: 2,
        limit: Some(2048 * 1024),
        committed: Some(512 * 1024),
    };
    assert_eq!(machine.overcommit, Observed::Known(promises));
    let stack = machine.limits.known().unwrap()[0].clone();
    assert_eq!(
        (stack.name.as_str(), stack.soft),
        ("Max stack size", Some(262_144))
    );
    assert!(gaps.0.is_empty(), "{gaps:?}");
}

#[test]
fn what_is_not_there_is_absent_and_what_cannot_be_read_is_a_gap() {
    let root = folder(&[]);
    let (machine, gaps) = machine_in(&root);
    assert_eq!(machine.cpu_quota, Observed::Absent);
    assert_eq!(machine.task_group, Observed::Absent);
    assert_eq!(machine.shared_memory, Observed::Absent);
    assert_eq!(machine.container, Observed::Absent);
    assert!(gaps.0.is_empty(), "{gaps:?}");

    let empty = tempfile::tempdir().unwrap();
    let (machine, gaps) = machine_in(&empty);
    assert!(machine.limits.is_unknown() && machine.cores.is_unknown());
    assert!(gaps.0.iter().any(|gap| gap.part == "resource limits"));
}

#[test]
fn garbage_is_no_number() {
    let root = folder(&[
        ("proc/7/status", "Cpus_allowed_list:\t5-2,x\n"),
        ("proc/sys/vm/overcommit_memory", "yes\n"),
        ("sys/fs/cgroup/job/inner/pids.max", "many\n"),
        ("sys/fs/cgroup/job/inner/pids.current", "-1\n"),
        (
            "sys/fs/cgroup/job/inner/cpu.max",
            "99999999999999999999 0\n",
        ),
        ("run/systemd/container", "a b\u{7}\n"),
    ]);
    let (machine, _) = machine_in(&root);
    assert_eq!(machine.cores, Observed::Absent);
    assert_eq!(machine.overcommit, Observed::Absent);
    assert_eq!(machine.cpu_quota, Observed::Absent);
    assert_eq!(machine.container, Observed::Absent);
    assert_eq!(machine.task_group, Observed::Known(TaskGroup::default()));
}

#[test]
fn version_1_has_its_quota_in_two_files() {
    let root = folder(&[
        ("proc/7/cgroup", "8:pids:/x\n1:cpu,cpuacct:/x\n"),
        (
            "proc/self/mountinfo",
            "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
        ),
        ("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n"),
        ("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
        ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
    ]);
    assert_eq!(machine_in(&root).0.cpu_quota, Observed::Known(500));
}

#[test]
fn emulators_are_told_by_the_processor_that_shows_through() {
    let root = tempfile::tempdir().unwrap();
    let by = |cpu: &str, architecture| kind::emulated_by(root.path(), cpu, architecture);
    let arm = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x61\n";
    let apple =
        "vendor_id\t: VirtualApple\nmodel name\t: VirtualApple @ 2.50GHz processor\nflags\t: fpu\n";
    let tcg = "vendor_id\t: AuthenticAMD\nmodel name\t: QEMU TCG CPU version 2.5+\nflags\t: fpu\n";
    let kvm =
        "vendor_id\t: GenuineIntel\nmodel name\t: QEMU Virtual CPU version 2.5+\nflags\t: fpu\n";
    assert_eq!(by(arm, "x86_64").as_deref(), Some("qemu-user"));
    assert_eq!(by(arm, "aarch64"), None);
    assert_eq!(by(apple, "x86_64").as_deref(), Some("Rosetta"));
    assert_eq!(by(tcg, "x86_64").as_deref(), Some("qemu"));
    assert_eq!(by(kvm, "x86_64"), None);
    assert_eq!(by(CPU, "x86_64"), None);
    assert_eq!(by(CPU, "aarch64").as_deref(), Some("qemu-user"));
    assert_eq!(by("", "x86_64"), None);
}

#[test]
fn wsl_is_told_by_its_kernel() {
    let root = folder(&[(
        "proc/sys/kernel/osrelease",
        "5.15.153.1-microsoft-standard-WSL2\n",
    )]);
    assert_eq!(machine_in(&root).0.wsl, Observed::Known(true));
}

#[test]
fn this_machine_can_be_described() {
    let mut gaps = Gaps::default();
    let machine = super::machine(&mut gaps);
    assert!(*machine.cores.known().unwrap() >= 1);
    assert!(machine.limits.known().unwrap().len() > 10);
    assert!(machine.overcommit.known().unwrap().mode <= 2);
}
