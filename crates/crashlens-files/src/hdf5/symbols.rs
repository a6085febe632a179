//! Groups of the old kind: a tree of lists of members, sorted by names that stand in a heap.
//!
//! A member is opened by its name, so that every name must be found by a search as the library does it.

use crashlens_core::files::NamedPart;
use std::cmp::Ordering;

use super::tree::{Hdf5, inside};
use crate::fault::{Fault, Stop};

/// What ends a list of unused stretches.
const END_OF_LIST: u64 = 1;
/// Bytes of a name.
const LONGEST_NAME: usize = 1024;

/// A heap of names: where they begin, and how many bytes there are.
#[derive(Clone, Copy)]
struct Names {
    at: u64,
    length: u64,
}

type Name = Vec<u8>;

/// A node of the tree: keys around its children.
struct Node {
    keys: Vec<Option<Name>>,
    children: Vec<Child>,
}

enum Child {
    Node(Node),
    /// Names of members, with the headers they lead to.
    List(Vec<(Name, u64)>),
}

impl Hdf5<'_, '_> {
    /// Names and headers of what is in a group. Keras never looks at the names of a group that is empty.
    pub(super) fn symbols(
        &mut self,
        part: &NamedPart,
        tree: u64,
        heap: u64,
    ) -> Result<Vec<(String, u64)>, Stop> {
        let tree = self.place(tree);
        if self.is_model && self.node(part, tree, 0, None)? == (0, 0) {
            return Ok(Vec::new());
        }
        let names = self.names(part, heap)?;
        let root = self.members(part, tree, None, names)?;
        let mut members = Vec::new();
        root.gather(&mut members);
        // Nobody asks for a member without a name; only who lists them all meets it.
        members.retain(|(name, _)| !self.is_model || !name.is_empty());
        if let Some((lost, _)) = members.iter().find(|(name, _)| !root.finds(name)) {
            let name = String::from_utf8_lossy(lost);
            let detail = format!("a search for its member `{name}` does not come to it");
            return Err(Fault::malformed(part, tree, detail).into());
        }
        let shown =
            |(name, header): (Name, u64)| (String::from_utf8_lossy(&name).into_owned(), header);
        let members = members.into_iter();
        // Links by name lead elsewhere and have no header.
        Ok(members
            .filter(|it| it.1 != super::tree::NOWHERE)
            .map(shown)
            .collect())
    }

    fn names(&mut self, part: &NamedPart, heap: u64) -> Result<Names, Stop> {
        let heap = self.place(heap);
        self.letters(part, heap, *b"HEAP")?;
        inside(self, part, heap, 32, "the heap of its names")?;
        let (length, at) = (self.pages.u64(heap + 8)?, self.pages.u64(heap + 24)?);
        let at = self.place(at);
        inside(self, part, at, length, "the heap of its names")?;
        let names = Names { at, length };
        self.free_list(part, heap, names)?;
        Ok(names)
    }

    /// The unused stretches of a heap of names, which readers walk through.
    fn free_list(&mut self, part: &NamedPart, heap: u64, names: Names) -> Result<(), Stop> {
        let Names { at, length } = names;
        let mut free = self.pages.u64(heap + 16)?;
        for _ in 0..=length / 16 {
            if free == END_OF_LIST {
                return Ok(());
            }
            let is_inside = free.checked_add(16).is_some_and(|end| end <= length);
            let (next, size) = if is_inside {
                (self.pages.u64(at + free)?, self.pages.u64(at + free + 8)?)
            } else {
                (0, 0)
            };
            if next == 0 || free.checked_add(size).is_none_or(|end| end > length) {
                let detail = format!("the list of unused names leads to {free} of {length} bytes");
                return Err(Fault::malformed(part, heap, detail).into());
            }
            free = next;
        }
        Err(Fault::malformed(part, heap, "the list of unused names goes in a circle").into())
    }

    /// The name at a place of the heap, up to its zero; `None` outside of it.
    fn name(&mut self, names: Names, place: u64) -> Result<Option<Name>, Stop> {
        let Some(left) = names.length.checked_sub(place).filter(|it| *it > 0) else {
            return Ok(None);
        };
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(LONGEST_NAME);
        let mut bytes = self.pages.stretch(names.at + place, most)?;
        let end = memchr::memchr(0, &bytes).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(Some(bytes))
    }

