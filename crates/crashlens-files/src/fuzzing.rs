//! Ways in for the fuzz targets: any bytes, under any name.

use crashlens_core::files::FileFacts;

use std::io;

use crate::source::Source;
use crate::store::{Entry, Identity, Store};
use crate::{Options, examine};

/// One file in memory.
struct OneFile<'a>(&'a [u8]);

impl Store for OneFile<'_> {
    fn open(&self, _path: &str) -> io::Result<Source> {
        Ok(Source::of_bytes(self.0.to_vec()))
    }

    fn list(&self, _folder: &str) -> io::Result<Vec<Entry>> {
        Ok(Vec::new())
    }

    fn identity(&self, _path: &str) -> io::Result<Option<Identity>> {
        Ok(None)
    }
}

/// What is seen of these bytes, named `name`.
pub fn examine_bytes(name: &str, bytes: &[u8], options: &Options) -> FileFacts {
    examine(&OneFile(bytes), name, options)
}
