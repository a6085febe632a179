//! The undamaged files, and the damaged ones that are made of them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::mutation::{Mutation, Subject};
use super::plan;
use crate::workspace;

/// Below the root of the repository.
pub const FOLDER: &str = "corpus/files/base";

/// An undamaged file, or folder of files that belong together.
#[derive(Debug)]
pub struct Base {
    /// Also the name of the folder it is in: `jpeg`.
    pub format: String,
    /// Without the ending of a file.
    pub name: String,
    /// `.jpg`; empty where it is a folder.
    ending: String,
    members: Vec<Member>,
    /// What it was before it was packed.
    unpacked: Option<Vec<u8>>,
}

/// One file of a base.
#[derive(Debug)]
struct Member {
    /// Below the folder; empty where the base is one file.
    path: String,
    content: Vec<u8>,
}

/// A damaged file, or a folder with one.
#[derive(Debug)]
pub struct Mutant<'a> {
    pub base: &'a Base,
    member: usize,
    pub mutation: Mutation,
    content: Vec<u8>,
}

impl Base {
    pub fn all() -> Result<Vec<Self>> {
        let root = workspace::root().join(FOLDER);
        let mut bases = Vec::new();
        for format in sorted(&root)? {
            for path in sorted(&format)? {
                bases.push(Self::read(&format, &path)?);
            }
        }
        let plain: Vec<_> = bases
            .iter()
            .filter(|base| base.format == "tfrecord")
            .map(|base| (base.name.clone(), base.members[0].content.clone()))
            .collect();
        for base in &mut bases {
            if base.format.starts_with("tfrecord-") {
                let twin = plain.iter().find(|(name, _)| *name == base.name);
                base.unpacked = twin.map(|(_, content)| content.clone());
            }
        }
        Ok(bases)
    }

    fn read(format: &Path, path: &Path) -> Result<Self> {
        let file_name = text(path.file_name().context("no name")?.as_ref());
        let (name, ending) = if path.is_dir() {
            (file_name.as_str(), "")
        } else {
            let end = file_name.find(".weights.h5").or(file_name.rfind('.'));
            file_name.split_at(end.unwrap_or(file_name.len()))
        };
        let mut members = Vec::new();
        for file in files_below(path)? {
            members.push(Member {
                path: text(file.strip_prefix(path)?),
                content: fs_err::read(file)?,
            });
        }
        ensure!(!members.is_empty(), "{} is empty", path.display());
        Ok(Self {
            format: text(format.file_name().context("no name")?.as_ref()),
            name: name.to_owned(),
            ending: ending.to_owned(),
            members,
            unpacked: None,
        })
    }

    /// `jpeg/progressive`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.format, self.name)
    }

    /// Whether `check model` is what looks at it, not `check data`.
    pub fn is_model(&self) -> bool {
        const MODELS: [&str; 9] = [
            "saved-model",
            "checkpoint",
            "graphdef",
            "keras",
            "keras-h5",
            "weights-h5",
            "tflite",
            "safetensors",
            "pickle",
        ];
        MODELS.contains(&self.format.as_str())
    }

    /// Itself and all damaged ones, each different from the others.
    pub fn mutants(&self, seed: u64) -> Result<Vec<Mutant<'_>>> {
        let mut mutants: Vec<Mutant<'_>> = vec![Mutant {
            base: self,
            member: 0,
            mutation: Mutation::Whole,
            content: self.members[0].content.clone(),
        }];
        for member in 0..self.members.len() {
            let mut made = HashSet::new();
            let subject = self.subject(member);
            let label = format!("{seed} {} {}", self.label(), subject.member);
            for mutation in plan::plan(&subject, &label) {
                let content = mutation
                    .apply(&subject)
                    .with_context(|| format!("{} by {mutation}", self.label()))?;
                if content != subject.content && made.insert(content.clone()) {
                    mutants.push(Mutant {
                        base: self,
                        member,
                        mutation,
                        content,
                    });
                }
            }
        }
        Ok(mutants)
    }

    fn subject(&self, member: usize) -> Subject<'_> {
        Subject {
            format: &self.format,
            member: &self.members[member].path,
            content: &self.members[member].content,
            unpacked: self.unpacked.as_deref(),
        }
    }
}

impl Mutant<'_> {
    /// What was done to the base: `flip-12-3`, or `variables%variables.index@flip-12-3` in a folder.
    pub fn deed(&self) -> String {
        let member = &self.base.members[self.member].path;
        if member.is_empty() || self.mutation == Mutation::Whole {
            self.mutation.to_string()
        } else {
            format!("{}@{}", member.replace('/', "%"), self.mutation)
        }
    }

    /// `jpeg/progressive@flip-12-3`.
    pub fn label(&self) -> String {
        format!("{}@{}", self.base.label(), self.deed())
    }

    /// Writes it below a folder; the path to ask about.
    pub fn write(&self, folder: &Path) -> Result<PathBuf> {
        let place = folder.join(format!("{}{}", self.label(), self.base.ending));
        for (number, member) in self.base.members.iter().enumerate() {
            let path = if member.path.is_empty() {
                place.clone()
            } else {
                place.join(&member.path)
            };
            fs_err::create_dir_all(path.parent().context("no folder")?)?;
            let is_damaged = number == self.member;
            let content = if is_damaged {
                &self.content
            } else {
                &member.content
            };
            fs_err::write(path, content)?;
        }
        Ok(if self.base.format == "checkpoint" {
            place.join("ck")
        } else {
            place
        })
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

fn files_below(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for path in sorted(path)? {
        files.extend(files_below(&path)?);
    }
    Ok(files)
}
