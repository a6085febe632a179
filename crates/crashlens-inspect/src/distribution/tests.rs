use super::*;

fn record(text: &str) -> Vec<(String, Option<u64>)> {
    let listing = Listing::Record(text.as_bytes().to_vec());
    let files = listing.files();
    files
        .map(|listed| {
            (
                String::from_utf8_lossy(&listed.path).into_owned(),
                listed.size,
            )
        })
        .collect()
}

#[test]
fn a_record_is_read_line_by_line_quotes_and_line_ends_of_windows_included() {
    let files = record(
        "numpy/__init__.py,sha256=abc,12\r\n\"a,b.so\",sha256=x,5\n\"say \"\"hi\"\".py\",,7\nonly_path\n\n,,\nbad,sha256=x,many\n\"open",
    );
    let expected = [
        ("numpy/__init__.py", Some(12)),
        ("a,b.so", Some(5)),
        ("say \"hi\".py", Some(7)),
        ("only_path", None),
        ("bad", None),
        ("open", None),
    ];
    assert_eq!(files, expected.map(|(path, size)| (path.to_owned(), size)));
}

#[test]
fn paths_of_the_old_list_start_at_the_metadata_whose_own_files_are_left_out() {
    let listing = Listing::Installed(b"../old/x.py\nPKG-INFO\n".to_vec());
    let paths: Vec<_> = listing
        .files()
        .map(|listed| listed.path.into_owned())
        .collect();
    assert_eq!(paths, [b"old/x.py".to_vec()]);
}

#[test]
fn headers_end_at_the_first_empty_line_and_folded_lines_belong_to_the_one_before() {
    let text = "Metadata-Version: 2.1\r\nname: Thing\r\nVersion: 1.0\r\nLicense: free\r\n        \r\n        Name: not this\r\n\
                Requires-Dist: numpy (>=1)\r\nRequires-Python: >=3.8\r\n\r\nRequires-Dist: not this either\r\n";
    let metadata = Metadata::parse(text);
    assert_eq!(metadata.name.as_deref(), Some("Thing"));
    assert_eq!(metadata.requires, ["numpy (>=1)"]);
    assert_eq!(metadata.requires_python.as_deref(), Some(">=3.8"));
    assert!(!metadata.is_cut);
}

#[test]
fn a_name_cannot_move_the_cursor() {
    let metadata = Metadata::parse("Name: a\u{1b}[2Jb\nVersion: 1\n");
    assert_eq!(metadata.name.as_deref(), Some("a\u{fffd}[2Jb"));
    assert_eq!(Metadata::parse("\nName: late\n").name, None);
    assert_eq!(Metadata::parse("Name:\nVersion: 1\n").name, None);
}

#[test]
fn names_of_folders_hold_name_and_version() {
    let cases = [
        ("PyYAML-6.0.dist-info", Some(("PyYAML", Some("6.0")))),
        ("crcmod-1.7-py3.11.egg-info", Some(("crcmod", Some("1.7")))),
        ("mypackage.egg-info", Some(("mypackage", None))),
        ("-.dist-info", None),
        ("numpy", None),
    ];
    for (name, expected) in cases {
        assert_eq!(name_and_version(name), expected, "{name}");
    }
}
