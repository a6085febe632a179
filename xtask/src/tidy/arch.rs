//! Names of one processor's registers, and its decoder, are used in modules called `arch` only.

use std::path::Path;

/// The struct that captures are made of: its fields are the names in the JSON.
const SERIALISED: &str = "crates/crashlens-core/src/capture/registers.rs";

const NAMES: [&str; 9] = [
    "iced_x86", "rip", "rsp", "rbp", "rax", "rdi", "orig_rax", "fs_base", "X86_64",
];

/// The first line of source code that is about one processor and stands elsewhere. Tests and the fuzzers' doors,
/// which make up registers and machine code, may be.
pub fn misplaced(path: &Path, text: &str) -> Option<String> {
    let parts = || path.iter().filter_map(|part| part.to_str());
    let may = path == Path::new(SERIALISED)
        || !path.starts_with("crates")
        || !parts().any(|part| part == "src")
        || parts().any(|part| part.starts_with("arch") || part.starts_with("fuzzing"))
        || parts().any(|part| part == "tests" || part.ends_with("tests.rs"));
    if may {
        return None;
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (number, name) = text
        .lines()
        .take(super::source_lines(text))
        .enumerate()
        .find_map(|(index, line)| {
            let code = line.split("//").next()?;
            let mut words = code.split(|letter| !is_word(letter));
            words
                .find(|word| NAMES.contains(word))
                .map(|word| (index + 1, word))
        })?;
    Some(format!(
        "{}:{number} has `{name}`, which belongs in a module called arch",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_of_one_processor_is_found_outside_of_arch() {
        let code = "let here = registers.rip;\n";
        let found = |path: &str| misplaced(Path::new(path), code).is_some();
        assert!(found("crates/crashlens-unwind/src/native.rs"));
        assert!(!found("crates/crashlens-unwind/src/arch/x86_64/code.rs"));
        assert!(!found("crates/crashlens-unwind/src/fault/tests/places.rs"));
        assert!(!found(SERIALISED));
    }

    #[test]
    fn comments_tests_and_longer_words_are_not_registers() {
        let path = Path::new("crates/crashlens-unwind/src/native.rs");
        let text =
            "// the rip\nlet strip = rips;\n\n#[cfg(test)]\nmod tests {\n    let rip = 1;\n}\n";
        assert_eq!(misplaced(path, text), None);
    }
}
