//! The one place where secrets are taken out of what a capture keeps.
//!
//! Captures are attached to bug reports. Passwords, tokens and keys stand in environment variables,
//! command lines and log lines by accident; they become `[masked]` before anything is stored. The
//! aim is to miss no usual form and to leave paths, hashes, tokeniser settings and numbers alone: they
//! are evidence. Pure functions; nothing is read from the machine here.

mod names;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use self::names::{Smell, smell};
pub use self::values::{
    HiddenBy, announces_secret, begins_private_key, hidden_by_name, mask_code, mask_hidden,
    mask_value,
};

/// What stands where a secret was.
pub const MASK: &str = "[masked]";

/// Longest value of an environment variable that is kept.
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// How much of a value is looked at to tell whether it is a secret.
const ENOUGH_TO_JUDGE: usize = 256;

/// Variables that decide how native code is found, loaded, threaded and logged. Everything else stays
/// out of a capture, whatever its value.
const VARIABLES: &[&str] = &[
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "CUDNN_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "GLIBC_TUNABLES",
    "LANG",
    "LC_ALL",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PATH",
    "TMPDIR",
    "VIRTUAL_ENV",
    "KUBERNETES_SERVICE_HOST",
    "SLURM_CLUSTER_NAME",
    "SLURM_CPUS_ON_NODE",
    "SLURM_CPUS_PER_TASK",
    "SLURM_JOB_ID",
    "SLURM_JOB_PARTITION",
    "SLURM_LOCALID",
    "SLURM_MEM_PER_CPU",
    "SLURM_MEM_PER_GPU",
    "SLURM_MEM_PER_NODE",
    "SLURM_NNODES",
    "SLURM_NTASKS",
    "SLURM_PROCID",
];

/// Families of variables with the same claim.
const VARIABLE_FAMILIES: &[&str] = &[
    "CUDA_",
    "CUDNN_",
    "GOMP_",
    "GRPC_",
    "HDF5_",
    "JAX_",
    "KERAS_",
    "KMP_",
    "MALLOC_",
    "MIOPEN_",
    "MKL_",
    "NCCL_",
    "NUMBA_",
    "NUMEXPR_",
    "NUMPY_",
    "NVIDIA_",
    "OMP_",
    "ONEDNN_",
    "DNNL_",
    "OPENBLAS_",
    "ORT_",
    "PROTOCOL_BUFFERS_",
    "PYTHON",
    "PYTORCH_",
    "ROCR_",
    "HIP_",
    "TBB_",
    "TF_",
    "TORCH_",
    "VECLIB_",
    "XLA_",
    "ASAN_",
    "TSAN_",
    "UBSAN_",
    "LSAN_",
];

/// The environment variables a capture may keep, masked where they still hold a secret.
pub fn visible_variables<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, String> {
    let is_listed = |name: &str| {
        VARIABLES.contains(&name)
            || VARIABLE_FAMILIES
                .iter()
                .any(|family| name.starts_with(family))
    };
    variables
        .into_iter()
        .filter(|(name, _)| is_listed(name))
        .map(|(name, value)| {
            let is_secret = names::mention_a_secret(name) && !is_plain_word(value);
            let value = if is_secret {
                MASK.to_owned()
            } else {
                mask_line(cut(value)).into_owned()
            };
            (name.to_owned(), value)
        })
        .collect()
}

fn cut(value: &str) -> &str {
    &value[..value.floor_char_boundary(MAX_VALUE_BYTES)]
}

/// A command line without its secrets.
pub fn mask_command(arguments: &[String]) -> Vec<String> {
    let mut announced = None;
    arguments
        .iter()
        .map(|argument| {
            let smell_before = announced.take();
            if let Some(smell) = smell_before
                && !argument.starts_with("--")
                && is_secret_argument(smell, argument)
            {
                return MASK.to_owned();
            }
            if let Some(flag) = argument.strip_prefix('-') {
                let flag = flag.trim_start_matches('-');
                match flag.split_once('=') {
                    None => announced = smell(flag),
                    Some((name, value))
                        if smell(name).is_some_and(|smell| is_secret_argument(smell, value)) =>
                    {
                        let kept = argument.len() - value.len();
                        return format!("{}{MASK}", &argument[..kept]);
                    }
                    Some(_) => {}
                }
            }
            mask_line(argument).into_owned()
        })
        .collect()
}

