//! The one place where secrets are taken out of what a capture keeps.
//!
//! Captures are attached to bug reports. Passwords, tokens and keys stand in environment variables,
//! command lines and log lines by accident; they become `[masked]` before anything is stored. The
//! aim is to miss no usual form and to leave paths, hashes, tokeniser settings and numbers alone: they
//! are evidence. Pure functions; nothing is read from the machine here.

mod codes;
mod commands;
mod named;
mod names;
mod table;
mod urls;
mod values;
mod view;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::embedded;

use self::codes::{is_number, is_path, is_plain_word};
use self::names::{Smell, smell};
use self::table::TABLE;
pub use self::values::{
    HiddenBy, announces_secret, begins_private_key, hidden_by_name, mask_code, mask_hidden,
    mask_value,
};
use self::view::View;

/// What stands where a secret was.
pub const MASK: &str = "[masked]";

/// Longest value of an environment variable that is kept.
const MAX_VALUE_BYTES: usize = 16 * 1024;

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

/// A command line without its secrets. What it returns has nothing left to mask.
pub fn mask_command(arguments: &[String]) -> Vec<String> {
    let mut masked = mask_command_once(arguments);
    for _ in 0..MOST_ROUNDS {
        let next = mask_command_once(&masked);
        if next == masked {
            return masked;
        }
        masked = next;
    }
    vec![MASK.to_owned(); arguments.len()]
}

fn mask_command_once(arguments: &[String]) -> Vec<String> {
    let mut announced = None;
    let mut reader = commands::Reader::default();
    arguments
        .iter()
        .map(|argument| {
            let by_program = reader.secret_in(argument);
            let smell_before = announced.take();
            if let Some(smell) = smell_before
                && !argument.starts_with("--")
                && is_secret_argument(smell, argument)
            {
                return MASK.to_owned();
            }
            if let Some(secret) = by_program {
                return mask_line(&replace(argument, &[secret])).into_owned();
            }
            if let Some(flag) = argument.strip_prefix('-') {
                let flag = flag.trim_start_matches('-');
                match flag.split_once('=') {
                    None => announced = smell_of_flag(flag),
                    Some((name, value))
                        if smell_of_flag(name)
                            .is_some_and(|smell| is_secret_argument(smell, value)) =>
                    {
                        let kept = argument.len() - value.len();
                        let shown = format!("{}{MASK}", &argument[..kept]);
                        return mask_line(&shown).into_owned();
                    }
                    Some(_) => {}
                }
            }
            mask_line(argument).into_owned()
        })
        .collect()
}

/// The smell of a flag; a whole command or sentence that begins with a dash is not one.
fn smell_of_flag(flag: &str) -> Option<Smell> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    smell(flag).filter(|_| flag.chars().all(is_part))
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

/// Texts in which masking uncovers more and more to mask are masked whole: no text that was not made for it is.
const MOST_ROUNDS: usize = 8;

/// One line, or any text, without its secrets. What it returns has nothing left to mask.
pub fn mask_line(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    for _ in 0..MOST_ROUNDS {
        match mask_once(&masked) {
            Some(next) => masked = Cow::Owned(next),
            None => return masked,
        }
    }
    Cow::Borrowed(MASK)
}

/// `None` if there is nothing to mask.
fn mask_once(text: &str) -> Option<String> {
    let view = View::of(text);
    let seen = &*view.text;
    let mut secrets = shaped_secrets(seen);
    secrets.extend(urls::secrets(seen));
    secrets.extend(named::secrets(seen));
    secrets.extend(commands::secrets(seen));
    secrets.retain(|secret| !secret.is_empty() && seen[secret.clone()] != *MASK);
    secrets.sort_unstable_by_key(|secret| secret.start);
    let secrets: Vec<_> = secrets.iter().map(|secret| view.original(secret)).collect();
    (!secrets.is_empty()).then(|| replace(text, &secrets))
}

/// Secrets that are recognised by their own form.
fn shaped_secrets(text: &str) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    for shape in TABLE.candidates(text) {
        let mut from = 0;
        while let Some(secret) = shape
            .regex()
            .captures_at(text, from)
            .and_then(|found| found.name("secret"))
        {
            // Not after the whole match: what ends one secret may be what stands before the next.
            from = secret.end();
            if !shape.disordered || codes::is_disordered(secret.as_str()) {
                secrets.push(secret.range());
            }
        }
    }
    let quoted_keys = QUOTED_KEY
        .captures_iter(text)
        .filter_map(|quoted| quoted.get(1))
        .filter(|key| codes::is_cloud_key(key.as_str()));
    secrets.extend(quoted_keys.map(|key| key.range()));
    secrets
}

fn replace(text: &str, secrets: &[Range<usize>]) -> String {
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
    masked
}

/// A text in quotes that may be the secret half of a cloud account's key.
static QUOTED_KEY: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r#"["']([0-9A-Za-z+/]{40})\\?["']"#));

#[cfg(test)]
mod tests;
