//! Values of a program's variables: their name tells as much as their text.

use std::borrow::Cow;

use super::codes::{is_cloud_key, is_opaque, is_plain_word};
use super::names::{Smell, is_key, smell};
use super::table::TABLE;
use super::{MASK, mask_line};

/// What of a value must not be shown because of what the value is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenBy {
    /// Nothing: only what looks like a secret by itself.
    Nothing,
    /// Texts that look like codes: a `key` of a dictionary is a word, a `hmac_key` is not.
    Codes,
    /// Strings and byte strings; a number called `token` is no secret.
    Texts,
    /// Everything.
    Everything,
}

/// What the name of a variable, an attribute or a key says about its value.
pub fn hidden_by_name(name: &str) -> HiddenBy {
    if TABLE
        .names
        .headers
        .iter()
        .any(|header| name.replace('_', "-").eq_ignore_ascii_case(header))
    {
        return HiddenBy::Texts;
    }
    match smell(name.trim_start_matches(['-', '_'])) {
        Some(Smell::Strong) => HiddenBy::Everything,
        // Every loop over a dictionary has a `key`.
        Some(Smell::Weak) if is_key(name) => HiddenBy::Codes,
        Some(Smell::Weak | Smell::Telling) => HiddenBy::Texts,
        None => HiddenBy::Nothing,
    }
}

/// A text that a variable held, without the secrets in it.
pub fn mask_value(text: &str) -> Cow<'_, str> {
    if is_cloud_key(text.trim()) {
        return Cow::Borrowed(MASK);
    }
    mask_line(text)
}

/// A text that is a secret by what it is called, if it looks like a code.
pub fn mask_code(text: &str) -> Cow<'_, str> {
    if is_opaque(text.trim()) {
        Cow::Borrowed(MASK)
    } else {
        mask_value(text)
    }
}

/// A text that is a secret by what it is called, unless it is a word that tells nothing.
pub fn mask_hidden(text: &str) -> Cow<'_, str> {
    if is_plain_word(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Borrowed(MASK)
    }
}

/// Whether the next element of a list is a secret because this one says so: `--password`, `api_key`.
pub fn announces_secret(text: &str) -> bool {
    const LONGEST_NAME: usize = 64;
    text.len() <= LONGEST_NAME
        && !text.contains(char::is_whitespace)
        && match smell(text.trim_start_matches('-')) {
            Some(Smell::Strong) => true,
            Some(Smell::Weak | Smell::Telling) => text.starts_with('-'),
            None => false,
        }
}

/// Whether a private key begins in `text`.
pub fn begins_private_key(text: &str) -> bool {
    text.contains("-----BEGIN ") && text.contains("PRIVATE KEY")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_hides_what_it_names() {
        let cases = [
            ("password", HiddenBy::Everything),
            ("_client_secret", HiddenBy::Everything),
            ("__api_key", HiddenBy::Everything),
            ("hf_token", HiddenBy::Everything),
            ("token", HiddenBy::Texts),
            ("session_cookie", HiddenBy::Texts),
            ("pw", HiddenBy::Texts),
            ("auth", HiddenBy::Texts),
            ("key", HiddenBy::Codes),
            ("wandb_key", HiddenBy::Codes),
            ("authkey", HiddenBy::Everything),
            ("Authorization", HiddenBy::Texts),
            ("set_cookie", HiddenBy::Texts),
            ("pad_token", HiddenBy::Nothing),
            ("learning_rate", HiddenBy::Nothing),
        ];
        for (name, expected) in cases {
            assert_eq!(hidden_by_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_secret_that_has_no_name_is_known_by_its_form() {
        // In two pieces, so that nothing in the repository looks like one.
        let key = ["wJalrXUtnFEMI/K7MDENG", "/bPxRfiCYEXAMPLEKEY"].concat();
        assert_eq!(mask_value(&key), MASK);
        let line = format!("upload('{key}', 3)");
        assert_eq!(mask_value(&line), format!("upload('{MASK}', 3)"));
        let pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQ\nabc\n-----END PRIVATE KEY-----\nrest";
        assert_eq!(mask_value(pem), format!("{MASK}\nrest"));
        assert_eq!(mask_value("-----BEGIN RSA PRIVATE KEY-----\nMIIE"), MASK);
        for harmless in [
            "3f2a9c81d4e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9",
            "StatefulPartitionedCallSequentialDense12",
            "/usr/lib/python3/dist/Packages2/Abcdefgh",
        ] {
            assert_eq!(mask_value(harmless), harmless);
        }
    }

    #[test]
    fn a_key_is_hidden_when_it_looks_like_a_code() {
        assert_eq!(mask_code("3f2a9c81d4e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9"), MASK);
        assert_eq!(mask_code("learning_rate"), "learning_rate");
    }

    #[test]
    fn an_element_may_announce_the_next() {
        for name in ["--password", "--token", "api_key", "client_secret"] {
            assert!(announces_secret(name), "{name}");
        }
        for name in ["token", "key", "the password is wrong", "pad_token", "x"] {
            assert!(!announces_secret(name), "{name}");
        }
    }
}