/// Whether the value of a flag whose name smells is the secret itself and not, say, the file that holds it.
fn is_secret_argument(smell: Smell, value: &str) -> bool {
    !is_plain_word(value) && (smell == Smell::Strong || !(is_path(value) || is_number(value)))
}

/// Lines of a log without their secrets; knows of secrets that span lines.
pub fn mask_lines(lines: &[String]) -> Vec<String> {
    let mut in_private_key = false;
    lines
        .iter()
        .map(|line| {
            let begins = begins_private_key(line);
            let masked = in_private_key || begins;
            in_private_key = masked && !line.contains("-----END ");
            if masked {
                MASK.to_owned()
            } else {
                mask_line(line).into_owned()
            }
        })
        .collect()
}

/// One line, or any text, without its secrets.
pub fn mask_line(text: &str) -> Cow<'_, str> {
    if !HINT.is_match(text) {
        return Cow::Borrowed(text);
    }
    let mut secrets: Vec<Range<usize>> = Vec::new();
    secrets.extend(PRIVATE_KEY.find_iter(text).map(|key| key.range()));
    secrets.extend(TOKEN.find_iter(text).map(|token| token.range()));
    secrets.extend(
        QUOTED_KEY
            .captures_iter(text)
            .filter_map(|quoted| quoted.get(1))
            .filter(|key| values::is_cloud_key(key.as_str()))
            .map(|key| key.range()),
    );
    secrets.extend(
        HEADER
            .captures_iter(text)
            .filter_map(|header| header.get(1))
            .map(|value| value.range()),
    );
    secrets.extend(
        URL_PASSWORD
            .captures_iter(text)
            .filter_map(|url| url.get(1))
            .map(|value| value.range()),
    );
    secrets.extend(named_secrets(text));
    secrets.sort_unstable_by_key(|range| range.start);
    replace(text, &secrets)
}

/// Values that follow a name with a smell: `password=…`, `"api_key": "…"`, `--token …`.
fn named_secrets(text: &str) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    let mut from = 0;
    while let Some(found) = NAME.captures_at(text, from) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(2)) else {
            break;
        };
        from = whole.end();
        let is_parted_by_space = text[name.end()..whole.end()].trim().is_empty();
        if is_parted_by_space && found.get(1).is_none() {
            continue;
        }
        let start = behind_annotation(text, whole.end());
        // Bounded, or `token=token=token=…` would be read to its end for each of its names.
        let near = &text[..text.floor_char_boundary(start + ENOUGH_TO_JUDGE)];
        let is_secret = match smell(name.as_str()) {
            Some(Smell::Strong) => !is_plain_word(&near[value_at(near, start)]),
            Some(Smell::Weak) => is_opaque(&near[value_at(near, start)]),
            None => false,
        };
        if is_secret {
            let value = value_at(text, start);
            from = value.end;
            secrets.push(value);
        }
    }
    secrets
}

/// Where the value begins if what stands at `start` is the type of a variable: `password: str = "…"`.
fn behind_annotation(text: &str, start: usize) -> usize {
    const LONGEST_TYPE: usize = 64;
    let near = &text[start..text.floor_char_boundary(start + LONGEST_TYPE)];
    let is_part = |letter: char| letter.is_alphanumeric() || "_.|[] ".contains(letter);
    let behind = near.trim_start_matches(is_part);
    let is_type = text[..start].trim_end().ends_with(':') && behind.len() < near.len();
    match behind.strip_prefix('=').map(str::trim_start) {
        Some(value) if is_type && !value.starts_with('=') => start + near.len() - value.len(),
        _ => start,
    }
}

