//! The configuration of a Keras model: its layers, from JSON.

mod settings;

use std::collections::BTreeMap;

use crashlens_core::files::Operation;
use serde_json::Value;

pub(crate) use self::settings::unknown;

/// Layers that are looked at.
const MOST_LAYERS: usize = 100_000;
/// Losses that are told.
const MOST_LOSSES: usize = 100;
/// Kinds of layers.
const MOST_KINDS: usize = 1000;

/// The kinds of layers, each once; `None` where it is no JSON.
pub(crate) fn layers(json: &[u8]) -> Option<Vec<Operation>> {
    if json.is_empty() {
        return None;
    }
    let value = parse(json)?;
    let mut kinds = BTreeMap::new();
    let mut open = vec![&value];
    let mut seen = 0;
    // Models are layers of models: everything with a class and a configuration is one.
    while let Some(value) = open.pop() {
        seen += 1;
        if seen > MOST_LAYERS {
            break;
        }
        match value {
            Value::Object(fields) => {
                count(fields, &mut kinds);
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    Some(kinds.into_values().collect())
}

/// The losses of a training configuration: one, one for each output, or by the names of the outputs.
pub(crate) fn losses(json: &[u8]) -> Vec<String> {
    let Some(value) = parse(json) else {
        return Vec::new();
    };
    let texts: Vec<&Value> = match value.get("loss") {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Object(outputs)) => outputs.values().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let texts = texts.into_iter().filter_map(Value::as_str);
    texts.take(MOST_LOSSES).map(str::to_owned).collect()
}

/// JSON as Python writes and reads it, which has NaN and Infinity.
fn parse(json: &[u8]) -> Option<Value> {
    serde_json::from_slice(json).ok().or_else(|| {
        let text = std::str::from_utf8(json).ok()?;
        let plain = [": NaN", ": Infinity", ": -Infinity"]
            .iter()
            .fold(text.to_owned(), |text, word| text.replace(word, ": null"));
        serde_json::from_str(&plain).ok()
    })
}

fn count(fields: &serde_json::Map<String, Value>, kinds: &mut BTreeMap<String, Operation>) {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let (Some(class), Some(config)) = (text(fields.get("class_name")), fields.get("config")) else {
        return;
    };
    if kinds.len() >= MOST_KINDS && !kinds.contains_key(&class) {
        return;
    }
    // A registered name is one that the user's own code gave: `package>Class`.
    let registered = text(fields.get("registered_name"));
    let module = text(fields.get("module"));
    let is_own = |module: &str| module == "builtins" || module.starts_with("keras");
    let custom = class.contains('>')
        || registered.is_some_and(|name| name.contains('>') && !name.starts_with("keras"))
        || module.is_some_and(|module| !is_own(&module) && !module.starts_with("tensorflow"));
    let first = text(config.get("name")).unwrap_or_default();
    let kind = kinds.entry(class.clone()).or_insert(Operation {
        name: class,
        count: 0,
        first,
        custom,
    });
    kind.count += 1;
    kind.custom |= custom;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_within_layers_are_counted() {
        let json = br#"{"class_name":"Sequential","config":{"name":"s","layers":[
            {"class_name":"Lambda","config":{"name":"l1"}},
            {"class_name":"Lambda","config":{"name":"l2"}},
            {"class_name":"Mine","config":{"name":"m"},"registered_name":"pack>Mine"}]}}"#;
        let layers = layers(json).expect("JSON");
        let seen: Vec<_> = layers
            .iter()
            .map(|it| (it.name.as_str(), it.count, it.custom))
            .collect();
        assert_eq!(
            seen,
            [
                ("Lambda", 2, false),
                ("Mine", 1, true),
                ("Sequential", 1, false)
            ]
        );
        assert_eq!(layers[0].first, "l2");
    }

    #[test]
    fn losses_are_told_however_they_are_given() {
        assert_eq!(losses(br#"{"loss": "mse"}"#), ["mse"]);
        assert_eq!(losses(br#"{"loss": ["mse", null]}"#), ["mse"]);
        assert_eq!(losses(br#"{"loss": {"a": "mae"}}"#), ["mae"]);
        assert!(losses(br#"{"loss": null}"#).is_empty());
    }

    #[test]
    fn what_is_no_json_has_no_layers() {
        assert_eq!(layers(b""), None);
        assert_eq!(layers(b"{"), None);
        assert!(layers(br#"{"limit": -Infinity}"#).is_some());
    }
}
