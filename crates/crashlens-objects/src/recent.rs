//! The beginnings of objects that were opened just now.
//!
//! A file is opened more than once: to know it, to read it, to hash it. The store is asked each time whether it is still
//! the same; its bytes are sent once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::bucket::Head;

/// Bytes that are kept, for all threads together.
const MOST: usize = 16 << 20;

#[derive(Default)]
pub(crate) struct Recent(Mutex<VecDeque<(String, Head)>>);

impl Recent {
    pub(crate) fn get(&self, path: &str) -> Option<Head> {
        let kept = self.0.lock().ok()?;
        let (_, head) = kept.iter().find(|(known, _)| known == path)?;
        Some(head.again())
    }

    pub(crate) fn keep(&self, path: &str, head: &Head) {
        // Without a tag the store cannot say whether it is still the same.
        if head.meta.e_tag.is_none() {
            return;
        }
        let Ok(mut kept) = self.0.lock() else {
            return;
        };
        kept.retain(|(known, _)| known != path);
        kept.push_back((path.to_owned(), head.again()));
        while kept.iter().map(|(_, head)| head.bytes.len()).sum::<usize>() > MOST {
            kept.pop_front();
        }
    }
}

impl Head {
    /// The same bytes for another reader.
    fn again(&self) -> Self {
        Self {
            meta: self.meta.clone(),
            bytes: Arc::clone(&self.bytes),
        }
    }
}
