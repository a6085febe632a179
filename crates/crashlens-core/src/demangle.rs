//! C++ and Rust names as people write them.
//!
//! What comes out is bounded; the time is not. The parser of `cpp_demangle` 0.5 seems to try every reading of a
//! broken name: one of 164 letters took 0.1 s in the fuzzer's build, others up to 2 s. Names that were merely cut,
//! the longest of TensorFlow's included, take no longer than whole ones, and names come from libraries on this
//! machine alone.

use std::fmt;

use cpp_demangle::{DemangleOptions, DemangleWrite, ParseOptions};

/// Deep enough for every name TensorFlow has; foreign symbol tables may hold anything.
const RECURSION_LIMIT: u32 = 160;
/// A name that repeats its own parts doubles with every few letters: sixty of them can stand for a terabyte.
const LONGEST: usize = 64 << 10;

/// The name as people write it; as it is when it is not mangled or cannot be read.
pub fn demangle(name: &str) -> String {
    // GNU version suffixes (`memcpy@@GLIBC_2.14`) are not part of the name.
    let plain = name.split('@').next().unwrap_or(name);
    if let Ok(rust) = rustc_demangle::try_demangle(plain) {
        return format!("{rust:#}");
    }
    if !plain.starts_with("_Z") {
        return plain.to_owned();
    }
    let options = ParseOptions::default().recursion_limit(RECURSION_LIMIT);
    let symbol = cpp_demangle::Symbol::new_with_options(plain, &options);
    let print = DemangleOptions::default().recursion_limit(RECURSION_LIMIT);
    let mut text = Bounded(String::new());
    match symbol.map(|symbol| symbol.structured_demangle(&mut text, &print)) {
        Ok(Ok(())) => text.0,
        _ => plain.to_owned(),
    }
}

/// Text that takes no more than [`LONGEST`] bytes.
struct Bounded(String);

impl DemangleWrite for Bounded {
    fn write_string(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_their_authors_wrote_them() {
        assert_eq!(
            demangle("_ZNK10tensorflow6Tensor9CheckTypeENS_8DataTypeE"),
            "tensorflow::Tensor::CheckType(tensorflow::DataType) const"
        );
        assert_eq!(
            demangle("_ZN4core9panicking5panic17h0123456789abcdefE"),
            "core::panicking::panic"
        );
        assert_eq!(demangle("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(demangle("_Zgarbage"), "_Zgarbage");
    }
    #[test]
    fn a_name_that_stands_for_a_terabyte_stays_as_it_is() {
        // A function of a class; then, sixty times, a pointer to a function of two such as the one before.
        let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".as_bytes();
        let number = |value: usize| match value {
            0 => String::new(),
            1..=36 => char::from(digits[value - 1]).to_string(),
            _ => format!(
                "{}{}",
                char::from(digits[(value - 1) / 36]),
                char::from(digits[(value - 1) % 36])
            ),
        };
        let mut name = "_Z1f1A".to_owned();
        for level in 0..60 {
            let before = number(2 * level);
            name.extend(["PFvS", &before, "_S", &before, "_E"]);
        }
        assert!(demangle(&name[..24]).starts_with("f(A, void (*)(A, A), "));
        assert_eq!(demangle(&name), name);
    }
}
