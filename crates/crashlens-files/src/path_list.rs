//! Lists of paths, as `find`, `xargs` and people write them.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;

use crate::names::{path_of, text_of};

/// What ends each path of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathEnd {
    /// A newline; one after a carriage return is taken too.
    Newline,
    /// A zero byte, so that names may have newlines in them.
    Zero,
}

impl PathEnd {
    fn byte(self) -> u8 {
        match self {
            Self::Newline => b'\n',
            Self::Zero => b'\0',
        }
    }
}

/// The paths of a list, without empty ones.
pub fn read_paths(list: impl Read, end: PathEnd) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for name in BufReader::new(list).split(end.byte()) {
        let name = name?;
        let name = match name.strip_suffix(b"\r") {
            Some(line) if end == PathEnd::Newline => line,
            _ => &name,
        };
        if !name.is_empty() {
            paths.push(text_of(OsStr::from_bytes(name)));
        }
    }
    Ok(paths)
}

/// A list as bytes, and the paths that it cannot hold: as two lines, a name with a newline would be two other files.
pub fn list_paths(paths: &[String], end: PathEnd) -> (Vec<u8>, Vec<&str>) {
    let mut list = Vec::new();
    let mut left_out = Vec::new();
    for path in paths {
        let name = path_of(path);
        let name = name.as_os_str().as_bytes();
        if name.contains(&end.byte()) {
            left_out.push(path.as_str());
        } else {
            list.extend_from_slice(name);
            list.push(end.byte());
        }
    }
    (list, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_again_as_it_was_written() {
        let paths = ["a.jpg", "two\nlines.jpg", "caf\u{10ffe9}.jpg"].map(str::to_owned);
        let (list, left_out) = list_paths(&paths, PathEnd::Zero);
        assert!(left_out.is_empty());
        assert_eq!(read_paths(list.as_slice(), PathEnd::Zero).unwrap(), paths);
        let (list, left_out) = list_paths(&paths, PathEnd::Newline);
        assert_eq!(left_out, ["two\nlines.jpg"]);
        assert_eq!(list, b"a.jpg\ncaf\xe9.jpg\n");
    }

    #[test]
    fn lists_from_windows_and_empty_lines_are_understood() {
        let paths = read_paths(b"a.jpg\r\n\r\nb.jpg".as_slice(), PathEnd::Newline).unwrap();
        assert_eq!(paths, ["a.jpg", "b.jpg"]);
    }
}
