//! What is to be read: the files below the paths that were asked for, models as wholes.

use std::collections::HashSet;
use std::io;

use crashlens_core::files::{Flaw, Part};

use crate::model::{is_left_by_save, is_saved_model, saved_into};
use crate::reading::Purpose;
use crate::refusal;
use crate::store::{Entry, Identity, Store};
use crate::unentered::{Barrier, Guard, MOST_DEPTH, Unentered};

/// Something to examine: a file, the folder of a SavedModel, the prefix of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// As `examine` takes it.
    pub path: String,
    /// Bytes of a file, for the progress; 0 where it is more than one.
    pub size: u64,
    /// Why it cannot be examined, where it cannot.
    pub trouble: Option<Flaw>,
}

/// Finds what is to be read at and below one path, and hands it on in the order of the names; stops when `found` says so.
/// Returns what it did not enter.
pub fn find(
    store: &dyn Store,
    path: &str,
    purpose: Purpose,
    found: &mut dyn FnMut(Subject) -> bool,
) -> Unentered {
    let mut finder = Finder {
        store,
        purpose,
        found,
        folders: HashSet::new(),
        guard: Guard::default(),
        unentered: Unentered::default(),
    };
    finder.start(path);
    finder.unentered
}

struct Finder<'a> {
    store: &'a dyn Store,
    purpose: Purpose,
    found: &'a mut dyn FnMut(Subject) -> bool,
    /// Those entered already: links may lead in circles.
    folders: HashSet<Identity>,
    guard: Guard,
    unentered: Unentered,
}

impl Finder<'_> {
    fn start(&mut self, path: &str) -> bool {
        let is_folder = path.ends_with('/');
        let path = match path.trim_end_matches('/') {
            "" => "/",
            path => path,
        };
        // One question tells of an object, three of a folder: lists of objects are long.
        if self.store.is_flat()
            && !is_folder
            && let Ok(Some(identity)) = self.store.identity(path)
        {
            return self.hand_on(path.to_owned(), identity.size);
        }
        if Guard::bars_named(self.store, path) {
            self.unentered.add(path, Barrier::Kernel);
            return true;
        }
        match self.store.list(path) {
            Ok(entries) => self.folder(path, &entries, 0),
            Err(error) if is_no_folder(&error) => {
                let size = self.store.identity(path).ok().flatten();
                self.hand_on(path.to_owned(), size.map_or(0, |identity| identity.size))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.missing(path, &error),
            Err(error) => self.in_trouble(path, &error),
        }
    }

    /// Nothing has this name; a checkpoint's prefix is the name of no file.
    fn missing(&mut self, path: &str, error: &io::Error) -> bool {
        if self.purpose == Purpose::Model && self.store.exists(&format!("{path}.index")) {
            return self.hand_on(path.to_owned(), 0);
        }
        self.in_trouble(path, error)
    }

    fn folder(&mut self, folder: &str, entries: &[Entry], depth: usize) -> bool {
        let mut device = 0;
        if !self.store.is_flat()
            && let Ok(Some(identity)) = self.store.identity(folder)
        {
            device = identity.device;
            if !self.folders.insert(identity) {
                return true;
            }
        }
        let is_model = self.purpose == Purpose::Model;
        if is_model && is_saved_model(self.store, folder, entries) {
            return self.hand_on(folder.to_owned(), 0);
        }
        for entry in entries {
            // Version control, editors and notebooks keep their own files in these.
            if entry.name.starts_with('.') {
                continue;
            }
            let path = join(folder, &entry.name);
            if self.guard.bars(self.store, device, entry, &path) {
                self.unentered.add(&path, Barrier::Kernel);
                continue;
            }
            let go_on = if entry.is_folder {
                // What a save left beside its checkpoint is told with that.
                let is_told =
                    is_model && saved_into(&entry.name).is_some_and(|it| has_index(it, entries));
                self.below(&path, depth, is_told)
            } else if is_model {
                match part_of_checkpoint(&entry.name, entries) {
                    Piece::First(prefix) => self.hand_on(join(folder, prefix), 0),
                    Piece::Further => true,
                    Piece::None => self.hand_on(path, entry.size),
                }
            } else {
                self.hand_on(path, entry.size)
            };
            if !go_on {
                return false;
            }
        }
        true
    }

    fn below(&mut self, folder: &str, depth: usize, is_told: bool) -> bool {
        if depth >= MOST_DEPTH {
            self.unentered.add(folder, Barrier::Depth);
            return true;
        }
        let name = folder.rsplit('/').next().unwrap_or(folder);
        match self.store.list(folder) {
            Ok(entries) if self.purpose == Purpose::Model && is_left_by_save(name, &entries) => {
                is_told || self.hand_on(folder.to_owned(), 0)
            }
            Ok(entries) => self.folder(folder, &entries, depth + 1),
            Err(error) => self.in_trouble(folder, &error),
        }
    }

    fn hand_on(&mut self, path: String, size: u64) -> bool {
        (self.found)(Subject {
            path,
            size,
            trouble: None,
        })
    }

    fn in_trouble(&mut self, path: &str, error: &io::Error) -> bool {
        (self.found)(Subject {
            path: path.to_owned(),
            size: 0,
            trouble: Some(refusal::flaw(error, Part::Path)),
        })
    }
}

