//! HDF5: data sets, and the weights that Keras keeps in it.
//!
//! Reads what h5py and Keras write, and follows the library in what it refuses.
//!
//! Not the `hdf5-reader` or `hdf5-pure` crate: both are young, do not bound what a file may ask for, and do not say at which
//! byte a file is damaged. Not `hdf5-metno` either: it is the C library, which must not run on foreign bytes here.

mod attribute;
mod btree;
mod checksum;
mod chunk;
mod dataset;
mod dense;
mod extensible;
mod fractal;
mod index;
mod keras;
mod lzf;
mod message;
mod pipeline;
mod symbols;
mod tree;
mod types;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;

use crashlens_core::files::{
    Array, Contents, Extent, FlawKind, ModelFacts, NamedPart, Part, Tensor,
};

use self::attribute::{attribute, is_elsewhere};
use self::dataset::DataSet;
use self::message::{Cursor, Message};
use self::pipeline::filters;
use self::tree::{Hdf5, link};
use crate::fault::{Fault, Stop, note};
use crate::model::config;
use crate::pages::Pages;
use crate::reading::{Purpose, Reading};
use crate::source::Source;

/// Groups and data sets that are looked at.
const MOST_OBJECTS: usize = 200_000;
/// Faults that are told.
const MOST_FAULTS: usize = 20;
/// The superblock may stand behind a block of the user's.
const STARTS: [u64; 8] = [0, 512, 1024, 2048, 4096, 8192, 16384, 32768];
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// What was seen of a file.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) tensors: Vec<Tensor>,
    /// Texts beside the root group: `keras_version`, `model_config`.
    pub(crate) texts: Vec<(String, Vec<u8>)>,
    /// Groups and data sets, each from the root on.
    paths: HashSet<String>,
    /// Lists of names that Keras goes by: object, attribute, names.
    lists: Vec<(String, String, Vec<String>)>,
    pub(crate) faults: Vec<Fault>,
}

impl Walked {
    pub(crate) fn text(&self, name: &str) -> Option<&[u8]> {
        let mut texts = self.texts.iter().filter(|(it, _)| it == name);
        texts.next().map(|(_, text)| text.as_slice())
    }
}

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let full = reading.options.full;
    let is_model = reading.options.purpose == Purpose::Model;
    let mut walked = walk(&mut reading.source, full, is_model)?;
    if is_model && walked.faults.is_empty() {
        walked.faults = keras::lost(&walked);
    }
    if full {
        reading.facts.extent = Extent::Full;
    }
    let is_keras = walked.text("keras_version").is_some();
    let contents = if is_keras || is_model {
        Contents::Model(Box::new(model(&walked)))
    } else {
        Contents::Arrays(walked.tensors.iter().map(array).collect())
    };
    reading.holds(contents);
    if let Some(text) = walked.text("model_config")
        && config::layers(text).is_none()
    {
        let detail = "the configuration of the model is no JSON";
        reading.flaw(
            FlawKind::Malformed,
            Part::Attribute.named("model_config"),
            detail,
        );
    }
    let version = walked.text("keras_version").unwrap_or_default();
    let version = String::from_utf8_lossy(version);
    if let Some(text) = walked.text("model_config")
        && let Some(detail) = config::unknown(text, &version)
    {
        reading.flaw(
            FlawKind::Malformed,
            Part::Attribute.named("model_config"),
            detail,
        );
    }
    if let Some(text) = walked.text("training_config").filter(|_| is_model)
        && config::layers(text).is_none()
    {
        let detail = "how the model was trained is no JSON";
        reading.flaw(
            FlawKind::Malformed,
            Part::Attribute.named("training_config"),
            detail,
        );
    }
    note(reading, walked.faults);
    Ok(())
}

fn array(tensor: &Tensor) -> Array {
    Array {
        name: tensor.name.clone(),
        dtype: tensor.dtype.clone(),
        shape: tensor.shape.clone(),
        range: None,
        not_finite: tensor.not_finite,
        callables: Vec::new(),
    }
}

fn model(walked: &Walked) -> ModelFacts {
    let version = walked.text("keras_version");
    let configuration = walked.text("model_config").unwrap_or_default();
    ModelFacts {
        producer: version.map(|_| "keras".to_owned()),
        producer_version: version.map(|text| String::from_utf8_lossy(text).into_owned()),
        tensors: walked.tensors.clone(),
        operations: config::layers(configuration).unwrap_or_default(),
        losses: config::losses(walked.text("training_config").unwrap_or_default()),
        ..ModelFacts::default()
    }
}

