//! Which protocol-buffer generator wrote a `*_pb2.py`.

use std::path::Path;

use crashlens_core::survey::Gencode;

use crate::bounded;

/// Imports and the check of the runtime's version come first; descriptors of any length follow.
const HEAD_BYTES: u64 = 8 << 10;

/// For files of old generators, whose descriptors have to be searched.
const MAX_BYTES: u64 = 4 << 20;
/// How files of generators before 3.19 begin their descriptors.
const OLD_FILE: &str = "_descriptor.FileDescriptor(";

/// The newest generator among the files of one distribution.
#[derive(Debug, Default)]
pub(super) struct Newest {
    found: Option<(Vec<u64>, Gencode)>,
    /// A file that makes descriptors one by one.
    direct: Option<String>,
    /// How many begin as such files do.
    direct_count: u64,
}

impl Newest {
    pub(super) fn look_at(&mut self, path: &Path) {
        let Ok(head) = bounded::read_text(path, HEAD_BYTES) else {
            return;
        };
        let Some((numbers, is_checked)) = generator(&head) else {
            return;
        };
        if head.contains(OLD_FILE) {
            self.direct_count += 1;
            if self.direct.is_none() && makes_fields(path) {
                self.direct = Some(path.display().to_string());
            }
        }
        match &mut self.found {
            Some((newest, gencode)) if *newest == numbers => gencode.count += 1,
            Some((newest, _)) if *newest > numbers => {}
            found => {
                let parts: Vec<String> = numbers.iter().map(u64::to_string).collect();
                let gencode = Gencode {
                    version: parts.join("."),
                    is_checked,
                    file: path.display().to_string(),
                    count: 1,
                    ..Gencode::default()
                };
                *found = Some((numbers, gencode));
            }
        }
    }

    pub(super) fn into_gencode(self) -> Option<Gencode> {
        let (_, gencode) = self.found?;
        Some(Gencode {
            direct: self.direct,
            direct_count: self.direct_count,
            ..gencode
        })
    }
}

/// The version that the head of a generated module shows, and whether it asks the runtime for it.
pub(crate) fn generator(head: &str) -> Option<(Vec<u64>, bool)> {
    if let Some((_, call)) = head.split_once("ValidateProtobufRuntimeVersion(") {
        let arguments = call.split(',').skip(1).take(3);
        let numbers: Vec<u64> = arguments
            .map_while(|number| number.trim().parse().ok())
            .collect();
        return (numbers.len() == 3).then_some((numbers, true));
    }
    if !head.contains("google.protobuf") {
        return None;
    }
    let minor = if head.contains("import builder as _builder") {
        20
    } else {
        19
    };
    Some((vec![3, minor], false))
}

fn makes_fields(path: &Path) -> bool {
    let needle = b"_descriptor.FieldDescriptor(";
    let bytes = bounded::read(path, MAX_BYTES).unwrap_or_default();
    memchr::memmem::find(&bytes, needle).is_some()
}