fn is_no_folder(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory
}

fn join(folder: &str, name: &str) -> String {
    match folder {
        "/" => format!("/{name}"),
        folder => format!("{folder}/{name}"),
    }
}

enum Piece<'a> {
    /// The file that stands for the whole checkpoint of this prefix.
    First(&'a str),
    Further,
    None,
}

fn has_index(prefix: &str, entries: &[Entry]) -> bool {
    let index = format!("{prefix}.index");
    entries.iter().any(|entry| entry.name == index)
}

/// A checkpoint is known by its index; data without one is a checkpoint too, a broken one.
fn part_of_checkpoint<'a>(name: &'a str, entries: &[Entry]) -> Piece<'a> {
    let has = |wanted: &dyn Fn(&str) -> bool| entries.iter().any(|entry| wanted(&entry.name));
    if let Some(prefix) = name.strip_suffix(".index") {
        return Piece::First(prefix);
    }
    let Some((prefix, shard)) = name.rsplit_once(".data-") else {
        return Piece::None;
    };
    if !shard.contains("-of-") {
        return Piece::None;
    }
    let first = format!("{prefix}.data-00000-of-");
    if has_index(prefix, entries)
        || (!name.starts_with(&first) && has(&|other| other.starts_with(&first)))
    {
        Piece::Further
    } else {
        Piece::First(prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::LocalStore;

    fn found(purpose: Purpose, files: &[&str]) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        for file in files {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let root = place.path().to_str().unwrap().to_owned();
        let mut paths = Vec::new();
        find(&LocalStore, &root, purpose, &mut |subject| {
            paths.push(subject.path.replace(&root, "."));
            true
        });
        paths
    }

    #[test]
    fn files_are_found_in_the_order_of_their_names_without_hidden_ones() {
        let files = ["b/2.jpg", "b/1.jpg", "a.png", ".git/config"];
        assert_eq!(
            found(Purpose::Data, &files),
            ["./a.png", "./b/1.jpg", "./b/2.jpg"]
        );
    }

    #[test]
    fn a_saved_model_and_a_checkpoint_are_found_as_wholes() {
        let files = [
            "m/saved_model.pb",
            "m/variables/variables.index",
            "ck-1.index",
            "ck-1.data-00000-of-00002",
            "ck-1.data-00001-of-00002",
            "lost.data-00000-of-00002",
            "lost.data-00001-of-00002",
            "x.tflite",
        ];
        assert_eq!(
            found(Purpose::Model, &files),
            ["./ck-1", "./lost", "./m", "./x.tflite"]
        );
    }

    #[test]
    fn a_saved_model_that_lost_its_graph_is_still_one() {
        let files = [
            "m/variables/variables.index",
            "m/variables/variables.data-00000-of-00001",
            "other/variables/list.txt",
        ];
        assert_eq!(
            found(Purpose::Model, &files),
            ["./m", "./other/variables/list.txt"]
        );
    }

    #[test]
    fn what_a_killed_save_has_left_is_found_as_a_whole_where_nothing_else_tells_of_it() {
        let part = "part-00000-of-00001.data-00000-of-00001";
        let files = [
            "ck-1.index".to_owned(),
            format!("ck-1_temp/{part}"),
            format!("ck-2_temp/{part}"),
            "my_temp/notes.txt".to_owned(),
        ];
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(
            found(Purpose::Model, &files),
            ["./ck-1", "./ck-2_temp", "./my_temp/notes.txt"]
        );
    }

    #[test]
    fn links_in_a_circle_end() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("a.jpg"), "x").unwrap();
        std::os::unix::fs::symlink(place.path(), place.path().join("again")).unwrap();
        let mut count = 0;
        let root = place.path().to_str().unwrap();
        find(&LocalStore, root, Purpose::Data, &mut |_| {
            count += 1;
            true
        });
        assert_eq!(count, 1);
    }

    #[test]
    fn a_path_that_is_not_there_is_told() {
        let mut subjects = Vec::new();
        find(&LocalStore, "no/such/path", Purpose::Data, &mut |subject| {
            subjects.push(subject);
            true
        });
        assert!(subjects[0].trouble.is_some());
    }
}