/// Walks a file from its superblock to the values of its last data set.
pub(crate) fn walk(source: &mut Source, full: bool, is_model: bool) -> io::Result<Walked> {
    let mut pages = Pages::of(source);
    let start = STARTS
        .into_iter()
        .find(|at| pages.bytes::<8>(*at).is_ok_and(|found| found == SIGNATURE));
    let mut file = Hdf5 {
        pages: &mut pages,
        base: 0,
        heaps: HashMap::new(),
        nodes: 0,
        room: [u64::MAX; 2],
        is_model,
    };
    let mut walk = Walk {
        walked: Walked::default(),
        full,
    };
    match walk.file(&mut file, start) {
        Ok(()) => {}
        Err(Stop::Fault(fault)) => walk.fault(fault),
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let fault = Fault::malformed(Part::File, None, "it ends in the middle");
            walk.fault(fault.of_kind(FlawKind::CutShort));
        }
        Err(Stop::Io(error)) => return Err(error),
    }
    Ok(walk.walked)
}

struct Walk {
    walked: Walked,
    full: bool,
}

impl Walk {
    fn fault(&mut self, fault: Fault) {
        if self.walked.faults.len() < MOST_FAULTS {
            self.walked.faults.push(fault);
        }
    }

    fn file(&mut self, file: &mut Hdf5<'_, '_>, start: Option<u64>) -> Result<(), Stop> {
        let Some(start) = start else {
            let fault = Fault::malformed(Part::Superblock, 0, "its first bytes are not there");
            return Err(fault.into());
        };
        let root = file.superblock(start)?;
        let size = file.pages.size();
        if root.end > size {
            let detail = format!("it should end at byte {} and ends at {size}", root.end);
            let fault = Fault::malformed(Part::File, size, detail);
            return Err(fault.of_kind(FlawKind::CutShort).into());
        }
        let mut seen = HashSet::from([root.header]);
        let mut open = VecDeque::from([(String::new(), root.header)]);
        while let Some((name, header)) = open.pop_front() {
            let inner = match self.object(file, &name, header) {
                Ok(inner) => inner,
                // One damaged object says nothing of the others.
                Err(Stop::Fault(fault)) => {
                    self.fault(fault);
                    continue;
                }
                Err(error) => return Err(error),
            };
            for (child, header) in inner {
                let path = format!("{name}/{child}");
                if self.walked.paths.len() < MOST_OBJECTS {
                    self.walked.paths.insert(path.clone());
                }
                if seen.len() < MOST_OBJECTS && seen.insert(header) {
                    open.push_back((path, header));
                }
            }
        }
        Ok(())
    }

    /// What is in a group; a data set has nothing in it.
    fn object(
        &mut self,
        file: &mut Hdf5<'_, '_>,
        name: &str,
        header: u64,
    ) -> Result<Vec<(String, u64)>, Stop> {
        let part = match name {
            "" => Part::RootGroup.into(),
            name => Part::Object.written(format!("`{name}`")),
        };
        let header = file.place(header);
        let messages = file.messages(&part, header)?;
        self.attributes(file, name, &part, &messages)?;
        let of = |kind: u16| messages.iter().find(move |it| it.kind == kind);
        if let Some(layout) = of(8) {
            self.data_set(file, name, &part, &messages, layout)?;
            return Ok(Vec::new());
        }
        if of(1).is_some() && of(3).is_some() {
            let detail = "it has a type and a shape, and no layout";
            return Err(Fault::malformed(part, header, detail).into());
        }
        // Symbol table, link information, links, a named type: an object has one of them.
        if ![0x11, 2, 6, 3].iter().any(|kind| of(*kind).is_some()) {
            let detail = "it is neither a group nor a data set";
            return Err(Fault::malformed(part, header, detail).into());
        }
        let mut members = Vec::new();
        if let Some(table) = of(0x11) {
            let mut cursor = Cursor::of(&table.body);
            if let (Some(tree), Some(heap)) = (cursor.u64(), cursor.u64()) {
                members = match file.symbols(&part, tree, heap) {
                    Err(Stop::Fault(fault)) if file.is_model && self.is_unused(name) => {
                        self.fault(fault.of_kind(FlawKind::IdlePart));
                        Vec::new()
                    }
                    members => members?,
                };
            }
        }
        let links = messages.iter().filter(|it| it.kind == 6);
        members.extend(links.filter_map(|message| link(&message.body)));
        members.extend(file.dense_links(&part, &messages)?);
        Ok(members)
    }

