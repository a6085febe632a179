//! Containers for people: a few elements, what they hold masked by their names and by what stands before them.

use std::fmt::Write as _;

use crashlens_core::Array;
use crashlens_core::secrets::{self, HiddenBy};

use crate::Unreadable;

use super::super::arrays;
use super::shown::{Concealment, UNREADABLE, Writer};
use super::{Object, TYPE_DICTIONARY, flags};

/// Elements that are shown of a container by itself, and of one in another.
const MOST_ELEMENTS: usize = 8;
const MOST_ELEMENTS_WITHIN: usize = 4;
/// Containers in containers.
const DEEPEST: usize = 3;

impl Writer<'_> {
    pub(super) fn sequence(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let most = if depth < DEEPEST {
            most_elements(depth)
        } else {
            0
        };
        let (elements, length) = self.values.elements(object, most)?;
        let mut announced = Announced::default();
        let shown: Vec<String> = elements
            .iter()
            .map(|element| {
                let text = self.name_of(*element);
                let concealed = announced.conceals(concealed, text.as_deref());
                self.element(*element, depth, concealed)
            })
            .collect();
        let is_tuple = object.is(flags::TUPLE);
        let mut inner = joined(&shown, length);
        if is_tuple && length == 1 && !shown.is_empty() {
            inner.push(',');
        }
        Ok(if is_tuple {
            format!("({inner})")
        } else {
            format!("[{inner}]")
        })
    }

    pub(super) fn set(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let most = if depth < DEEPEST {
            most_elements(depth)
        } else {
            0
        };
        let (elements, length) = self.values.set_elements(object.address, most)?;
        let shown: Vec<String> = elements
            .iter()
            .map(|element| self.element(*element, depth, concealed))
            .collect();
        let inner = joined(&shown, length);
        let is_python2 = self.values.layout().version.0 == 2;
        Ok(match (&*object.type_name, length) {
            (name, _) if is_python2 => format!("{name}([{inner}])"),
            (name, 0) => format!("{name}()"),
            ("set", _) => format!("{{{inner}}}"),
            (name, _) => format!("{name}({{{inner}}})"),
        })
    }

    pub(super) fn dictionary(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let most = if depth < DEEPEST {
            most_elements(depth)
        } else {
            0
        };
        let (entries, length) = self.values.entries(object.address, most)?;
        let shown: Vec<String> = entries
            .iter()
            .map(|(key, value)| {
                let name = self.name_of(*key);
                let key = self.element(*key, depth, concealed);
                let concealed = concealed.within(name.as_deref());
                format!("{key}: {}", self.element(*value, depth, concealed))
            })
            .collect();
        Ok(format!("{{{}}}", joined(&shown, length)))
    }

    /// The type of an exception and what it was made of.
    pub(super) fn exception(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        const ARGUMENTS: u64 = 24;
        let arguments = self.values.pointer(object.address, ARGUMENTS)?;
        let arguments = self.values.object(arguments)?;
        if !arguments.is(flags::TUPLE) {
            return Err(Unreadable {
                address: arguments.address,
            });
        }
        let (elements, length) = self.values.elements(&arguments, most_elements(depth))?;
        let shown: Vec<String> = elements
            .iter()
            .map(|element| self.element(*element, depth, concealed))
            .collect();
        let name = object.type_name.rsplit('.').next().unwrap_or_default();
        Ok(format!("{name}({})", joined(&shown, length)))
    }

    /// Objects that Python writes by their attributes: namespaces and data classes.
    pub(super) fn by_attributes(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<Option<String>, Unreadable> {
        let name = self.values.qualified_name(object);
        let is_namespace = matches!(&*name, "argparse.Namespace" | "types.SimpleNamespace");
        if depth >= DEEPEST || !(is_namespace || self.is_data_class(object)) {
            return Ok(self.by_name(object, depth, concealed));
        }
        let attributes = self.values.attributes(object)?;
        let shown: Vec<String> = attributes
            .iter()
            .take(most_elements(depth))
            .map(|(name, value)| {
                let name = self.values.text(*name).unwrap_or_default();
                let concealed = concealed.within(Some(&name));
                format!("{name}={}", self.element(*value, depth, concealed))
            })
            .collect();
        let name = match name.rsplit('.').next() {
            Some("SimpleNamespace") | None => "namespace",
            Some(name) => name,
        };
        let inner = joined(&shown, attributes.len() as u64);
        Ok(Some(format!("{name}({inner})")))
    }

    /// Objects that Python writes by a name or number of theirs: processes, threads, results of a pool.
    fn by_name(&self, object: &Object, depth: usize, concealed: Concealment) -> Option<String> {
        const NAMED: [(&str, &str, &str); 4] = [
            ("BaseProcess", "name", "_name"),
            ("Thread", "name", "_name"),
            ("ApplyResult", "job", "_job"),
            ("IMapIterator", "job", "_job"),
        ];
        let bases = self.values.bases(object);
        let (_, label, attribute) = NAMED
            .iter()
            .find(|(class, ..)| bases.iter().any(|base| &**base == *class))?;
        let value = self.values.attribute(object, attribute)?;
        let text = self.element(value, depth, concealed.within(Some(label)));
        Some(format!("<{} {label}={text}>", object.type_name))
    }

    fn is_data_class(&self, object: &Object) -> bool {
        object.is(flags::HEAP_TYPE)
            && self
                .values
                .pointer(object.type_address, TYPE_DICTIONARY)
                .is_ok_and(|names| self.values.lookup(names, "__dataclass_fields__").is_some())
    }

    /// The text of a key that may announce a secret.
    fn name_of(&self, key: u64) -> Option<String> {
        self.values.text(key).or_else(|| {
            let key = self.values.object(key).ok()?;
            let (bytes, _) = key
                .is(flags::BYTES)
                .then(|| self.values.byte_string(&key).ok())??;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        })
    }

    /// An element of a container.
    pub(super) fn element(&self, address: u64, depth: usize, concealed: Concealment) -> String {
        // Things may hold themselves.
        if depth > DEEPEST {
            return "…".to_owned();
        }
        let Ok(object) = self.values.object(address) else {
            return UNREADABLE.to_owned();
        };
        if let Some(array) = arrays::read(self.values, &object) {
            return array_text(&self.values.qualified_name(&object), &array);
        }
        self.text(&object, depth + 1, concealed)
            .unwrap_or_else(|| format!("<{}>", self.values.qualified_name(&object)))
    }
}

