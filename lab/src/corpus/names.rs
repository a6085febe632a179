//! Compares names of native functions that were demangled and cut by different tools.

/// The part of a demangled name that all demanglers agree on: its path, without return type, arguments,
/// template arguments, inline namespaces and the compiler's suffixes.
pub fn plain(name: &str) -> String {
    let name = name.split(" [clone").next().unwrap_or(name);
    let name = name
        .replace("(anonymous namespace)", "{anonymous}")
        .replace("operator()", "operator{}");
    let name = without_template_arguments(&name);
    let name = name.split('(').next().unwrap_or(&name);
    // A demangled template function begins with its return type.
    let name = if name.contains("operator ") {
        name
    } else {
        name.rsplit(' ').next().unwrap_or(name)
    };
    let name = without_compiler_suffix(name);
    name.split("::")
        .filter(|part| !is_inline_namespace(part))
        .collect::<Vec<_>>()
        .join("::")
}

/// Whether the names mean the same function. The truth is cut after some 200 characters, which may be inside
/// its template arguments: then nothing after them can be compared.
pub fn same_function(truth: &str, named: &str) -> bool {
    let (truth_plain, named_plain) = (plain(truth), plain(named));
    if truth.matches('<').count() > truth.matches('>').count() && !truth.contains("operator<") {
        return named_plain.starts_with(&truth_plain);
    }
    truth_plain == named_plain
}

fn without_template_arguments(name: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for (index, letter) in name.char_indices() {
        let is_operator = plain.ends_with("operator")
            || plain.ends_with("operator<")
            || name[..index].ends_with('-');
        match letter {
            '<' if !is_operator => depth += 1,
            '>' if !is_operator => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}

fn without_compiler_suffix(name: &str) -> &str {
    let suffixes = [
        ".cold",
        ".isra.",
        ".part.",
        ".constprop.",
        ".lto_priv.",
        ".localalias",
        ".llvm.",
    ];
    let end = suffixes
        .iter()
        .filter_map(|suffix| name.find(suffix))
        .min()
        .unwrap_or(name.len());
    &name[..end]
}

/// Versions of the same library differ in these, the functions do not.
fn is_inline_namespace(part: &str) -> bool {
    part == "__cxx11" || part == "__1" || part.starts_with("lts_2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_reduced_to_its_path() {
        let cases = [
            (
                "tensorflow::Tensor::Slice(long, long) const [clone .cold]",
                "tensorflow::Tensor::Slice",
            ),
            ("void Eigen::run<float, true>(int)", "Eigen::run"),
            (
                "tensorflow::functor::Norm<float>::operator()(int)",
                "tensorflow::functor::Norm::operator{}",
            ),
            (
                "tensorflow::(anonymous namespace)::Buffer<double>::~Buffer()",
                "tensorflow::{anonymous}::Buffer::~Buffer",
            ),
            (
                "absl::lts_20230125::Span<long const>::at(int)",
                "absl::Span::at",
            ),
            ("map_next.cold", "map_next"),
        ];
        for (name, expected) in cases {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn a_truth_cut_inside_its_template_arguments_still_compares() {
        let truth = "std::_Function_handler<void (long, long), Eigen::Tens";
        assert!(same_function(
            truth,
            "std::_Function_handler<void (long, long), X>::_M_invoke(std::_Any_data const&)"
        ));
        assert!(!same_function(
            truth,
            "tensorflow::Tensor::Slice(long, long)"
        ));
    }

    #[test]
    fn a_comparison_operator_is_no_template() {
        assert_eq!(
            plain("tensorflow::operator<<(std::ostream&, int)"),
            "tensorflow::operator<<"
        );
    }
}
