use super::*;

fn symbols(names: &[&str]) -> Vec<MissingSymbol> {
    names
        .iter()
        .map(|name| MissingSymbol {
            name: (*name).to_owned(),
            ..MissingSymbol::default()
        })
        .collect()
}

fn build(names: &[&str], strings: Option<bool>, lts: Option<&str>) -> Build {
    let symbols = symbols(names);
    decode(&symbols.iter().collect::<Vec<_>>(), strings, lts)
}

#[test]
fn every_line_of_tensorflow_has_its_abseil_and_the_lines_do_not_overlap() {
    assert!(!table().source.is_empty());
    for (version, lts) in [
        ("2.4.1", ""),
        ("2.8.0", "20210324"),
        ("2.12.1", "20220623"),
        ("2.15.1", "20230125"),
        ("2.18.1", "20230802"),
        ("2.21.0", "20250814"),
    ] {
        let version: Version = version.parse().unwrap();
        let lines = table().line.iter();
        let fitting: Vec<_> = lines
            .filter(|line| line.tensorflow.contains(&version))
            .collect();
        assert_eq!(fitting.len(), 1, "{version}");
        assert_eq!(line_of(&version).unwrap().lts, lts, "{version}");
    }
}

#[test]
fn a_date_in_a_name_tells_the_abseil_it_was_built_with() {
    let name = "_ZN4absl12lts_2022062319str_format_internal9FormatAllB5cxx11Ev";
    assert_eq!(
        build(&[name], Some(true), Some("20230125")),
        Build::Abseil("20220623".to_owned())
    );
    // The same date as TensorFlow's own: something else is different.
    assert_eq!(
        build(&[name], Some(true), Some("20220623")),
        Build::Tensorflow
    );
}

#[test]
fn strings_of_before_2015_are_told_from_those_of_cxx11() {
    let old = "_ZN10tensorflow12OpDefBuilder4AttrESs";
    let new =
        "_ZN10tensorflow12OpDefBuilder4AttrENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
    assert_eq!(build(&[old], Some(true), None), Build::OldStrings);
    assert_eq!(build(&[new], Some(false), None), Build::NewStrings);
    assert_eq!(build(&[new], Some(true), None), Build::Tensorflow);
    assert_eq!(build(&[old], Some(false), None), Build::Tensorflow);
}

#[test]
fn functions_of_cuda_of_python_and_of_others_are_told_apart() {
    assert_eq!(build(&["__cudaRegisterFatBinary"], None, None), Build::Cuda);
    assert_eq!(build(&["cuInit"], None, None), Build::Cuda);
    assert_eq!(build(&["cutHere"], None, None), Build::Other);
    assert_eq!(
        build(&["PyUnicode_AsUnicode", "_Py_Foo"], None, None),
        Build::Python
    );
    assert_eq!(build(&["TF_VLog"], None, None), Build::Tensorflow);
    assert_eq!(build(&["_ZN3c106detail3fooEv"], None, None), Build::Torch);
    assert_eq!(build(&["gzopen64"], None, None), Build::Other);
}

#[test]
fn a_line_of_one_version_is_said_as_people_say_it() {
    let line = |text: &str| in_words(&text.parse().unwrap());
    assert_eq!(line(">=2.12,<2.13"), "2.12");
    assert_eq!(line(">=2.10,<2.13"), ">=2.10, <2.13");
}

#[test]
fn a_build_for_gpus_of_another_tensorflow_is_told_by_its_tensorflow() {
    let cuda = "__cudaRegisterFatBinary";
    assert_eq!(build(&[cuda], Some(true), None), Build::Cuda);
    assert_eq!(
        build(&["_ZN3tsl6StatusD1Ev", cuda], Some(true), None),
        Build::Tensorflow
    );
}

#[test]
fn what_needs_googletest_is_a_test() {
    let names = [
        "_ZN3tsl6StatusD1Ev",
        "_ZNK7testing8internal12AssertHelperaSERKNS_7MessageE",
    ];
    assert_eq!(build(&names, Some(true), None), Build::Test);
}
