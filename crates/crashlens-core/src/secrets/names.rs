//! Which names announce a secret.

/// How surely a name announces a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Smell {
    /// Nothing else is called so: `password`, `client_secret`, `API_KEY`.
    Strong,
    /// Also an everyday word of the field: `token` (tokenisers), `key` (dictionaries), `auth`.
    Weak,
}

const STRONG: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passphrases",
    "passcode",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "accesskey",
    "secretkey",
    "authtoken",
    "authkey",
];

const WEAK: &[&str] = &["token", "key", "auth", "pwd", "pass"];

/// With one of these before it, a `key` is a secret.
const KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "master",
    "account",
    "auth",
    "ssh",
    "subscription",
];

/// With one of these before it, a `token` is a piece of text: settings of tokenisers.
const TEXT_TOKENS: &[&str] = &[
    "pad", "bos", "eos", "unk", "mask", "sep", "cls", "special", "next", "last", "first", "per",
    "oov", "start", "end", "stop", "image", "num", "max", "min", "new", "by",
];

/// Whether `name` announces a secret. Words are parted at `_`, `-`, `.` and at changes of case, so that
/// `monkey` and `tokenizer` are words of their own.
pub(super) fn smell(name: &str) -> Option<Smell> {
    let words = words(name);
    let mut strongest = None;
    for (index, word) in words.iter().enumerate() {
        let before = index
            .checked_sub(1)
            .and_then(|previous| words.get(previous))
            .map(String::as_str);
        let is_last = index + 1 == words.len();
        match word.as_str() {
            word if STRONG.contains(&word) => return Some(Smell::Strong),
            "key" if before.is_some_and(|before| KEYS.contains(&before)) => {
                return Some(Smell::Strong);
            }
            "token" if before.is_some_and(|before| TEXT_TOKENS.contains(&before)) => {}
            // `token_type_ids`, `key_padding_mask`, `auth_backend`: the word describes another thing.
            word if is_last && WEAK.contains(&word) => strongest = Some(Smell::Weak),
            _ => {}
        }
    }
    strongest
}

/// Whether the last word of `name` is `key`.
pub(super) fn is_key(name: &str) -> bool {
    words(name).last().is_some_and(|word| word == "key")
}

/// Whether any word of a variable's name speaks of a secret. Stricter than [`smell`]: of an environment
/// variable too little is kept rather than too much.
pub(super) fn mention_a_secret(name: &str) -> bool {
    let is_secret =
        |word: &String| STRONG.contains(&word.as_str()) || WEAK.contains(&word.as_str());
    words(name).iter().any(is_secret)
}

/// The words of an identifier, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_is_lower = false;
    for letter in name.chars() {
        let ends_word =
            !letter.is_ascii_alphanumeric() || (letter.is_ascii_uppercase() && previous_is_lower);
        if ends_word && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        }
        previous_is_lower = letter.is_ascii_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_smells_by_its_words() {
        let cases = [
            ("password", Some(Smell::Strong)),
            ("DB_PASSWORD", Some(Smell::Strong)),
            ("clientSecret", Some(Smell::Strong)),
            ("AWS_SECRET_ACCESS_KEY", Some(Smell::Strong)),
            ("api-key", Some(Smell::Strong)),
            ("HF_TOKEN", Some(Smell::Weak)),
            ("key", Some(Smell::Weak)),
            ("monkey", None),
            ("keyboard", None),
            ("tokenizer", None),
            ("max_tokens", None),
            ("pad_token", None),
            ("token_type_ids", None),
            ("author", None),
            ("bypass", None),
            ("PATH", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(smell(name), expected, "{name}");
        }
    }
}
