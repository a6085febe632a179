use proptest::prelude::*;

use super::super::marker::Environment;
use super::Requirement;

/// Lines of published packages, of surveys and of our own, and what `packaging` 26.3 says of them: the name, the limits,
/// and a digit for each of [`ENVIRONMENTS`], or a hyphen for a line that is not a requirement.
const RECORDED: &str = include_str!("../../../../fixtures/requirements.tsv");

const ENVIRONMENTS: [(&str, &str); 4] = [
    ("2.7.18", "x86_64"),
    ("3.8.18", "x86_64"),
    ("3.11.7", "x86_64"),
    ("3.13.1", "aarch64"),
];

/// What is read from a line, in the form of [`RECORDED`].
fn read(line: &str) -> String {
    let Some(requirement) = Requirement::parse(line) else {
        return "-".to_owned();
    };
    let holds = |(python, machine): &(&str, &str)| {
        let here = Environment::new(python, machine).unwrap();
        let marker = requirement.marker.as_ref();
        u8::from(marker.is_none_or(|marker| marker.holds(&here))).to_string()
    };
    let holds: String = ENVIRONMENTS.iter().map(holds).collect();
    format!("{}\t{}\t{holds}", requirement.name, requirement.versions)
}

#[test]
fn every_recorded_line_is_read_as_pip_reads_it() {
    for row in RECORDED.lines() {
        let (line, expected) = row.split_once('\t').unwrap();
        assert_eq!(read(line), expected, "{line}");
    }
}

#[test]
fn a_line_that_compares_what_cannot_be_compared_is_not_a_requirement() {
    for marker in [
        "'a' == 'a'",
        "os_name == sys_platform",
        "sys_platform ~= 'linux'",
        "python_version < 'abc'",
        "extra in 'x y'",
        "python_version < 3.8",
    ] {
        assert_eq!(read(&format!("a ; {marker}")), "-", "{marker}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(line in any::<String>()) {
        read(&line);
    }

    #[test]
    fn any_text_of_the_grammar_is_read_or_refused(line in "[a-c]{0,2}[ \\-;\\[\\](),@<>=!~'\"a-c1-3.*]{0,40}") {
        read(&line);
    }

    #[test]
    fn spaces_make_no_difference(spaces in proptest::collection::vec(0_usize..3, 8)) {
        let tokens = ["", "a", "[x]", ">=", "1", ",", "<2", "; python_version", "<'3'"];
        let mut line = String::new();
        for (token, spaces) in tokens.iter().zip(spaces.into_iter().chain([0])) {
            line += token;
            line += &" ".repeat(spaces);
        }
        prop_assert_eq!(read(&line), "a\t>=1, <2\t1000");
    }

    #[test]
    fn a_comparison_says_the_same_from_both_sides(
        (plain, mirrored) in proptest::sample::select(&[("<", ">"), ("<=", ">="), (">", "<"), (">=", "<="), ("==", "=="), ("!=", "!=")][..]),
        minor in 0..15,
    ) {
        let plain = format!("a ; python_version {plain} '3.{minor}'");
        let mirrored = format!("a ; '3.{minor}' {mirrored} python_version");
        prop_assert_eq!(read(&plain), read(&mirrored));
    }

    #[test]
    fn a_version_is_below_a_limit_or_it_is_not(minor in 0..15) {
        let line = format!("a ; python_version < '3.{minor}' or python_version >= '3.{minor}'");
        prop_assert_eq!(read(&line), "a\t\t1111");
    }
}
