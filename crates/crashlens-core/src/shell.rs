//! Foreign text in commands that people paste into a shell: file names and package names come from logs and processes,
//! and anybody may have written those.

use crate::capture::System;

/// The text as one word of a POSIX shell; `None` where a terminal or a program would not take it for a plain word.
pub fn word(text: &str) -> Option<String> {
    let is_option = text.starts_with('-');
    if text.is_empty() || is_option || text.chars().any(char::is_control) {
        return None;
    }
    Some(quoted(text))
}

/// Any text as one word of a POSIX shell: for what is shown again as the user typed it.
pub fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./@%+:,=-".contains(&byte);
    // Requirements (`a==1`) are quoted like those with `<` and `>`; and zsh takes a word that begins with `=` for the name
    // of a program.
    let is_requirement = text.contains("==") || text.starts_with('=');
    if text.bytes().all(is_plain) && !text.is_empty() && !is_requirement {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The text as one word of the shell that people use on a system; `None` where there is no safe way to write it.
pub fn quoted_for(system: System, text: &str) -> Option<String> {
    if system != System::Windows {
        return Some(quoted(text));
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:/\\-".contains(&byte);
    if text.bytes().all(is_plain) && !text.is_empty() {
        return Some(text.to_owned());
    }
    // Both cmd and PowerShell keep `<`, `>`, `=`, `,` and spaces between double quotes, and expand these characters there.
    let is_expanded = |it: char| "\"%!$`^".contains(it) || it.is_control();
    // PowerShell takes curly quotes for quotes.
    (text.is_ascii() && !text.contains(is_expanded) && !text.ends_with('\\'))
        .then(|| format!("\"{text}\""))
}

/// The text, where it can be the name of a Python package.
pub fn package(name: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let begins_well = name.bytes().next()?.is_ascii_alphanumeric();
    (begins_well && name.bytes().all(is_plain)).then_some(name)
}

#[cfg(test)]
#[path = "shell/tests.rs"]
mod tests;
