use std::process::{Command, Stdio};

use super::*;

const MAPS: &[u8] = b"\
55d4c3a00000-55d4c3a28000 r--p 00000000 fe:00 1835                       /usr/bin/python3.11
7f0b5c000000-7f0b5c021000 rw-p 00000000 00:00 0 \n\
7f0b60000000-7f0b60800000 rw-p 00000000 00:00 0                          [anon: stack of thread 3]
7f0b7e3f4000-7f0b7e3f6000 r-xp 00026000 fe:00 4711                       /tmp/a b/lib x.so (deleted)
7f0b7e3f6000-7f0b7e3f8000 rw-s 00000000 00:01 12                         /SYSVx
7ffd3c1fe000-7ffd3c21f000 rw-p 00000000 00:00 0                          [stack]
7f0b7e3f8000-7f0b7e3f9000 r--p 00000000 fe:00 4712                       /tmp/caf\xe9\\012.so
";

#[test]
fn every_kind_of_mapping_is_read_with_its_path_as_it_stands() {
    let (maps, skipped) = parse_maps(MAPS);
    assert_eq!(skipped, 0);
    let paths: Vec<Option<&str>> = maps.iter().map(|mapping| mapping.path.as_deref()).collect();
    let expected = [
        Some("/usr/bin/python3.11"),
        None,
        Some("[anon: stack of thread 3]"),
        Some("/tmp/a b/lib x.so (deleted)"),
        Some("/SYSVx"),
        Some("[stack]"),
        Some("/tmp/caf\u{fffd}\n.so"),
    ];
    assert_eq!(paths, expected);
    let library = &maps[3];
    assert_eq!(
        (library.start.0, library.end.0),
        (0x7f0b_7e3f_4000, 0x7f0b_7e3f_6000)
    );
    assert_eq!(
        (library.permissions.as_str(), library.offset, library.inode),
        ("r-xp", 0x26000, 4711)
    );
    assert!(library.is_executable());
}

#[test]
fn lines_that_are_no_mappings_are_counted_and_the_others_stand() {
    let text = b"garbage\n\xff\xff\n1-0 r-xp 0 0:0 0 \n1000-2000 r-xp 0 0:0 0 \n-\n2000-3000 zzzz\nAnonymous: 3 kB\n \n99999999999999999999-1 r--p 0 0:0 0 \n";
    let (maps, skipped) = parse_maps(text);
    assert_eq!((maps.len(), skipped), (1, 8));
}

#[test]
fn limits_are_read_by_column() {
    let text = "\
Limit                     Soft Limit           Hard Limit           Units     
Max stack size            8388608              unlimited            bytes     
Max nice priority         0                    0                    
Max realtime timeout      unlimited            unlimited            us        
Max nonsense              x                    y                    
";
    let limit = |name: &str, soft, hard| Limit {
        name: name.to_owned(),
        soft,
        hard,
    };
    assert_eq!(
        parse_limits(text),
        [
            limit("Max stack size", Some(8_388_608), None),
            limit("Max nice priority", Some(0), Some(0)),
            limit("Max realtime timeout", None, None)
        ]
    );
}

#[test]
fn a_field_of_a_status_is_found_also_behind_an_odd_name() {
    let status = "Name:\ta:b PPid: 3\nPPid:\t12\nTracerPid:\t0\n";
    assert_eq!(field(status, "PPid"), Some("12"));
    assert_eq!(field(status, "Pid"), None);
}

#[test]
fn strings_and_variables_come_apart_at_zero_bytes() {
    assert_eq!(
        parse_strings(b"python\0\0-c\0x\0"),
        ["python", "", "-c", "x"]
    );
    assert_eq!(parse_strings(b"cut of"), ["cut of"]);
    assert!(parse_strings(b"").is_empty());
    let variables = parse_variables(b"PATH=/bin\0HOME=/root\0=odd\0nothing\0TF_X=a=b\0");
    assert_eq!(
        variables,
        BTreeMap::from([
            ("PATH".into(), "/bin".into()),
            ("TF_X".into(), "a=b".into())
        ])
    );
}

#[test]
fn descendants_are_found_once_even_in_a_loop() {
    let parents = BTreeMap::from([(2, 1), (3, 2), (4, 2), (5, 4), (9, 8), (1, 5)]);
    assert_eq!(below(1, &parents), [2, 3, 4, 5]);
    assert_eq!(below(8, &parents), [9]);
    assert!(below(77, &parents).is_empty());
}

#[test]
fn this_process_knows_itself_and_its_child() {
    let pid = std::process::id();
    let mut gaps = Gaps::default();
    let facts = process_facts(pid, &mut gaps);
    assert_eq!(gaps, Gaps::default());
    assert_eq!(
        facts.process.executable.known().unwrap(),
        std::env::current_exe().unwrap().to_str().unwrap()
    );
    assert!(!facts.process.command.is_empty());
    assert!(
        facts
            .maps
            .known()
            .unwrap()
            .iter()
            .any(|mapping| mapping.path.as_deref() == Some("[stack]"))
    );
    assert!(
        facts
            .limits
            .known()
            .unwrap()
            .iter()
            .any(|limit| limit.name == "Max open files")
    );
    assert!(!thread_name(pid, pid).is_empty());

    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    assert!(descendants(pid).unwrap().contains(&child.id()));
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_process_that_is_gone_becomes_gaps() {
    let mut gaps = Gaps::default();
    let facts = process_facts(u32::MAX, &mut gaps);
    assert!(facts.process.command.is_empty());
    assert!(matches!(facts.maps, Observed::Unknown(_)));
    let parts: Vec<&str> = gaps.0.iter().map(|gap| gap.part.as_str()).collect();
    let expected = [
        "command line",
        "path of the executable",
        "working directory",
        "memory mappings",
        "environment variables",
        "resource limits",
    ];
    assert_eq!(parts, expected);
}

#[test]
fn a_token_in_the_working_directory_is_masked() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("cwd");
    // In pieces, so that nothing in the repository looks like a token.
    let token = ["gh", "p_", "0123456789abcdefABCDEF0123456789abcd"].concat();
    std::os::unix::fs::symlink(format!("/srv/cache_{token}/job"), &link).unwrap();
    assert_eq!(read_link(&link).unwrap(), "/srv/cache_[masked]/job");
}
