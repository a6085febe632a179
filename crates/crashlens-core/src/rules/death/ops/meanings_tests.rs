use super::*;
use crate::embedded;

fn means(message: &str) -> String {
    let meaning = CHECKS.meaning(message);
    meaning.map_or_else(|| "nothing".to_owned(), |it| it.means)
}

fn exception(message: &str) -> String {
    let meaning = EXCEPTIONS.meaning(message);
    meaning.map_or_else(|| "nothing".to_owned(), |it| it.means)
}

#[test]
fn every_entry_names_its_source_and_only_groups_that_it_has() {
    for table in [&*CHECKS, &*EXCEPTIONS] {
        for entry in &table.entries {
            assert!(
                !entry.source.is_empty() && !entry.seen.is_empty(),
                "{entry:?}"
            );
            let pattern = embedded::regex(&entry.pattern);
            let names: Vec<&str> = pattern.capture_names().flatten().collect();
            if let Some(fits) = &entry.fits {
                let is_kind = ["count", "rank", "dtype"].contains(&fits.as_str());
                assert!(
                    is_kind && names.contains(&fits.as_str()),
                    "{}",
                    entry.pattern
                );
            }
            let texts = [Some(entry.means.as_str()), entry.advice.as_deref()];
            for part in texts
                .into_iter()
                .flatten()
                .flat_map(|text| text.split('{').skip(1))
            {
                let name = part.split('}').next().unwrap();
                assert!(names.contains(&name), "{}: no group {name}", entry.pattern);
            }
            let ends = entry
                .advice
                .as_ref()
                .is_none_or(|advice| advice.ends_with(['.', ')']));
            assert!(ends && !entry.means.ends_with('.'), "{}", entry.pattern);
        }
        for place in &table.places {
            assert!(
                !place.source.is_empty() && !place.seen.is_empty(),
                "{place:?}"
            );
        }
    }
}

#[test]
fn values_come_from_the_message() {
    let cases = [
        (
            "tensor_shape.cc:607] Non-OK-status: RecomputeNumElements() status: INVALID_ARGUMENT: Shape [2,3,2147483647] results in overflow when computing number of elements",
            "a tensor of shape [2,3,2147483647] has more elements than can be counted",
        ),
        (
            "tensor.cc:844] Check failed: dtype() == expected_dtype (1 vs. 2) double expected, got float",
            "a tensor of float came where the kernel reads double",
        ),
        (
            "Check failed: NDIMS == dims() (2 vs. 1) Asking for tensor of 2 dimensions from a tensor of 1 dimensions",
            "a tensor of 1 dimensions came where 2 are needed",
        ),
        (
            "Check failed: 1 == NumElements() (1 vs. 3)Must have a one element tensor",
            "a tensor of 3 elements came where a single number is needed",
        ),
        (
            "Check failed: size >= 0 (-5 vs. 0)",
            "a dimension of a shape is negative: -5",
        ),
        (
            "Check failed: d >= 0 (0 vs. -1)",
            "dimension number -1 was asked for, and there are no negative ones",
        ),
        (
            "Check failed: d < dims() (2 vs. 2)",
            "dimension number 2 was asked for of a tensor that has 2",
        ),
        (
            "Check failed: (::tsl::TfCheckOkDeprecationMarker(), InitDims(dim_sizes)) is OK (INVALID_ARGUMENT: Too many dimensions in tensor)",
            "a tensor would have more dimensions than TensorFlow allows (254)",
        ),
        (
            "x.cc:1] Non-OK-status: status_ status: INTERNAL: no such thing",
            "no such thing",
        ),
        ("x.cc:1] Check failed: ret == 0 (11 vs. 0)", "nothing"),
    ];
    for (message, meaning) in cases {
        assert_eq!(means(message), meaning, "{message}");
    }
}

#[test]
fn exceptions_are_told_by_type_and_words() {
    assert_eq!(
        exception(
            "std::out_of_range: vector::_M_range_check: __n (which is 7) >= this->size() (which is 4)"
        ),
        "element 7 of a vector of 4 was asked for"
    );
    assert_eq!(exception("std::runtime_error: bad row 3"), "bad row 3");
    assert_eq!(exception("MyError: x"), "nothing");
}

#[test]
fn damaged_state_is_no_cause() {
    let messages = [
        "tensorflow/core/common_runtime/bfc_allocator.cc:458] Check failed: c->in_use()",
        "python: malloc.c:2379: sysmalloc: Assertion `(old_top == initial_top (av) && old_size == 0)' failed.",
        "Fatal glibc error: malloc.c:2599 (sysmalloc): assertion failed: (old_size == 0)",
        "Fatal glibc error: malloc assertion failure in sysmalloc: (old_size == 0)",
    ];
    for message in messages {
        assert!(CHECKS.meaning(message).unwrap().victim, "{message}");
    }
}
