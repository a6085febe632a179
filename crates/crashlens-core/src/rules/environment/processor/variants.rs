//! Which native files a program cannot do without, whatever the processor.

use crate::survey::{NativeFile, Survey};

/// Words in the names of files that are there for some processors only; their package picks one when it runs.
const FOR_SOME: [&str; 14] = [
    "avx",
    "sse",
    "fma",
    "haswell",
    "skylake",
    "icelake",
    "alderlake",
    "sapphire",
    "sandybridge",
    "broadwell",
    "zen",
    "x86-64-v",
    "x86_64_v",
    "hwcaps",
];

/// Files that Python or TensorFlow opens, and libraries that those need, without those for some processors only.
pub(super) fn needed_anyway(survey: &Survey) -> Vec<&NativeFile> {
    let files = survey.native.iter();
    files
        .filter(|file| !is_for_some(file) && (file.is_opened() || is_needed(survey, file)))
        .collect()
}

fn is_for_some(file: &NativeFile) -> bool {
    let path = file.path.to_ascii_lowercase();
    let last_two = path.rsplitn(3, '/').take(2);
    last_two
        .into_iter()
        .any(|part| FOR_SOME.iter().any(|word| part.contains(word)))
}

fn is_needed(survey: &Survey, file: &NativeFile) -> bool {
    let names = [file.soname.as_deref().unwrap_or_default(), file.name()];
    survey.opened().any(|other| {
        other
            .needed
            .iter()
            .any(|need| names.contains(&need.as_str()))
    })
}