/// What the elements before announce of the next one: `["--password", "…"]`, the lines of a private key.
#[derive(Default)]
struct Announced {
    secret: bool,
    private_key: bool,
}

impl Announced {
    fn conceals(&mut self, concealed: Concealment, text: Option<&str>) -> Concealment {
        let follows = self.secret || self.private_key;
        if let Some(text) = text {
            let begins = secrets::begins_private_key(text);
            self.private_key = (self.private_key || begins) && !text.contains("-----END ");
            self.secret = secrets::announces_secret(text);
        } else {
            self.secret = false;
        }
        if follows {
            Concealment(concealed.0.max(HiddenBy::Texts))
        } else {
            concealed
        }
    }
}

fn most_elements(depth: usize) -> usize {
    if depth == 0 {
        MOST_ELEMENTS
    } else {
        MOST_ELEMENTS_WITHIN
    }
}

/// Elements and how many more there are.
fn joined(shown: &[String], length: u64) -> String {
    let mut text = shown.join(", ");
    let more = length.saturating_sub(shown.len() as u64);
    if more > 0 {
        let comma = if shown.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}… {more} more");
    }
    text
}

fn array_text(type_name: &str, array: &Array) -> String {
    let dtype = array.dtype.as_deref().unwrap_or("?");
    let shape = array.shape.as_ref().map(|shape| {
        let extents: Vec<String> = shape
            .iter()
            .map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string()))
            .collect();
        format!("[{}]", extents.join(", "))
    });
    format!("<{type_name} {dtype}{}>", shape.unwrap_or_default())
}
