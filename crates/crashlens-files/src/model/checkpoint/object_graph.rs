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
