use crashlens_core::files::{Contents, FileFacts, FlawKind, Table};

use crate::Options;
use crate::fuzzing::examine_bytes;

/// 40 rows of a float, an integer and a text, some of them quoted.
const MIXED: &[u8] = include_bytes!("../../../fixtures/tables/mixed.csv");

fn examined(bytes: &[u8]) -> FileFacts {
    examine_bytes("a.csv", bytes, &Options::default())
}

fn table(facts: FileFacts) -> Table {
    match facts.contents {
        Contents::Table(table) => table,
        other => panic!("no table: {other:?}"),
    }
}

/// The text with one more row.
fn with(row: &str) -> Vec<u8> {
    [MIXED, row.as_bytes(), b"\n"].concat()
}

fn flaw(bytes: &[u8]) -> (FlawKind, String) {
    let facts = examined(bytes);
    match facts.flaws.as_slice() {
        [flaw] => (flaw.kind, flaw.part.to_string()),
        other => panic!("not one flaw: {other:?}"),
    }
}

#[test]
fn a_table_of_pythons_writer_is_read_without_a_flaw() {
    let facts = examined(MIXED);
    assert_eq!(facts.flaws, []);
    let table = table(facts);
    assert_eq!(table.columns, ["v", "n", "s"]);
    assert_eq!(table.types, ["float", "integer", "text"]);
    assert_eq!(table.rows, 40);
}

#[test]
fn ends_of_lines_may_be_of_any_kind() {
    let text = String::from_utf8(MIXED.to_vec()).expect("text");
    let facts = examined(text.replace('\n', "\r\n").as_bytes());
    assert_eq!(facts.flaws, []);
    assert_eq!(table(facts).rows, 40);
    let old = text.replace('\n', "\r");
    assert_eq!(table(examined(old.as_bytes())).rows, 40);
    assert_eq!(flaw(old.as_bytes()).1, "the ends of lines");
    assert_eq!(examined(text.trim_end().as_bytes()).flaws, []);
}

#[test]
fn rows_of_another_length_are_named() {
    let told = (FlawKind::Contradiction, "row 42".to_owned());
    assert_eq!(flaw(&with("0.5,1")), told);
    assert_eq!(flaw(&with("0.5,1,a,b")), told);
    assert_eq!(flaw(&with("")), told);
}

#[test]
fn quotes_must_stand_where_they_may() {
    let kind = |row| examined(&with(row)).flaws[0].kind;
    assert_eq!(kind("0.5,1,a\"b"), FlawKind::Malformed);
    assert_eq!(kind("0.5,1,\"a\"b\""), FlawKind::Malformed);
    assert_eq!(kind("0.5,1,\"abc"), FlawKind::CutShort);
    assert_eq!(examined(&with("0.5,1,\"a\"\"b\nc\"")).flaws, []);
}

#[test]
fn the_odd_field_of_a_column_of_numbers_is_named() {
    let told = (FlawKind::Contradiction, "row 42".to_owned());
    assert_eq!(flaw(&with("0.5,abc,a")), told);
    assert_eq!(flaw(&with("v,1,a")), told);
    // Who guesses types from the first rows reads these.
    let told = (FlawKind::Blemish, "row 42".to_owned());
    assert_eq!(flaw(&with("0.5,1.5,a")), told);
    assert_eq!(flaw(&with("0.5,99999999999,a")), told);
    assert_eq!(flaw(&with("0.5,NA,a")), told);
    assert_eq!(examined(&with("nan, 7 ,a")).flaws, []);
}

#[test]
fn of_a_short_table_a_single_text_among_numbers_is_named() {
    let numbers: Vec<String> = (0..9).map(|i| format!("{i},{i}.5")).collect();
    let rows = |last: &str| format!("n,v\n{}\n{last}", numbers.join("\n")).into_bytes();
    let told = (FlawKind::Contradiction, "row 11".to_owned());
    assert_eq!(flaw(&rows("9,0.$5")), told);
    for sound in ["9,1", "9.5,1.0", "x,1.0\ny,1.0"] {
        assert_eq!(examined(&rows(sound)).flaws, [], "{sound}");
    }
}

