use super::*;
use crate::files::Flaw;

fn file(path: &str, format: Format, extent: Extent) -> FileFacts {
    FileFacts {
        path: path.to_owned(),
        format: Some(format),
        extent,
        ..FileFacts::default()
    }
}

fn inspection(files: &[FileFacts], setting: &Setting) -> Inspection {
    let mut gathering = Gathering::default();
    for facts in files {
        gathering.add(facts, &judge(facts, setting), setting);
    }
    gathering.conclude(InspectionKind::Data, "data", setting)
}

fn scope<'a>(inspection: &'a Inspection, rule: &str) -> &'a str {
    let mut checks = inspection.checks.iter();
    let check = checks.find(|check| check.name == rule);
    check.map_or("no such rule", |check| &check.scope)
}

#[test]
fn a_check_says_how_many_files_of_which_format_it_looked_at() {
    let files = [
        file("a.jpg", Format::Jpeg, Extent::Full),
        file("b.jpg", Format::Jpeg, Extent::Full),
        file("c.png", Format::Png, Extent::Full),
    ];
    let inspection = inspection(&files, &Setting::default());
    assert_eq!(scope(&inspection, "cut-short"), "2 JPEG files, 1 PNG file");
    assert_eq!(scope(&inspection, "checksum-mismatch"), "1 PNG file");
}

#[test]
fn checks_that_two_jpegs_give_nothing_to_look_at_claim_nothing() {
    let files = ["a.jpg", "b.jpg"].map(|path| file(path, Format::Jpeg, Extent::Structure));
    let inspection = inspection(&files, &Setting::default());
    for rule in [
        "off-manifest",
        "missing-file",
        "labels-out-of-range",
        "features-vary",
        "interrupted-save",
        "unknown-operations",
        "not-finite-values",
        "not-finite-weights",
        "wild-length",
        "memory-forecast",
    ] {
        assert_eq!(scope(&inspection, rule), "", "{rule}");
    }
}

#[test]
fn a_check_says_which_of_its_files_it_could_not_look_at() {
    let files = [
        file("a.npy", Format::Npy, Extent::Full),
        file("b.npy", Format::Npy, Extent::Structure),
        file("c.npy", Format::Npy, Extent::Nothing),
    ];
    let inspection = inspection(&files, &Setting::default());
    let blind = |rule: &str| {
        let mut checks = inspection.checks.iter();
        let check = checks.find(|check| check.name == rule).unwrap();
        check.blind.clone()
    };
    assert_eq!(
        scope(&inspection, "not-finite-values"),
        "1 NumPy array file"
    );
    assert_eq!(
        blind("not-finite-values"),
        ["2 NumPy array files: not all values were read"]
    );
    assert_eq!(blind("cut-short"), ["1 NumPy array file: not read"]);
    assert!(blind("unreadable-file").is_empty());
}

#[test]
fn a_manifest_is_looked_at_where_there_is_one() {
    let setting = Setting {
        manifest: true,
        ..Setting::default()
    };
    let files = [file("a.jpg", Format::Jpeg, Extent::Structure)];
    let inspection = inspection(&files, &setting);
    assert_eq!(scope(&inspection, "off-manifest"), "1 JPEG file");
}

#[test]
fn files_that_no_reader_took_are_no_clean_result() {
    let lacks = |files: &[FileFacts]| inspection(files, &Setting::default()).lacks;
    assert_eq!(lacks(&[]), Some(Lack::Files));
    let mut unread = file("a.txt", Format::Jpeg, Extent::Nothing);
    assert_eq!(lacks(std::slice::from_ref(&unread)), Some(Lack::Readable));
    unread.flaws.push(Flaw {
        kind: super::super::FlawKind::Unreadable,
        part: Part::File.into(),
        at: None,
        detail: "permission denied".to_owned(),
    });
    assert_eq!(lacks(&[unread]), None, "what was found says enough");
}
