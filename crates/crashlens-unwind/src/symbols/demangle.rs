//! C++ and Rust names as people write them.

use cpp_demangle::{DemangleOptions, ParseOptions};

/// Deep enough for every name TensorFlow has; foreign symbol tables may hold anything.
const RECURSION_LIMIT: u32 = 160;

/// The name as people write it; as it is when it is not mangled or cannot be read.
pub(crate) fn demangle(name: &str) -> String {
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
    symbol
        .ok()
        .and_then(|symbol| symbol.demangle_with_options(&print).ok())
        .unwrap_or_else(|| plain.to_owned())
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
}
