//! A request taken apart.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::ops::Range;

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) bucket: String,
    /// Empty for the bucket itself.
    pub(crate) key: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut lines = BufReader::new(stream).lines();
        let first = lines.next()?.ok()?;
        let mut words = first.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let mut headers = Vec::new();
        for line in lines {
            let line = line.ok()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        // Azure has the account before the container.
        let path = path.strip_prefix("/account").unwrap_or(path);
        let path = path.trim_start_matches('/');
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Some(Self {
            method: method.to_owned(),
            bucket: bucket.to_owned(),
            key: decoded(key),
            query: pairs
                .map(|(name, value)| (decoded(name), decoded(value)))
                .collect(),
            headers,
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn asks(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The bytes that are asked for, of an object of this size.
    pub(crate) fn range(&self, size: u64) -> Option<Range<u64>> {
        let range = self.header("range").or_else(|| self.header("x-ms-range"))?;
        let (start, last) = range.strip_prefix("bytes=")?.split_once('-')?;
        let last: u64 = last.parse().ok()?;
        Some(start.parse().ok()?..(last + 1).min(size))
    }
}

/// Without `%20` and the like.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let (b'%', Some(code)) = (byte, code) {
            bytes.push(code);
            rest = &after[2..];
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).unwrap()
}
