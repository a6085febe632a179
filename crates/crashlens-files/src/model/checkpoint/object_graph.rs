//! The graph of objects that a checkpoint was saved from (`TrackableObjectGraph`).

use crate::wire::{Fields, Value, WireError};

/// The key it is stored under.
pub(super) const KEY: &str = "_CHECKPOINTABLE_OBJECT_GRAPH";

/// What is wrong with it.
pub(super) fn fault(bytes: &[u8]) -> Option<String> {
    match children(bytes) {
        Err(error) => Some(error.to_string()),
        Ok((nodes, greatest)) if greatest >= nodes && greatest > 0 => Some(format!(
            "an object has number {greatest} as its part, and there are {nodes} objects"
        )),
        Ok(_) => None,
    }
}

/// An object that was saved.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(in crate::model) struct StoredObject {
    /// Name and number of its parts.
    pub(in crate::model) children: Vec<(String, u64)>,
    /// The key of its value, where it is a variable.
    pub(in crate::model) key: Option<String>,
}

/// The objects, by number; `None` where they cannot be read.
pub(in crate::model) fn stored_objects(bytes: &[u8]) -> Option<Vec<StoredObject>> {
    let mut objects = Vec::new();
    for field in Fields::of(bytes) {
        let field = field.ok()?;
        if let (1, Value::Bytes(node)) = (field.number, field.value) {
            objects.push(object(node).ok()?);
        }
    }
    Some(objects)
}

fn object(bytes: &[u8]) -> Result<StoredObject, WireError> {
    let mut object = StoredObject::default();
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.value) {
            (1, Value::Bytes(reference)) => {
                let [_, name, _] = texts(reference)?;
                let number = Fields::of(reference)
                    .flatten()
                    .find(|field| field.number == 1);
                let number = number.and_then(|field| field.varint()).unwrap_or(0);
                object.children.push((name, number));
            }
            (2, Value::Bytes(attribute)) => {
                let [name, _, key] = texts(attribute)?;
                if name == "VARIABLE_VALUE" {
                    object.key = Some(key);
                }
            }
            _ => {}
        }
    }
    Ok(object)
}

/// The texts of fields 1 to 3.
fn texts(bytes: &[u8]) -> Result<[String; 3], WireError> {
    let mut texts = [const { String::new() }; 3];
    for field in Fields::of(bytes) {
        let field = field?;
        if let (number @ 1..=3, Value::Bytes(text)) = (field.number, field.value) {
            texts[number as usize - 1] = String::from_utf8_lossy(text).into_owned();
        }
    }
    Ok(texts)
}

/// How many objects there are, and the greatest number that one names.
fn children(bytes: &[u8]) -> Result<(u64, u64), WireError> {
    let mut nodes = 0;
    let mut greatest = 0;
    for field in Fields::of(bytes) {
        let field = field?;
        let (1, Value::Bytes(node)) = (field.number, field.value) else {
            continue;
        };
        nodes += 1;
        for field in Fields::of(node) {
            let field = field?;
            let (1, Value::Bytes(reference)) = (field.number, field.value) else {
                continue;
            };
            for field in Fields::of(reference) {
                let field = field?;
                if let (1, Value::Varint(number)) = (field.number, field.value) {
                    greatest = greatest.max(number);
                }
            }
        }
    }
    Ok((nodes, greatest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_not_there_is_told() {
        // One object whose part is object 3.
        let graph = [0x0a, 0x04, 0x0a, 0x02, 0x08, 0x03];
        assert!(fault(&graph).is_some_and(|fault| fault.contains("number 3")));
        assert_eq!(fault(&[0x0a, 0x00]), None);
    }
}
