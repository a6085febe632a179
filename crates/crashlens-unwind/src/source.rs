//! Lines of Python source files.

use std::collections::BTreeMap;

use crate::Files;

/// Larger files are generated, and nobody reads them.
const MAX_FILE: usize = 16 << 20;
/// Enough to recognise a line by.
const MAX_LINE: usize = 240;

/// Source lines, by file and line, as far as the files can be read.
#[derive(Default)]
pub(crate) struct Sources {
    lines: BTreeMap<String, BTreeMap<u32, String>>,
}

impl Sources {
    /// Reads the wanted lines of `file`.
    pub(crate) fn read(&mut self, files: &dyn Files, file: &str, wanted: &[u32]) {
        // `<frozen importlib>`, `<string>`: no file has such a name.
        if file.starts_with('<') {
            return;
        }
        let Ok(bytes) = files.open(file) else { return };
        let bytes = (*bytes).as_ref();
        if bytes.len() > MAX_FILE {
            return;
        }
        let found = self.lines.entry(file.to_owned()).or_default();
        for (number, line) in (1_u32..).zip(bytes.split(|byte| *byte == b'\n')) {
            if wanted.contains(&number) {
                let text = String::from_utf8_lossy(line);
                found.insert(number, text.trim().chars().take(MAX_LINE).collect());
            }
        }
    }

    pub(crate) fn into_lines(self) -> BTreeMap<String, BTreeMap<u32, String>> {
        self.lines
    }
}
