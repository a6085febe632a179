//! Checkpoints: index and data files with one prefix.

use crashlens_core::files::FileFacts;

use crate::reading::Options;
use crate::store::Store;

/// `None` where `path` is none.
pub(super) fn examine(_store: &dyn Store, _path: &str, _options: &Options) -> Option<FileFacts> {
    None
}
