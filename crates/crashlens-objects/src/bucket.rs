//! One bucket: its requests, one for one.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use futures_util::StreamExt as _;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _,
};

use crate::failure::{self, plain, replaced};

/// A bucket that can be asked.
#[derive(Clone)]
pub(crate) struct Bucket {
    objects: Arc<dyn ObjectStore>,
    pages: Arc<dyn PaginatedListStore>,
    /// Whether it is asked without a credential, for those who wonder why it refuses.
    pub(crate) is_anonymous: bool,
}

/// The beginning of an object, and what it was then.
pub(crate) struct Head {
    pub(crate) meta: ObjectMeta,
    pub(crate) bytes: Arc<Vec<u8>>,
}

impl Bucket {
    pub(crate) fn new<S: ObjectStore + PaginatedListStore>(
        store: Arc<S>,
        is_anonymous: bool,
    ) -> Self {
        Self {
            objects: Arc::clone(&store) as Arc<dyn ObjectStore>,
            pages: store,
            is_anonymous,
        }
    }

    /// What an object is now.
    pub(crate) async fn meta(&self, location: &Path) -> io::Result<ObjectMeta> {
        let meta = self.objects.head(location).await;
        meta.map_err(|error| self.plain(&error))
    }

    /// One page of what is in a folder.
    pub(crate) async fn page(
        &self,
        folder: &str,
        page_token: Option<String>,
    ) -> io::Result<PaginatedListResult> {
        let prefix = Some(folder).filter(|folder| !folder.is_empty());
        let options = PaginatedListOptions {
            delimiter: Some("/".into()),
            page_token,
            ..PaginatedListOptions::default()
        };
        let page = self.pages.list_paginated(prefix, options).await;
        page.map_err(|error| self.plain(&error))
    }

    /// The first bytes of an object; those of `known` where it still is what it was then.
    pub(crate) async fn head(
        &self,
        location: &Path,
        most: u64,
        known: Option<Head>,
    ) -> io::Result<Head> {
        let tag = known.as_ref().and_then(|known| known.meta.e_tag.clone());
        let options = GetOptions {
            range: Some(GetRange::Bounded(0..most)),
            if_none_match: tag,
            ..GetOptions::default()
        };
        match (self.objects.get_opts(location, options).await, known) {
            (Ok(result), _) => {
                let meta = result.meta.clone();
                let bytes = self.collected(result).await?;
                let bytes = Arc::new(bytes);
                Ok(Head { meta, bytes })
            }
            (Err(Error::NotModified { .. }), Some(known)) => Ok(known),
            // Of an empty object no part can be asked for.
            (Err(error), _) if failure::is_beyond_the_end(&error) => {
                let meta = self.meta(location).await?;
                let bytes = Arc::default();
                if meta.size > 0 {
                    return Err(self.plain(&error));
                }
                Ok(Head { meta, bytes })
            }
            (Err(error), _) => Err(self.plain(&error)),
        }
    }

    /// A part of an object that must be the one that `meta` was of.
    pub(crate) async fn part(&self, meta: &ObjectMeta, range: Range<u64>) -> io::Result<Vec<u8>> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: meta.e_tag.clone(),
            ..GetOptions::default()
        };
        let result = self.objects.get_opts(&meta.location, options).await;
        let result = match result {
            Ok(result) => result,
            // It has become shorter.
            Err(error) if failure::is_beyond_the_end(&error) => return Err(replaced()),
            Err(error) => return Err(self.plain(&error)),
        };
        // Not every store heeds the condition.
        if result.meta.e_tag != meta.e_tag || result.meta.size != meta.size {
            return Err(replaced());
        }
        self.collected(result).await
    }

    /// The bytes of an answer: as many as it announced, whatever is sent.
    async fn collected(&self, result: GetResult) -> io::Result<Vec<u8>> {
        let announced = result.range.end.saturating_sub(result.range.start);
        let length = usize::try_from(announced).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        let mut stream = result.into_stream();
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|error| self.plain(&error))?;
            let wanted = piece.len().min(length.saturating_sub(bytes.len()));
            bytes.extend_from_slice(piece.get(..wanted).unwrap_or_default());
            if bytes.len() >= length {
                break;
            }
        }
        if bytes.len() < length {
            return Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the store sent fewer bytes than it announced",
            ));
        }
        Ok(bytes)
    }

    fn plain(&self, error: &Error) -> io::Error {
        plain(error, self.is_anonymous)
    }
}
