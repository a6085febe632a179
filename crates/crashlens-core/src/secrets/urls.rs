//! User names and passwords in URLs.

use std::ops::Range;

use super::codes::is_opaque;

/// Longest user name and password that are looked for. Bounded, or `://://…` would be read to its end each time.
const LONGEST: usize = 512;

pub(super) fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    if !text.contains('@') {
        return secrets;
    }
    for (position, mark) in text.match_indices("://") {
        let start = position + mark.len();
        let near = &text[start..text.floor_char_boundary(start + LONGEST)];
        let is_end = |letter: char| letter.is_whitespace() || "\"'<>`".contains(letter);
        let url = &near[..near.find(is_end).unwrap_or(near.len())];
        let Some(userinfo) = userinfo(url) else {
            continue;
        };
        let user = userinfo.split(':').next().unwrap_or_default();
        if is_opaque(user) {
            secrets.push(start..start + user.len());
        }
        if let Some(password) = userinfo.get(user.len() + 1..).filter(|it| !it.is_empty()) {
            secrets.push(start + user.len() + 1..start + user.len() + 1 + password.len());
        }
    }
    secrets
}

/// What stands before the `@` of a URL whose scheme was taken off.
///
/// A password may hold `/` and `@`, though it should not, and a path may hold `@`: of several, the first is taken that a
/// full host name follows, else the last.
fn userinfo(url: &str) -> Option<&str> {
    let marks = || url.match_indices('@').map(|(position, _)| position);
    let end = marks()
        .find(|position| begins_with_host(&url[position + 1..]))
        .or_else(|| marks().next_back())?;
    let userinfo = &url[..end];
    let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
    let digits = password.trim_start_matches(|letter: char| letter.is_ascii_digit());
    // `https://host:8080/path@2`
    let is_port = digits.len() < password.len() && digits.starts_with(['/', '?', '#']);
    let is_host = user.contains(['/', '?', '#']) || is_port;
    (!is_host).then_some(userinfo)
}

fn begins_with_host(text: &str) -> bool {
    if text.starts_with('[') {
        return true;
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
    let rest = text.trim_start_matches(is_part);
    let host = &text[..text.len() - rest.len()];
    let has_port = rest
        .strip_prefix(':')
        .is_some_and(|port| port.starts_with(|letter: char| letter.is_ascii_digit()));
    let is_full = host.contains('.') || host == "localhost" || has_port;
    is_full && !host.is_empty() && !rest.starts_with(['@', '%', '!', '$', '*', '+', '='])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        secrets(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn passwords_are_found_whatever_is_in_them() {
        let cases: &[(&str, &[&str])] = &[
            ("https://me:s3cret@host/simple", &["s3cret"]),
            ("postgres://u:p@ss@db.example.com/x", &["p@ss"]),
            ("postgres://u:pa/ss@word@db:5432/x", &["pa/ss@word"]),
            ("redis://:hunter2@localhost:6379/0", &["hunter2"]),
            ("git+https://u:pw@github.com/a/b.git@v1.2", &["pw"]),
            ("mysql://u:pw@[::1]/db", &["pw"]),
            (
                "https://aZ3kP9xQ7mB2cD5v@host.example.com/x",
                &["aZ3kP9xQ7mB2cD5v"],
            ),
            ("https://host:8080/path@2", &[]),
            ("https://medium.com/@me:x", &[]),
            ("ssh://git@github.com/a", &[]),
            ("https://example.com/a?b=c@d.org", &[]),
            ("https://example.com:443/a@b.org", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), *expected, "{text}");
        }
    }
}
