//! Which names announce a secret.

use super::table::TABLE;

/// How surely a name announces a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Smell {
    /// Also an everyday word of the field: `token` (tokenizers), `key` (dictionaries), `auth`.
    Weak,
    /// A text of this name is a secret, a number or a path is not: `pw`, `cookie`, `MYSQL_PWD`.
    Telling,
    /// Nothing else is called so: `password`, `client_secret`, `API_KEY`.
    Strong,
}

/// Maximum number of characters of a name that are looked at. Bounds what one name costs.
const LONGEST_NAME: usize = 256;

/// Whether `name` announces a secret. Words are parted at `_`, `-`, `.` and at changes of case, so that
/// `monkey` and `tokenizer` are words of their own.
pub(super) fn smell(name: &str) -> Option<Smell> {
    let names = &TABLE.names;
    let words = words(name);
    let mut strongest = None;
    for (index, word) in words.iter().enumerate() {
        let before = index
            .checked_sub(1)
            .and_then(|previous| words.get(previous))
            .map(String::as_str);
        strongest = strongest.max(smell_of_word(word, before, index + 1 == words.len()));
    }
    let describes = words
        .last()
        .is_some_and(|last| names.describing.contains(last));
    match strongest {
        Some(_) if describes => Some(Smell::Weak),
        strongest => strongest,
    }
}

fn smell_of_word(word: &str, before: Option<&str>, is_last: bool) -> Option<Smell> {
    let names = &TABLE.names;
    let is_in = |list: &[String], word: &str| list.iter().any(|known| known == word);
    let follows = |list: &[String]| before.is_some_and(|before| is_in(list, before));
    let is_strong = names
        .strong
        .iter()
        .any(|strong| word.ends_with(strong.as_str()))
        || is_in(&names.strong_words, word)
        || (word == "key" && follows(&names.keys))
        || (word == "token" && follows(&names.tokens));
    if is_strong {
        return Some(Smell::Strong);
    }
    if word == "token" && follows(&names.text_tokens) {
        return None;
    }
    let is_owned = names.owned.iter().any(|owned| {
        word.strip_suffix(owned.as_str()).is_some_and(|owner| {
            is_in(&names.owners, owner) || (owner.is_empty() && follows(&names.owners))
        })
    });
    // `pwd` by itself is a folder.
    let is_telling =
        is_owned || (is_in(&names.telling, word) && (word != "pwd" || before.is_some()));
    // `token_type_ids`, `key_padding_mask`, `cookie_jar`: the word describes another thing.
    match is_last {
        true if is_telling => Some(Smell::Telling),
        true if is_in(&names.weak, word) => Some(Smell::Weak),
        _ => None,
    }
}

/// Whether the last word of `name` is `key`.
pub(super) fn is_key(name: &str) -> bool {
    words(name).last().is_some_and(|word| word == "key")
}

/// Whether the last word of `name` is short for a password.
pub(super) fn is_password(name: &str) -> bool {
    words(name)
        .last()
        .is_some_and(|word| TABLE.names.owned.contains(word))
}

/// Whether any word of a variable's name speaks of a secret. Stricter than [`smell`]: of an environment
/// variable too little is kept rather than too much.
pub(super) fn mention_a_secret(name: &str) -> bool {
    let names = &TABLE.names;
    smell(name).is_some()
        || words(name).iter().any(|word| {
            names.weak.contains(word)
                || names.telling.contains(word)
                || smell_of_word(word, None, true).is_some()
        })
}

/// The words of an identifier, in lower case, without the numbers at their ends.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_is_lower = false;
    for letter in name.chars().take(LONGEST_NAME) {
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
    for word in &mut words {
        let length = word
            .trim_end_matches(|letter: char| letter.is_ascii_digit())
            .len();
        if length > 0 {
            word.truncate(length);
        }
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
            ("PGPASSWORD", Some(Smell::Strong)),
            ("userpassword", Some(Smell::Strong)),
            ("password2", Some(Smell::Strong)),
            ("access_token", Some(Smell::Strong)),
            ("X-Amz-Security-Token", Some(Smell::Strong)),
            ("creds", Some(Smell::Strong)),
            ("bearer", Some(Smell::Strong)),
            ("jwt", Some(Smell::Strong)),
            ("otp", Some(Smell::Strong)),
            ("MYSQL_PWD", Some(Smell::Telling)),
            ("userpass", Some(Smell::Telling)),
            ("db_pass", Some(Smell::Telling)),
            ("pw", Some(Smell::Telling)),
            ("dbpw", Some(Smell::Telling)),
            ("session_cookie", Some(Smell::Telling)),
            ("HF_TOKEN", Some(Smell::Strong)),
            ("token", Some(Smell::Weak)),
            ("key", Some(Smell::Weak)),
            ("sig", Some(Smell::Weak)),
            ("X-Amz-Signature", Some(Smell::Weak)),
            ("password_file", Some(Smell::Weak)),
            ("PWD", Some(Smell::Weak)),
            ("monkey", None),
            ("keyboard", None),
            ("tokenizer", None),
            ("max_tokens", None),
            ("pad_token", None),
            ("token_type_ids", None),
            ("author", None),
            ("bypass", None),
            ("compass", None),
            ("cookie_jar", None),
            ("power", None),
            ("PATH", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(smell(name), expected, "{name}");
        }
    }
}
