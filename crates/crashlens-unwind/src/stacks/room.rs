//! A limit on all frames of a process together.
//!
//! Each stack is bounded where it is read, but a process may have thousands of them, every frame repeats the names
//! of its module and function, and a recording from a stranger may let one long name stand for every address.

use std::collections::BTreeMap;

use crashlens_core::{Gaps, Module};

use crate::python::PythonThread;
use crate::symbols::FrameName;

/// Bytes of all frames: forty thousand ordinary ones. A saved capture with more could not be read again.
const ALL_FRAMES: usize = 24 << 20;
/// Of a frame without its texts.
const FRAME: usize = 400;

/// What is left of the limit.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
    short: bool,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            left: ALL_FRAMES,
            short: false,
        }
    }
}

impl Room {
    /// Whether frames with these names in `module` still fit; they are counted then.
    pub(super) fn takes_native(&mut self, module: Option<&Module>, names: &[FrameName]) -> bool {
        let module = module.map_or(0, |module| module.path.len() + module.name.len());
        let texts = names.iter().map(|name| {
            let function = name.function.as_ref().map_or(0, String::len);
            let source = name.source.as_ref().map_or(0, |source| source.file.len());
            FRAME + module + function + source
        });
        self.takes(texts)
    }

    /// Whether the frames of `thread` still fit; they are counted then.
    pub(super) fn takes_python(
        &mut self,
        thread: &PythonThread,
        sources: &BTreeMap<String, BTreeMap<u32, String>>,
    ) -> bool {
        let texts = thread.frames.iter().map(|frame| {
            let lines = sources.get(&frame.file);
            let source = lines
                .zip(frame.line)
                .and_then(|(lines, line)| lines.get(&line))
                .map_or(0, String::len);
            let locals = frame.locals.iter().map(|local| {
                let value = &local.value;
                let text = value.text.as_ref().map_or(0, String::len);
                local.name.len() + value.type_name.len() + text
            });
            let locals: usize = locals.sum();
            FRAME + frame.file.len() + frame.function.len() + source + locals
        });
        self.takes(texts)
    }

    fn takes(&mut self, mut costs: impl Iterator<Item = usize>) -> bool {
        let left = costs.try_fold(self.left, usize::checked_sub);
        self.short |= left.is_none();
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Says so if something did not fit.
    pub(super) fn note_shortage(&self, gaps: &mut Gaps) {
        if self.short {
            gaps.add(
                "some frames",
                "the stacks of all threads together are larger than a report may be",
                None,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_name_for_every_address_does_not_fill_the_memory() {
        let name = FrameName {
            function: Some("f".repeat(1 << 20)),
            ..FrameName::default()
        };
        let mut room = Room::default();
        let taken = (0..1000)
            .filter(|_| room.takes_native(None, std::slice::from_ref(&name)))
            .count();
        assert_eq!(taken, 23);
        // What is small still fits.
        assert!(room.takes_native(None, &[FrameName::default()]));
        let mut gaps = Gaps::default();
        room.note_shortage(&mut gaps);
        assert_eq!(gaps.0.len(), 1);
    }
}
