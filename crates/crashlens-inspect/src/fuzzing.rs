//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::distribution::{Listing, Metadata, name_and_version};
use crate::interpreter::{executable, path_file, pyvenv};
use crate::{site, tensorflow};

/// Every text in which an interpreter or a package tells about itself.
pub fn package_text(bytes: &[u8]) {
    for listing in [Listing::Record, Listing::Installed] {
        let listing = listing(bytes.to_vec());
        let listed: usize = listing.files().map(|listed| listed.path.len()).sum();
        assert!(listed <= bytes.len(), "a path is not longer than its line");
    }
    let text = String::from_utf8_lossy(bytes);
    let metadata = Metadata::parse(&text);
    let is_shown = |text: &String| !text.contains(char::is_control);
    assert!(metadata.name.iter().all(is_shown) && metadata.requires.iter().all(is_shown));
    pyvenv::Pyvenv::parse(&text);
    for line in path_file::lines(&text) {
        path_file::without_dots(line.as_ref());
        name_and_version(line);
    }
    site::generator(&text);
    tensorflow::version_of_header(&text);
    tensorflow::version_of_script(&text);
    let _ = executable::Head::from_bytes(bytes.to_vec()).architecture();
}
