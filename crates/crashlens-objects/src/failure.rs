//! What a failed request means, in our own words.
//!
//! The words of the client library are never passed on: they may repeat addresses with signatures in them, or an answer
//! of the store that repeats a key.

use std::error::Error as _;
use std::io;

use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};

/// Says what went wrong.
pub(crate) fn plain(error: &Error, is_anonymous: bool) -> io::Error {
    let told = Told::of(error);
    match error {
        Error::NotFound { .. } => told.absent(),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            told.refused(is_anonymous)
        }
        Error::Precondition { .. } => replaced(),
        Error::InvalidPath { .. } => io::Error::new(
            io::ErrorKind::InvalidInput,
            "a name in it has an empty part, a dot alone or a control character, which cannot be asked for",
        ),
        Error::JoinError { .. } => io::Error::other("the client of the store failed"),
        _ => told.other(error, is_anonymous),
    }
}

/// Another object has its name now.
pub(crate) fn replaced() -> io::Error {
    io::Error::new(
        io::ErrorKind::StaleNetworkFileHandle,
        "it was replaced in the store while it was read",
    )
}

/// Whether a range was asked for that the object does not have: an empty one has none.
pub(crate) fn is_beyond_the_end(error: &Error) -> bool {
    Told::of(error).status == Some(416)
}

/// What is known of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    status: Option<u16>,
    /// The store's own word for it, letters alone: `NoSuchBucket`.
    code: Option<String>,
}

impl Told {
    fn of(error: &Error) -> Self {
        Self::in_words(&error.to_string())
    }

    /// The library hands out no status; its words have it.
    fn in_words(words: &str) -> Self {
        let status = words.split_once("status code: ").and_then(|(_, rest)| {
            let digits = rest.get(..3)?;
            digits.parse().ok()
        });
        let code = words.split_once("<Code>").and_then(|(_, rest)| {
            let (code, _) = rest.split_once("</Code>")?;
            let is_word = code.len() <= 64 && code.bytes().all(|it| it.is_ascii_alphabetic());
            is_word.then(|| code.to_owned())
        });
        Self { status, code }
    }

    fn absent(&self) -> io::Error {
        let is_bucket = self
            .code
            .as_deref()
            .is_some_and(|code| matches!(code, "NoSuchBucket" | "ContainerNotFound"));
        let words = if is_bucket {
            "there is no such bucket"
        } else {
            "there is no such object"
        };
        io::Error::new(io::ErrorKind::NotFound, words)
    }

    fn refused(&self, is_anonymous: bool) -> io::Error {
        let mut words = format!("the store refuses access{}", self.in_brackets());
        if is_anonymous {
            words.push_str("; the environment names no credential");
        }
        io::Error::new(io::ErrorKind::PermissionDenied, words)
    }

    fn other(&self, error: &Error, is_anonymous: bool) -> io::Error {
        if let Some(kind) = transport(error) {
            return match kind {
                HttpErrorKind::Timeout => {
                    io::Error::new(io::ErrorKind::TimedOut, "the store does not answer")
                }
                HttpErrorKind::Connect => io::Error::new(
                    io::ErrorKind::NotConnected,
                    "the store cannot be reached; the network, or the variable that names the endpoint",
                ),
                _ => io::Error::new(
                    io::ErrorKind::ConnectionAborted,
                    "the connection to the store broke",
                ),
            };
        }
        match self.status {
            Some(404) => self.absent(),
            Some(401 | 403) => self.refused(is_anonymous),
            Some(301 | 302 | 307 | 308) => elsewhere(),
            Some(status) => {
                io::Error::other(format!("the store answers {status}{}", self.in_brackets()))
            }
            None if error.to_string().contains("redirect") => elsewhere(),
            None if is_range_ignored(error) => {
                io::Error::other("the store gives no parts of this object")
            }
            None => io::Error::other("the store gives no answer that can be understood"),
        }
    }

    fn in_brackets(&self) -> String {
        self.code
            .as_ref()
            .map(|code| format!(" ({code})"))
            .unwrap_or_default()
    }
}

fn elsewhere() -> io::Error {
    io::Error::other(
        "the store sends elsewhere: the bucket is in another region; name it in AWS_REGION",
    )
}

fn is_range_ignored(error: &Error) -> bool {
    error.to_string().contains("non-partial response")
}

/// How the connection failed, where that was it.
fn transport(error: &Error) -> Option<HttpErrorKind> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return Some(error.kind());
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(words: &str) -> Error {
        Error::Generic {
            store: "S3",
            source: words.to_owned().into(),
        }
    }

    #[test]
    fn an_answer_that_repeats_a_key_is_not_passed_on() {
        let words = "Server returned non-2xx status code: 400 Bad Request: <Error><Code>InvalidAccessKeyId</Code>\
                     <AWSAccessKeyId>AKIAEXAMPLE</AWSAccessKeyId></Error>";
        let told = plain(&failed(words), false).to_string();
        assert_eq!(told, "the store answers 400 (InvalidAccessKeyId)");
    }

    #[test]
    fn a_code_that_is_no_word_is_left_out() {
        let words = "status code: 500 Oops: <Code>\u{1b}[31mred</Code>";
        assert_eq!(
            plain(&failed(words), false).to_string(),
            "the store answers 500"
        );
    }

    #[test]
    fn a_bucket_of_another_region_is_told_as_such() {
        let words = "Received redirect without LOCATION, this normally indicates an incorrectly configured region";
        assert!(
            plain(&failed(words), false)
                .to_string()
                .contains("AWS_REGION")
        );
    }
}
