//! The store: buckets that were named, their folders and objects.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use crashlens_files::{Entry, Identity, Source, Store};
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::bucket::Bucket;
use crate::object::Object;
use crate::place::{Place, PlaceError, Scheme};
use crate::recent::Recent;
use crate::settings::{self, Variables};
use crate::worker::{Worker, after, begin};

/// What is read of an object when it is opened: most images whole.
const HEAD: u64 = 1 << 20;
/// A folder with more is not listed: their names alone would fill the memory.
const MOST_ENTRIES: usize = 5_000_000;
/// A single question takes no longer, however long a file may take.
const LONGEST_QUESTION: Duration = Duration::from_mins(2);

type Name = (Scheme, String);

/// Objects in the buckets of the paths it was made for.
pub struct Objects {
    worker: Worker,
    variables: Variables,
    /// Those that may be asked for. What a file names is no reason to go elsewhere.
    named: BTreeSet<Name>,
    buckets: Mutex<BTreeMap<Name, Result<Bucket, String>>>,
    recent: Recent,
    patience: Duration,
}

impl Objects {
    /// For the buckets of these paths, reached as the variables say; no question takes longer than `patience`.
    pub fn new<'a>(
        paths: impl IntoIterator<Item = &'a str>,
        variables: impl IntoIterator<Item = (String, String)>,
        patience: Duration,
    ) -> io::Result<Self> {
        let mut named = BTreeSet::new();
        for path in paths {
            match Place::parse(path) {
                Ok(place) => {
                    named.insert((place.scheme, place.bucket));
                }
                // Such a path must not even be repeated.
                Err(error @ PlaceError::HasCredential) => return Err(invalid(&error)),
                Err(_) => {}
            }
        }
        Ok(Self {
            worker: Worker::start()?,
            variables: variables.into_iter().collect(),
            named,
            buckets: Mutex::default(),
            recent: Recent::default(),
            patience: patience.min(LONGEST_QUESTION),
        })
    }

    fn bucket(&self, path: &str) -> io::Result<(Bucket, String)> {
        let place = Place::parse(path).map_err(|error| invalid(&error))?;
        let name = (place.scheme, place.bucket);
        if !self.named.contains(&name) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is in a bucket that was not asked for",
            ));
        }
        let Ok(mut buckets) = self.buckets.lock() else {
            return Err(io::Error::other("the client of the store failed"));
        };
        let bucket = buckets.entry(name).or_insert_with_key(|(scheme, bucket)| {
            // The client looks for its runtime when it is made.
            let handle = self.worker.handle();
            let _inside = handle.enter();
            settings::connect(*scheme, bucket, &self.variables)
        });
        match bucket {
            Ok(bucket) => Ok((bucket.clone(), place.key)),
            Err(words) => Err(io::Error::new(io::ErrorKind::InvalidInput, words.as_str())),
        }
    }

    fn meta(&self, path: &str) -> io::Result<ObjectMeta> {
        let (bucket, key) = self.bucket(path)?;
        let location = location(&key)?;
        let handle = self.worker.handle();
        begin(&handle, async move { bucket.meta(&location).await }).wait(after(self.patience))
    }

    /// Everything in a folder; whether there was anything, be it only what stands for the folder itself.
    fn below(&self, bucket: &Bucket, folder: &str) -> io::Result<(Vec<Entry>, bool)> {
        let handle = self.worker.handle();
        let mut entries = Vec::new();
        let mut is_there = false;
        let mut token = None;
        loop {
            let (bucket, prefix) = (bucket.clone(), folder.to_owned());
            let page = begin(&handle, async move { bucket.page(&prefix, token).await });
            let page = page.wait(after(self.patience))?;
            let folders = page.result.common_prefixes.iter().map(|it| (it, None));
            let objects = page.result.objects.iter();
            let objects = objects.map(|it| (&it.location, Some(it.size)));
            for (location, size) in folders.chain(objects) {
                is_there = true;
                entries.extend(entry(folder, location, size));
            }
            if entries.len() > MOST_ENTRIES {
                let words =
                    format!("more than {MOST_ENTRIES} objects are in it; name smaller folders");
                return Err(io::Error::other(words));
            }
            token = page.page_token;
            if token.is_none() {
                break;
            }
        }
        entries
            .sort_by(|one, other| (&one.name, one.is_folder).cmp(&(&other.name, other.is_folder)));
        entries.dedup();
        Ok((entries, is_there))
    }
}

impl Store for Objects {
    fn open(&self, path: &str) -> io::Result<Source> {
        self.open_identified(path).map(|(source, _)| source)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let (bucket, key) = self.bucket(folder)?;
        if key.is_empty() {
            return self.below(&bucket, "").map(|(entries, _)| entries);
        }
        location(&key)?;
        let is_object = || self.meta(folder).is_ok();
        match self.below(&bucket, &format!("{key}/")) {
            Ok((entries, true)) => Ok(entries),
            Ok((_, false)) if is_object() => Err(io::ErrorKind::NotADirectory.into()),
            Ok((_, false)) => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "there is no such object, and none below it",
            )),
            // Many may read an object whose bucket they may not list.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_object() => {
                Err(io::ErrorKind::NotADirectory.into())
            }
            Err(error) => Err(error),
        }
    }

    fn identity(&self, path: &str) -> io::Result<Option<Identity>> {
        self.meta(path).map(|meta| Some(identity(&meta)))
    }

    fn open_identified(&self, path: &str) -> io::Result<(Source, Option<Identity>)> {
        let (bucket, key) = self.bucket(path)?;
        let location = location(&key)?;
        let handle = self.worker.handle();
        let known = self.recent.get(path);
        let asked = bucket.clone();
        let head = begin(
            &handle,
            async move { asked.head(&location, HEAD, known).await },
        )
        .wait(after(self.patience))?;
        self.recent.keep(path, &head);
        let (size, identity) = (head.meta.size, identity(&head.meta));
        let object = Object::new(handle, bucket, head, self.patience);
        Ok((Source::new(object, size), Some(identity)))
    }

    fn is_flat(&self) -> bool {
        true
    }
}

fn identity(meta: &ObjectMeta) -> Identity {
    let modified = meta.last_modified;
    Identity {
        size: meta.size,
        modified: i128::from(modified.timestamp()) * 1_000_000_000
            + i128::from(modified.timestamp_subsec_nanos()),
        device: 0,
        inode: 0,
        tag: meta.e_tag.clone(),
    }
}

fn location(key: &str) -> io::Result<Path> {
    if key.is_empty() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Path::parse(key).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "its name has an empty part, a dot alone or a control character, which cannot be asked for",
        )
    })
}

/// `None` for what stands for the folder itself.
fn entry(folder: &str, location: &Path, size: Option<u64>) -> Option<Entry> {
    let name = location.as_ref().strip_prefix(folder)?;
    (!name.is_empty()).then(|| Entry {
        name: name.to_owned(),
        is_folder: size.is_none(),
        size: size.unwrap_or(0),
        ..Entry::default()
    })
}

fn invalid(error: &PlaceError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
}
