//! Settings of Keras's own classes: a constructor refuses those that it does not have.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

const TEXT: &str = include_str!("../../../data/keras_settings.txt");
/// The newest Keras whose settings are known; a newer one may have more.
const NEWEST: (u32, u32) = (3, 15);
/// Objects that are looked at.
const MOST_OBJECTS: usize = 200_000;
/// What a tensor between layers is told by.
const TENSOR: [&str; 3] = ["shape", "dtype", "keras_history"];

/// What a model is put together from.
const FUNCTIONAL: [&str; 3] = ["layers", "input_layers", "output_layers"];

/// Settings by module and class; none where the class reads them in a way of its own.
static CLASSES: LazyLock<HashMap<(&str, &str), Option<Vec<&str>>>> = LazyLock::new(|| {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &'static str| {
        let mut words = line.split(' ');
        let class = (words.next()?, words.next()?);
        let settings: Vec<_> = words.collect();
        Some((class, (settings != ["*"]).then_some(settings)))
    };
    lines.filter_map(entry).collect()
});

/// What Keras does not know of a configuration that a version of it wrote.
pub(crate) fn unknown(json: &[u8], version: &str) -> Option<String> {
    let mut numbers = version.split('.').map(str::parse::<u32>);
    let written = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    if written > NEWEST {
        return None;
    }
    let value = super::parse(json)?;
    let mut open = vec![&value];
    for _ in 0..MOST_OBJECTS {
        match open.pop()? {
            Value::Object(fields) => {
                if let Some(fault) = of_object(fields) {
                    return Some(fault);
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    None
}

fn of_object(fields: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let config = fields.get("config").and_then(Value::as_object)?;
    let module = text("module");
    let Some(class) = text("class_name") else {
        let is_object = module.is_some() && fields.contains_key("registered_name");
        return is_object.then(|| "an object has no class_name".to_owned());
    };
    if class == "__keras_tensor__" {
        let lacking = TENSOR.iter().find(|key| !config.contains_key(**key))?;
        return Some(format!("a tensor has no {lacking}"));
    }
    if class == "Functional" && module.is_none_or(|module| module.starts_with("keras")) {
        let lacking = FUNCTIONAL.iter().find(|key| !config.contains_key(**key))?;
        return Some(format!("the model has no {lacking}"));
    }
    if text("registered_name").is_some_and(|name| name != class) {
        return None;
    }
    let settings = match module {
        Some(module) => {
            let module = module.strip_prefix("keras.")?;
            if !is_known(module) {
                return None;
            }
            let Some(settings) = CLASSES.get(&(module, class)) else {
                return Some(format!("there is no {class} in keras.{module}"));
            };
            settings
        }
        // Old configurations do not tell the module; the class may be the user's.
        None => CLASSES.get(&("layers", class))?,
    };
    let settings = settings.as_deref()?;
    let of_layers = CLASSES.get(&("layers", "Layer"));
    let of_layers = of_layers.and_then(Option::as_deref).unwrap_or_default();
    let is_layer = module.is_none_or(|module| module == "keras.layers");
    let mut keys = config.keys().map(String::as_str);
    let unknown =
        keys.find(|key| !settings.contains(key) && !(is_layer && of_layers.contains(key)))?;
    Some(format!("{class} has no setting `{unknown}`"))
}

fn is_known(module: &str) -> bool {
    ["layers", "initializers", "regularizers", "constraints"].contains(&module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_a_layer_does_not_have_is_told() {
        let json = br#"{"layers": [{"class_name": "Dense", "config": {"name": "a", "unats": 3}}]}"#;
        let fault = unknown(json, "2.15.0");
        assert_eq!(fault.as_deref(), Some("Dense has no setting `unats`"));
        assert_eq!(unknown(json, "3.99.0"), None, "a newer Keras may have it");
    }

    #[test]
    fn what_is_of_the_user_is_not_judged() {
        let json = br#"{"class_name": "Mine", "config": {"unats": 3}, "registered_name": "p>Mine",
            "module": "keras.layers"}"#;
        assert_eq!(unknown(json, "2.15.0"), None);
        let json = br#"{"class_name": "Mine", "config": {"unats": 3}}"#;
        assert_eq!(unknown(json, "2.15.0"), None);
    }

    #[test]
    fn a_class_that_keras_does_not_have_is_told() {
        let json = br#"{"class_name": "On%s", "config": {}, "registered_name": null,
            "module": "keras.initializers"}"#;
        assert!(unknown(json, "3.15.1").is_some_and(|fault| fault.contains("On%s")));
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(CLASSES.len(), lines);
    }
}
