//! Lines of Python source files, without the secrets that stand in them.

use std::collections::BTreeMap;

use crashlens_core::secrets::{self, MASK};

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
        let mut in_private_key = false;
        for (number, line) in (1_u32..).zip(bytes.split(|byte| *byte == b'\n')) {
            let is_inside = in_private_key;
            if memchr::memmem::find(line, b"-----").is_some() {
                let text = String::from_utf8_lossy(line);
                in_private_key = (in_private_key || secrets::begins_private_key(&text))
                    && !text.contains("-----END ");
            }
            if wanted.contains(&number) {
                let text = String::from_utf8_lossy(line);
                let masked = if is_inside {
                    MASK.into()
                } else {
                    secrets::mask_line(text.trim())
                };
                found.insert(number, masked.chars().take(MAX_LINE).collect());
            }
        }
    }

    pub(crate) fn into_lines(self) -> BTreeMap<String, BTreeMap<u32, String>> {
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    struct Only(&'static str);

    impl Files for Only {
        fn open(&self, _: &str) -> std::io::Result<crate::FileBytes> {
            Ok(Arc::new(self.0.as_bytes().to_vec()))
        }
    }

    #[test]
    fn secrets_in_source_lines_are_masked() {
        let text = "login(user, password=\"hunter2\")\nkey = \"\"\"-----BEGIN PRIVATE KEY-----\n\
                    MIIEvQIBADANBg\n-----END PRIVATE KEY-----\"\"\"\nmodel.fit(x)\n";
        let mut sources = Sources::default();
        sources.read(&Only(text), "a.py", &[1, 2, 3, 4, 5]);
        let lines: Vec<String> = sources
            .into_lines()
            .remove("a.py")
            .unwrap()
            .into_values()
            .collect();
        assert_eq!(
            lines,
            [
                "login(user, password=\"[masked]\")",
                "key = \"\"\"[masked]",
                MASK,
                MASK,
                "model.fit(x)"
            ]
        );
    }
}