/// Where the value that begins at `start` stands: what is in quotes, else up to the next separator.
fn value_at(text: &str, start: usize) -> Range<usize> {
    let rest = &text[start..];
    // Python's marks before a quote: `b"…"`, `rf'…'`.
    let quoted = rest.trim_start_matches(['b', 'B', 'r', 'R', 'u', 'U', 'f', 'F']);
    let prefix = rest.len() - quoted.len();
    if prefix <= 2
        && let Some(quote) = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quote| quoted.starts_with(quote))
    {
        let content = start + prefix + quote.len();
        return content..content + quoted_length(&text[content..], quote);
    }
    let is_end = |letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | '&' | ')' | ']' | '}')
    };
    start..start + rest.find(is_end).unwrap_or(rest.len())
}

/// Bytes up to the quote that ends the text; all of them if it was cut off before.
fn quoted_length(text: &str, quote: &str) -> usize {
    let is_escaped = |position: usize| {
        let before = &text.as_bytes()[..position];
        let slashes = before.iter().rev().take_while(|byte| **byte == b'\\');
        slashes.count() % 2 == 1
    };
    text.match_indices(quote)
        .map(|(position, _)| position)
        .find(|position| !is_escaped(*position))
        .unwrap_or(text.len())
}

fn replace<'a>(text: &'a str, secrets: &[Range<usize>]) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        if secret.start >= done {
            masked.push_str(&text[done..secret.start]);
            masked.push_str(MASK);
        }
        done = done.max(secret.end);
    }
    masked.push_str(&text[done..]);
    Cow::Owned(masked)
}

/// Words that code prints as values of any option: `auth=None`, `use_password=True`.
fn is_plain_word(value: &str) -> bool {
    const PLAIN: &[&str] = &[
        "", "true", "false", "none", "null", "yes", "no", "on", "off", "0", "1", MASK,
    ];
    PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain))
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '.', '~'])
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok()
}

/// Whether a value looks made by a machine: long, of the base64 and hexadecimal letters, mixed.
fn is_opaque(value: &str) -> bool {
    const SHORTEST: usize = 16;
    let is_letter_of_code = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_.-~".contains(&byte);
    value.len() >= SHORTEST
        && !is_path(value)
        && value.bytes().all(is_letter_of_code)
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

static HINT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?i)pass|pwd|secret|token|key|auth|credential|bearer|://|eyJ|AKIA|ASIA|AIza|gh[opusr]_|hf_|sk-|xox|glpat|pypi-|ya29|npm_|["'][0-9a-z+/]{40}["']"#,
    )
});

/// A private key that stands in one text, whole or cut off.
static PRIVATE_KEY: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)",
    )
});

/// Tokens whose makers gave them a recognisable form.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[opusr]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,}|glpat-[0-9A-Za-z_-]{16,}",
        r"|hf_[0-9A-Za-z]{20,}|sk-[0-9A-Za-z_-]{20,}|xox[abeoprs]-[0-9A-Za-z-]{10,}|AIza[0-9A-Za-z_-]{35}",
        r"|pypi-[0-9A-Za-z_-]{30,}|npm_[0-9A-Za-z]{30,}|ya29\.[0-9A-Za-z_-]{20,}",
        r"|eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]*)"
    ))
});

/// A text in quotes that may be the secret half of a cloud account's key.
static QUOTED_KEY: LazyLock<Regex> = LazyLock::new(|| compiled(r#"["']([0-9A-Za-z+/]{40})["']"#));

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?i)(?:\bauthorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest)\s+)?|\bbearer\s+)([0-9a-z._~+/=-]{12,})"#,
    )
});

static URL_PASSWORD: LazyLock<Regex> = LazyLock::new(|| compiled(r"://[^\s/:@]*:([^\s/@]+)@"));

/// A name and what separates it from its value; group 1 is the dash of a flag.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r#"(-)?\b([A-Za-z][0-9A-Za-z_.-]*)"#,
        r#"(?:["']?\]?\s*(?:[:=!]=|=>|[:=])\s*|\s+)"#
    ))
});

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is fixed and the tests compile it")
}

#[cfg(test)]
mod tests;
