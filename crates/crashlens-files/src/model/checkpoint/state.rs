//! The file `checkpoint`, which names the latest of a folder.

use crashlens_core::files::{FlawKind, Part};

use super::bundle;
use crate::model::parts::{Parts, folder, join, last};
use crate::store::Store;

/// It is a few lines; more is not one.
const LONGEST: usize = 4 << 20;
const LATEST: &str = "model_checkpoint_path";

/// Whether a file of this name is one: others have the name too.
pub(super) fn is_one(store: &dyn Store, path: &str) -> bool {
    let head = store
        .open(path)
        .and_then(|mut source| source.bytes_at(0, 4096));
    head.is_ok_and(|head| {
        // An empty one is what a save leaves that was killed just then.
        head.is_empty() || String::from_utf8_lossy(&head).contains(LATEST)
    })
}

/// Reads the checkpoint that it names; the only one where it names none that is there.
pub(super) fn read(parts: &mut Parts<'_>, folder: &str) {
    if let Some(prefix) = check(parts, folder) {
        bundle::read(parts, &prefix, "");
    } else if let [only] = prefixes(parts, folder).as_slice() {
        bundle::read(parts, &join(folder, only), "");
    }
}

/// Whether it names a checkpoint that is there, and which.
pub(super) fn check(parts: &mut Parts<'_>, place: &str) -> Option<String> {
    let path = join(place, "checkpoint");
    let text = parts
        .open(&path)
        .and_then(|mut source| source.bytes_at(0, LONGEST));
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            parts.failed(Part::CheckpointState, &error);
            return None;
        }
    };
    if text.is_empty() {
        parts.flaw(
            FlawKind::Empty,
            Part::CheckpointState,
            None,
            "it has no bytes",
        );
        return None;
    }
    let Some(named) = latest(&String::from_utf8_lossy(&text)) else {
        let detail = format!("it has no line `{LATEST}: \"…\"` that can be read");
        parts.flaw(FlawKind::Malformed, Part::CheckpointState, None, detail);
        return None;
    };
    let prefix = if named.starts_with('/') || named.contains("://") {
        named.clone()
    } else {
        join(place, &named)
    };
    super::leftovers(parts, &prefix);
    if parts.store.exists(&format!("{prefix}.index")) {
        return Some(prefix);
    }
    if is_of_old_format(parts, &prefix) {
        return None;
    }
    let others = prefixes(parts, place);
    let beside = match others.last() {
        Some(other) => format!("; {} others are there, among them {other}", others.len()),
        None => String::new(),
    };
    let detail = format!("it names {named} as the latest, and there is no {named}.index{beside}");
    parts.flaw(FlawKind::MissingPart, Part::CheckpointState, None, detail);
    None
}

/// Up to TensorFlow 0.12, and with `write_version=1` to this day, a checkpoint was one table under the very name, or one
/// for each shard. TensorFlow reads them; they are not looked into here.
fn is_of_old_format(parts: &Parts<'_>, prefix: &str) -> bool {
    let shard = format!("{}-00000-of-", last(prefix));
    let mut beside = parts.list(folder(prefix)).into_iter();
    beside.any(|entry| {
        !entry.is_folder && (entry.name == last(prefix) || entry.name.starts_with(&shard))
    })
}

fn prefixes(parts: &Parts<'_>, folder: &str) -> Vec<String> {
    let entries = parts.list(folder);
    let names = entries.iter().filter(|entry| !entry.is_folder);
    names
        .filter_map(|entry| entry.name.strip_suffix(".index"))
        .map(str::to_owned)
        .collect()
}

/// The string behind `model_checkpoint_path:`.
fn latest(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with(LATEST))?;
    let rest = line.trim_start().strip_prefix(LATEST)?.trim_start();
    let rest = rest.strip_prefix(':')?.trim();
    let inner = rest
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| {
            rest.strip_prefix('\'')
                .and_then(|rest| rest.strip_suffix('\''))
        })?;
    unescaped(inner)
}

/// Text format writes bytes that are no plain letters as `\nnn` in octal.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        if *byte != b'\\' {
            bytes.push(*byte);
            rest = after;
            continue;
        }
        let digits = after
            .iter()
            .take(3)
            .take_while(|digit| (b'0'..=b'7').contains(*digit))
            .count();
        if digits > 0 {
            let (octal, after) = after.split_at_checked(digits)?;
            let value = octal
                .iter()
                .fold(0_u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(value).ok()?);
            rest = after;
        } else {
            let (escaped, after) = after.split_first()?;
            bytes.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                other => *other,
            });
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_is_read_whatever_letters_it_has() {
        let text =
            "model_checkpoint_path: \"m\\303\\266del-3\"\nall_model_checkpoint_paths: \"x\"\n";
        assert_eq!(latest(text).as_deref(), Some("mödel-3"));
        assert_eq!(latest("all_model_checkpoint_paths: \"x\"\n"), None);
        assert_eq!(latest("model_checkpoint_path: \"ck"), None);
    }
}
