//! Recorded reports without secrets, of which nothing should be masked.

use serde_json::Value;

use crate::fixtures;
use crate::secrets::{
    HiddenBy, hidden_by_name, mask_code, mask_command, mask_hidden, mask_line, mask_lines,
    mask_value,
};

/// A report, and what of it was masked.
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) texts: usize,
    pub(super) masked: Vec<String>,
}

/// Captures, logs from public reports and near misses.
pub(super) fn reports() -> Vec<Seen> {
    let mut ids = fixtures::all_in("captures");
    ids.extend(fixtures::all_in("logs"));
    ids.extend(fixtures::all_in("near"));
    ids.iter().map(|id| report(id)).collect()
}

fn report(id: &str) -> Seen {
    let mut seen = Seen {
        id: id.to_owned(),
        texts: 0,
        masked: Vec::new(),
    };
    let text = fixtures::folder().join(id).with_added_extension("txt");
    match std::fs::read(text) {
        // As it was pasted: what the reader of logs drops is masked, too.
        Ok(bytes) => {
            let lines: Vec<String> = String::from_utf8_lossy(&bytes)
                .lines()
                .map(str::to_owned)
                .collect();
            for (line, masked) in lines.iter().zip(mask_lines(&lines)) {
                seen.compare(line, &masked);
            }
        }
        Err(_) => seen.walk(&fixtures::load_value(id)),
    }
    seen
}

impl Seen {
    fn compare(&mut self, text: &str, masked: &str) {
        self.texts += 1;
        if text != masked {
            self.masked.push(format!("{text} -> {masked}"));
        }
    }

    fn walk(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.compare(text, &mask_line(text)),
            Value::Array(elements) => elements.iter().for_each(|element| self.walk(element)),
            Value::Object(fields) => {
                if let (Some(name), Some(text)) =
                    (value["name"].as_str(), value["value"]["text"].as_str())
                {
                    self.local(name, text);
                }
                if let Some(words) = strings(&value["command"]) {
                    for (word, masked) in words.iter().zip(mask_command(&words)) {
                        self.compare(word, &masked);
                    }
                }
                fields.values().for_each(|field| self.walk(field));
            }
            _ => {}
        }
    }

    fn local(&mut self, name: &str, text: &str) {
        // Only texts of a program are masked by their name; the quotes are ours.
        let Some(inner) = text
            .strip_prefix('\'')
            .and_then(|text| text.strip_suffix('\''))
        else {
            return;
        };
        let masked = match hidden_by_name(name) {
            HiddenBy::Nothing => mask_value(inner),
            HiddenBy::Codes => mask_code(inner),
            HiddenBy::Texts | HiddenBy::Everything => mask_hidden(inner),
        };
        self.compare(inner, &masked);
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let elements = value.as_array()?;
    elements
        .iter()
        .map(|element| element.as_str().map(str::to_owned))
        .collect()
}
