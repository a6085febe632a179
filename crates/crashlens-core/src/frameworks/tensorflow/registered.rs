//! The ops that TensorFlow registers, and which of its kernel classes serve which of them.
//!
//! World facts, made by `data/tensorflow/collect.py` from installed versions.

use std::collections::HashMap;
use std::sync::LazyLock;

const OPS: &str = include_str!("../../../data/tensorflow/ops.txt");
const KERNELS: &str = include_str!("../../../data/tensorflow/kernels.txt");

/// Ops by their letters alone, which is what Python's names of them keep. Of `_If` and `If` Python has the second,
/// which is sorted before the first.
static BY_LETTERS: LazyLock<HashMap<String, &str>> =
    LazyLock::new(|| lines(OPS).rev().map(|op| (letters(op), op)).collect());

/// Ops by class, and by class and functor.
static BY_CLASS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    lines(KERNELS)
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?, words.collect()))
        })
        .collect()
});

fn lines(text: &'static str) -> impl DoubleEndedIterator<Item = &'static str> + Clone {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn letters(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// The registered op with the letters of `name`: `BlockLSTMGradV2` of `block_lstm_grad_v2`.
pub(super) fn spelled(name: &str) -> Option<&'static str> {
    BY_LETTERS.get(&letters(name)).copied()
}

/// Whether an op of exactly this name is registered.
pub(super) fn is_registered_op(name: &str) -> bool {
    spelled(name) == Some(name)
}

/// The ops that `class` serves, where its name alone does not tell; fewer where the functor that `function` names
/// among the class's template arguments narrows them down.
pub(super) fn names_of_class(class: &str, function: &str) -> &'static [&'static str] {
    let by_functor = function
        .split("functor::")
        .skip(1)
        .filter_map(|rest| rest.split(|letter: char| !is_of_name(letter)).next())
        .find_map(|functor| BY_CLASS.get(format!("{class}<{functor}>").as_str()));
    by_functor
        .or_else(|| BY_CLASS.get(class))
        .map_or(&[], Vec::as_slice)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_ops_have_the_same_letters() {
        // `_Mkl…` and other variants that no Python function is made for begin with an underscore.
        let ops = lines(OPS).filter(|op| !op.starts_with('_'));
        assert_eq!(
            ops.clone()
                .map(letters)
                .collect::<std::collections::HashSet<_>>()
                .len(),
            ops.count()
        );
    }

    #[test]
    fn every_op_of_the_table_of_kernels_is_registered() {
        let ops: std::collections::HashSet<&str> = lines(OPS).collect();
        let unknown: Vec<&&str> = BY_CLASS
            .values()
            .flatten()
            .filter(|op| !ops.contains(**op))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