    /// Keras knows by the group's list that there is nothing in it, and does not look.
    fn is_unused(&self, name: &str) -> bool {
        let mut lists = self.walked.lists.iter();
        lists.any(|(at, list, texts)| at == name && list == "weight_names" && texts.is_empty())
    }

    fn attributes(
        &mut self,
        file: &mut Hdf5<'_, '_>,
        name: &str,
        part: &NamedPart,
        messages: &[Message],
    ) -> Result<(), Stop> {
        let kept = messages.iter().filter(|it| it.kind == 0x0c);
        let kept = kept.filter(|it| it.flags & 2 == 0);
        let mut bodies: Vec<Vec<u8>> = kept.map(|it| it.body.clone()).collect();
        bodies.extend(file.dense_attributes(part, messages)?);
        let mut attributes = Vec::new();
        for body in bodies.iter().filter(|it| !is_elsewhere(it)) {
            match attribute(body) {
                Some(found) => attributes.push(found),
                None => self.fault(Fault::malformed(part, None, "an attribute is damaged")),
            }
        }
        let has_model = attributes.iter().any(|it| it.name == "model_config");
        for found in attributes {
            if found.is_foreign() && !file.is_model {
                let detail = format!(
                    "its attribute `{}` is of a type that NumPy does not have",
                    found.name
                );
                let fault = Fault::malformed(part, None, detail);
                self.fault(fault.of_kind(FlawKind::Unsupported));
            }
            let is_idle = file.is_model && has_model && keras::is_idle(&found.name);
            match file.attribute_texts(part, &found) {
                Err(Stop::Fault(fault)) if is_idle => {
                    self.fault(fault.of_kind(FlawKind::IdlePart));
                    continue;
                }
                outcome => outcome?,
            }
            if keras::is_list(&found.name)
                && let Some(texts) = file.attribute_list(part, &found)?
            {
                let list = (name.to_owned(), found.name.clone(), texts);
                self.walked.lists.push(list);
            }
            if name.is_empty()
                && let Some(text) = file.attribute_text(part, &found)?
            {
                self.walked.texts.push((found.name, text));
            }
        }
        Ok(())
    }

    fn data_set(
        &mut self,
        file: &mut Hdf5<'_, '_>,
        name: &str,
        part: &NamedPart,
        messages: &[Message],
        layout: &Message,
    ) -> Result<(), Stop> {
        let of = |kind: u16| messages.iter().find(move |it| it.kind == kind);
        let missing = |what: &str| Fault::malformed(part, None, format!("it has no {what}"));
        let damaged = |what: &str| Fault::malformed(part, None, format!("its {what} is damaged"));
        let element = of(3).ok_or_else(|| missing("type"))?;
        // A type that has a name stands in a header of its own.
        let Some(element) = file.shared(part, element)? else {
            return Ok(());
        };
        let element = types::element_type(&mut Cursor::of(&element));
        let element = element.ok_or_else(|| damaged("type"))?;
        if element.is_foreign {
            let detail = "its values are of a type that NumPy does not have";
            let fault = Fault::malformed(part, None, detail);
            self.fault(fault.of_kind(FlawKind::Unsupported));
        }
        let space = of(1).ok_or_else(|| missing("shape"))?;
        let shape = types::shape(&mut Cursor::of(&space.body)).ok_or_else(|| damaged("shape"))?;
        let pipeline =
            of(0x0b).map(|message| filters(message).ok_or_else(|| damaged("list of filters")));
        let set = DataSet {
            part,
            element: &element,
            shape: &shape,
            filters: pipeline.transpose()?.unwrap_or_default(),
            full: self.full,
        };
        let stored = file.layout(&set, &layout.body)?;
        if stored.not_finite > 0 {
            let detail = format!("{} of its values are NaN or infinite", stored.not_finite);
            let fault = Fault::malformed(part, None, detail);
            self.fault(fault.of_kind(FlawKind::NotFinite));
        }
        self.walked.tensors.push(Tensor {
            name: name.trim_start_matches('/').to_owned(),
            dtype: element.name,
            shape,
            bytes: stored.bytes,
            not_finite: stored.not_finite,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
