//! What tables a model consists of: read from `data/tflite_schema.txt`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("../../../data/tflite_schema.txt");

/// The tables, unions and enumerations by name.
pub(super) struct Schema {
    tables: BTreeMap<&'static str, Table>,
    /// Members of unions and enumerations, from 0.
    members: BTreeMap<&'static str, Vec<&'static str>>,
}

/// The fields of a table by their ids.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) fields: Vec<Option<Field>>,
}

/// A field of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number of so many bytes.
    Number(u64),
    Text,
    /// Numbers of so many bytes each.
    Numbers(u64),
    Texts,
    Table(&'static str),
    Tables(&'static str),
    /// Which table it is, the field before it says.
    Union(&'static str),
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| parse(TEXT));

/// That of TensorFlow Lite.
pub(super) fn schema() -> &'static Schema {
    &SCHEMA
}

impl Schema {
    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    /// The name of a member of a union or an enumeration.
    pub(super) fn member(&self, of: &str, number: i64) -> Option<&'static str> {
        let members = self.members.get(of)?;
        let name = members.get(usize::try_from(number).ok()?)?;
        (*name != "-").then_some(*name)
    }

    /// The id of a field.
    pub(super) fn id(&self, table: &str, field: &str) -> Option<usize> {
        let fields = &self.table(table)?.fields;
        fields
            .iter()
            .position(|known| known.is_some_and(|known| known.name == field))
    }
}

fn parse(text: &'static str) -> Schema {
    let mut schema = Schema {
        tables: BTreeMap::new(),
        members: BTreeMap::new(),
    };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let (Some(what), Some(name)) = (words.next(), words.next()) else {
            continue;
        };
        if what == "table" {
            let fields = words.map(field).collect();
            schema.tables.insert(name, Table { fields });
        } else {
            schema.members.insert(name, words.collect());
        }
    }
    schema
}

fn field(word: &'static str) -> Option<Field> {
    let (name, kind) = word.split_once(':')?;
    Some(Field {
        name,
        kind: kind_of(kind),
    })
}

fn kind_of(word: &'static str) -> Kind {
    if let Some(inner) = word
        .strip_prefix('[')
        .and_then(|word| word.strip_suffix(']'))
    {
        return match kind_of(inner) {
            Kind::Number(bytes) => Kind::Numbers(bytes),
            Kind::Text => Kind::Texts,
            _ => Kind::Tables(inner),
        };
    }
    match word {
        "string" => Kind::Text,
        "u8" | "i8" => Kind::Number(1),
        "u16" | "i16" => Kind::Number(2),
        "u32" | "i32" | "f32" => Kind::Number(4),
        "u64" | "i64" | "f64" => Kind::Number(8),
        word => match word.strip_prefix('|') {
            Some(union) => Kind::Union(union),
            None => Kind::Table(word),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_that_a_field_or_a_union_names_is_there() {
        let schema = schema();
        let mut named = vec!["Model"];
        for fields in schema.tables.values() {
            for field in fields.fields.iter().flatten() {
                match field.kind {
                    Kind::Table(name) | Kind::Tables(name) => named.push(name),
                    Kind::Union(name) => {
                        let members = schema.members.get(name);
                        assert!(members.is_some(), "{name}");
                        named.extend(
                            members
                                .into_iter()
                                .flatten()
                                .filter(|name| **name != "NONE"),
                        );
                    }
                    _ => {}
                }
            }
        }
        for name in named {
            assert!(schema.table(name).is_some(), "{name}");
        }
    }

    #[test]
    fn known_numbers_have_their_names() {
        assert_eq!(schema().member("BuiltinOperator", 3), Some("CONV_2D"));
        assert_eq!(schema().member("TensorType", 9), Some("INT8"));
        assert_eq!(schema().member("TensorType", 99), None);
        assert_eq!(schema().id("Model", "buffers"), Some(4));
    }
}
