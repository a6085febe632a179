//! TensorFlow's `build_info.py`: a Python dictionary, read as text.

use crashlens_core::survey::CudaBuild;

/// More words are not read.
const MAX_TOKENS: usize = 4096;
const MAX_CAPABILITIES: usize = 64;

/// A word of Python, as far as such a file has them.
#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    Text(&'a str),
    Name(&'a str),
    Sign(char),
}

/// What a TensorFlow with CUDA says of its build; `None` for one without CUDA, and where nothing is told.
pub(crate) fn parse(text: &str) -> Option<CudaBuild> {
    let literal = text.split_once("build_info")?.1;
    let tokens = tokens(literal);
    let value = |key: &str| {
        let at = tokens.iter().position(|it| *it == Token::Text(key))?;
        tokens.get(at.checked_add(2)?..)
    };
    let is_cuda = value("is_cuda_build")?.first() == Some(&Token::Name("True"));
    if !is_cuda {
        return None;
    }
    let string = |key| match value(key)?.first()? {
        Token::Text(text) if !text.is_empty() => Some((*text).to_owned()),
        _ => None,
    };
    Some(CudaBuild {
        cuda: string("cuda_version"),
        cudnn: string("cudnn_version"),
        capabilities: value("cuda_compute_capabilities").map_or_else(Vec::new, strings),
        file: String::new(),
    })
}

/// The strings of a list.
fn strings(tokens: &[Token<'_>]) -> Vec<String> {
    if tokens.first() != Some(&Token::Sign('[')) {
        return Vec::new();
    }
    let inner = tokens.iter().skip(1);
    inner
        .take_while(|token| **token != Token::Sign(']'))
        .filter_map(|token| match token {
            Token::Text(text) => Some((*text).to_owned()),
            Token::Name(_) | Token::Sign(_) => None,
        })
        .take(MAX_CAPABILITIES)
        .collect()
}

/// Strings without their quotes, names, and single signs. Escapes do not occur in what is looked for.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next().filter(|_| tokens.len() < MAX_TOKENS) {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let (token, left) = if first == '\'' || first == '"' {
            let Some((inner, left)) = after.split_once(first) else {
                break;
            };
            (Token::Text(inner), left)
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_');
            let (name, left) = rest.split_at(end.unwrap_or(rest.len()));
            (Token::Name(name), left)
        } else {
            (Token::Sign(first), after)
        };
        tokens.push(token);
        rest = left.trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH_CUDA: &str = "\"\"\"Auto-generated module providing information about the build.\"\"\"
import collections

build_info = collections.OrderedDict([('cpu_compiler', '/usr/lib/llvm-17/bin/clang'), ('cuda_compute_capabilities', ['sm_50', 'sm_60', 'compute_80']), ('cuda_version', '12.2'), ('cudnn_version', '8'), ('is_cuda_build', True), ('is_rocm_build', False), ('is_tensorrt_build', True)])
";

    #[test]
    fn a_build_with_cuda_is_read() {
        let build = parse(WITH_CUDA).unwrap();
        assert_eq!(build.cuda.as_deref(), Some("12.2"));
        assert_eq!(build.cudnn.as_deref(), Some("8"));
        assert_eq!(build.capabilities, ["sm_50", "sm_60", "compute_80"]);
    }

    #[test]
    fn a_plain_dictionary_is_read_too() {
        let text = "build_info = {\n  \"is_cuda_build\": True,\n  \"cuda_version\": \"12.5.1\",\n}";
        assert_eq!(parse(text).unwrap().cuda.as_deref(), Some("12.5.1"));
    }

    #[test]
    fn a_build_without_cuda_is_none() {
        let text = "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', False)])";
        assert_eq!(parse(text), None);
        for text in [
            "",
            "build_info",
            "build_info = {'is_cuda_build'",
            "build_info = 'é",
            "build_info = {'is_cuda_build': None}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