    fn members(
        &mut self,
        part: &NamedPart,
        at: u64,
        wanted: Option<u8>,
        names: Names,
    ) -> Result<Node, Stop> {
        let (level, count) = self.node(part, at, 0, wanted)?;
        inside(self, part, at, 24 + 8 + 16 * count, "a node of its tree")?;
        let mut node = Node {
            keys: Vec::new(),
            children: Vec::new(),
        };
        for number in 0..=count {
            let key = self.pages.u64(at + 24 + 16 * number)?;
            node.keys.push(self.name(names, key)?);
        }
        for number in 0..count {
            let child = self.pages.u64(at + 32 + 16 * number)?;
            let child = self.place(child);
            node.children.push(match level.checked_sub(1) {
                None => Child::List(self.list(part, child, names)?),
                below => Child::Node(self.members(part, child, below, names)?),
            });
        }
        Ok(node)
    }

    fn list(
        &mut self,
        part: &NamedPart,
        node: u64,
        names: Names,
    ) -> Result<Vec<(Name, u64)>, Stop> {
        self.letters(part, node, *b"SNOD")?;
        let version = self.pages.u8(node + 4)?;
        let count = u64::from(self.pages.u16(node + 6)?);
        if version != 1 || count > self.room[0] {
            let detail = format!("a list of its members is of version {version} and has {count}");
            return Err(Fault::malformed(part, node, detail).into());
        }
        inside(self, part, node, 8 + 40 * count, "a list of its members")?;
        let mut members = Vec::new();
        for number in 0..count {
            let entry = node + 8 + 40 * number;
            let (place, header) = (self.pages.u64(entry)?, self.pages.u64(entry + 8)?);
            let Some(name) = self.name(names, place)? else {
                let of = names.length;
                let detail = format!("a name would be at {place} of {of} bytes of names");
                return Err(Fault::malformed(part, entry, detail).into());
            };
            let kind = self.pages.u32(entry + 16)?;
            if kind > 2 {
                let detail = format!("a member is kept in the way {kind}, which there is not");
                return Err(Fault::malformed(part, entry, detail).into());
            }
            let is_link = kind == 2;
            let header = if is_link {
                super::tree::NOWHERE
            } else {
                header
            };
            members.push((name, header));
        }
        Ok(members)
    }
}

impl Node {
    fn gather(&self, members: &mut Vec<(Name, u64)>) {
        for child in &self.children {
            match child {
                Child::Node(node) => node.gather(members),
                Child::List(list) => members.extend(list.iter().cloned()),
            }
        }
    }

    /// Whether a search by halves comes to a name.
    fn finds(&self, name: &[u8]) -> bool {
        let (mut left, mut right) = (0, self.children.len());
        while left < right {
            let middle = usize::midpoint(left, right);
            let key = |number: usize| self.keys.get(number).and_then(Option::as_deref);
            // A key outside of the heap ends the search.
            let (Some(below), Some(above)) = (key(middle), key(middle + 1)) else {
                return false;
            };
            if name <= below {
                right = middle;
            } else if name > above {
                left = middle + 1;
            } else {
                return match self.children.get(middle) {
                    Some(Child::Node(node)) => node.finds(name),
                    Some(Child::List(list)) => is_in(list, name),
                    None => false,
                };
            }
        }
        false
    }
}

/// As the library halves a list: where names are out of their order, it depends on the steps which are found.
fn is_in(list: &[(Name, u64)], name: &[u8]) -> bool {
    let (mut left, mut right) = (0, list.len());
    while left < right {
        let middle = usize::midpoint(left, right);
        match list.get(middle).map(|it| name.cmp(&it.0)) {
            Some(Ordering::Less) => right = middle,
            Some(Ordering::Greater) => left = middle + 1,
            Some(Ordering::Equal) => return true,
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(keys: [&str; 2], members: &[&str]) -> Node {
        let name = |it: &str| it.as_bytes().to_vec();
        Node {
            keys: keys.map(|it| Some(name(it))).to_vec(),
            children: vec![Child::List(
                members.iter().map(|it| (name(it), 1)).collect(),
            )],
        }
    }

    #[test]
    fn names_are_found_between_their_keys_and_nowhere_else() {
        assert!(node(["", "layers"], &["entry", "layers"]).finds(b"entry"));
        assert!(node(["", "layers"], &["entry", "layers"]).finds(b"layers"));
        assert!(!node(["", "entry"], &["entry", "layers"]).finds(b"layers"));
        assert!(!node(["f", "layers"], &["entry", "layers"]).finds(b"entry"));
        assert!(!node(["", "layers"], &["hidden", "entry", "layers"]).finds(b"hidden"));
    }
}