#[test]
fn behind_the_rows_that_types_are_guessed_from_nothing_else_may_come() {
    let rows = |count: usize, last: &str| {
        let rows: Vec<String> = (0..count).map(|i| format!("{i},{}", i % 7)).collect();
        format!("n,v\n{}\n{last}", rows.join("\n")).into_bytes()
    };
    let told = (FlawKind::Contradiction, "row 122".to_owned());
    for last in ["120,0.5", "120,NA", "120,99999999999"] {
        assert_eq!(flaw(&rows(120, last)), told, "{last}");
    }
    assert_eq!(examined(&rows(120, "120,6")).flaws, []);
}

#[test]
fn a_column_of_many_kinds_has_no_odd_ones() {
    let rows: Vec<String> = (0..60)
        .map(|i| format!("{i},{}", if i % 5 == 0 { "A" } else { "7" }))
        .collect();
    let rows = rows.join("\n");
    let facts = examined(format!("n,mixed\n{rows}").as_bytes());
    assert_eq!(facts.flaws, []);
}

#[test]
fn two_columns_of_one_name_are_told() {
    let part = "the names of the columns".to_owned();
    assert_eq!(
        flaw(b"a,a,b\n1,2,3\n4,5,6\n"),
        (FlawKind::Contradiction, part)
    );
    for no_heading in ["yes,no,yes\nno,no,yes\n", "1,1,2\n3,4,5\n", ",,b\n1,2,3\n"] {
        assert_eq!(examined(no_heading.as_bytes()).flaws, [], "{no_heading}");
    }
}

#[test]
fn zero_bytes_and_other_encodings_are_told() {
    assert_eq!(flaw(&with("0.5,1,a\0b")).1, "the zero bytes");
    let latin = [MIXED, b"0.5,1,\xe9\n"].concat();
    assert_eq!(
        flaw(&latin),
        (FlawKind::Malformed, "the encoding".to_owned())
    );
    let late = ["1,2,a\n".repeat(200).as_bytes(), b"3,4,\xe9\n"].concat();
    assert_eq!(flaw(&late), (FlawKind::Blemish, "the encoding".to_owned()));
    let wide: Vec<u8> = b"\xff\xfea\0,\0b\0\n\0".to_vec();
    assert_eq!(flaw(&wide).0, FlawKind::Unsupported);
}

#[test]
fn a_file_that_ends_behind_a_separator_is_cut_short() {
    let cut = [MIXED, b"0.5,1,"].concat();
    let facts = examined(&cut);
    assert!(facts.flaws_of(FlawKind::CutShort).next().is_some());
}

#[test]
fn a_heading_alone_is_empty() {
    assert_eq!(flaw(b"a,b\n"), (FlawKind::Empty, "the rows".to_owned()));
}

#[test]
fn a_heading_that_disagrees_with_all_rows_is_told_once() {
    let text = format!("a,b\n{}", "1,2,3\n".repeat(40));
    let facts = examined(text.as_bytes());
    let told: Vec<_> = facts.flaws.iter().map(|flaw| flaw.part.words()).collect();
    assert_eq!(told, ["the heading"]);
    let rows = format!("a,b\n{}", "1,2,3\n1,2\n".repeat(3));
    assert_eq!(examined(rows.as_bytes()).flaws.len(), 3);
}

#[test]
fn a_byte_order_mark_before_a_quote_spoils_the_heading() {
    let part = |rows: &[u8]| flaw(rows).1;
    assert_eq!(part(b"\xef\xbb\xbf\"a\",b\n1,2\n3,4\n"), "the first field");
    assert_eq!(part(b"\xef\xbb\xbfa,b\n1,2\n3,4\n"), "the byte order mark");
}
