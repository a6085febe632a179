//! Attributes that are one of a few words.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::model::proto::{Item, Node};

const TEXT: &str = include_str!("../../../data/op_words.txt");

/// Words by op and attribute.
static WORDS: LazyLock<HashMap<(&str, &str), Vec<&str>>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split(' ');
        let (Some(attribute), Some(listed)) = (parts.next(), parts.next()) else {
            continue;
        };
        let listed: Vec<_> = listed.split(',').collect();
        words.extend(parts.map(|op| ((op, attribute), listed.clone())));
    }
    words
});

/// What is wrong with the value of an attribute that is a text.
pub(super) fn fault(op: &str, attribute: &str, value: Option<&Node>) -> Option<String> {
    let allowed = WORDS.get(&(op, attribute))?;
    let Some(Item::Bytes(blob)) = value?.all(2).last() else {
        return None;
    };
    let found = blob.bytes.as_deref()?;
    let is_allowed = allowed.iter().any(|word| word.as_bytes() == found);
    (!is_allowed).then(|| {
        let found = String::from_utf8_lossy(found);
        format!("it is {found:?}, which is none of {}", allowed.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_by_op_and_attribute() {
        let words = WORDS.get(&("Conv2D", "padding"));
        assert_eq!(words, Some(&vec!["EXPLICIT", "SAME", "VALID"]));
        assert!(!WORDS.contains_key(&("MatMul", "padding")));
    }
}
