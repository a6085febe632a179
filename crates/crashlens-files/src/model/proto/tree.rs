//! A message that was read as a whole.

/// So many packed numbers are kept.
pub(in crate::model) const MOST_NUMBERS: usize = 4096;

/// A message; fields that the schema does not know are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::model) struct Node {
    /// Byte of the file where it begins.
    pub(in crate::model) at: u64,
    /// Whether not all of it was kept.
    pub(in crate::model) is_partial: bool,
    fields: Vec<(u32, Item)>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::model) enum Item {
    Number(u64),
    Text(String),
    /// Bytes, a fixed value, or a packed list.
    Bytes(Blob),
    Message(Node),
}

/// A value that is told by place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::model) struct Blob {
    pub(in crate::model) at: u64,
    pub(in crate::model) length: u64,
    /// How many values it is.
    pub(in crate::model) count: u64,
    /// The first of packed numbers.
    pub(in crate::model) numbers: Vec<u64>,
    /// Where it is short.
    pub(in crate::model) bytes: Option<Vec<u8>>,
}

impl Node {
    pub(super) fn at(at: u64) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, number: u32, item: Item, left: &mut usize) {
        match left.checked_sub(1) {
            Some(less) => {
                *left = less;
                self.fields.push((number, item));
            }
            None => self.is_partial = true,
        }
    }

    /// All values of a field.
    pub(in crate::model) fn all(&self, number: u32) -> impl Iterator<Item = &Item> {
        let fields = self.fields.iter();
        fields
            .filter(move |(known, _)| *known == number)
            .map(|(_, item)| item)
    }

    /// The last value of a field, which is what counts.
    pub(in crate::model) fn last(&self, number: u32) -> Option<&Item> {
        self.all(number).last()
    }

    pub(in crate::model) fn text(&self, number: u32) -> &str {
        match self.last(number) {
            Some(Item::Text(text)) => text,
            _ => "",
        }
    }

    pub(in crate::model) fn texts(&self, number: u32) -> impl Iterator<Item = &str> {
        self.all(number).filter_map(|item| match item {
            Item::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    pub(in crate::model) fn number(&self, number: u32) -> Option<u64> {
        match self.last(number) {
            Some(Item::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Numbers of a repeated field, packed or not.
    pub(in crate::model) fn numbers(&self, number: u32) -> Vec<u64> {
        let mut numbers = Vec::new();
        for item in self.all(number) {
            match item {
                Item::Number(number) => numbers.push(*number),
                Item::Bytes(blob) => numbers.extend(&blob.numbers),
                _ => {}
            }
        }
        numbers
    }

    pub(in crate::model) fn message(&self, number: u32) -> Option<&Node> {
        self.messages(number).last()
    }

    pub(in crate::model) fn messages(&self, number: u32) -> impl Iterator<Item = &Node> {
        self.all(number).filter_map(|item| match item {
            Item::Message(node) => Some(node),
            _ => None,
        })
    }

    pub(in crate::model) fn blob(&self, number: u32) -> Option<&Blob> {
        match self.last(number) {
            Some(Item::Bytes(blob)) => Some(blob),
            _ => None,
        }
    }

    /// Which fields are there, in their order.
    pub(in crate::model) fn present(&self) -> impl Iterator<Item = u32> {
        self.fields.iter().map(|(number, _)| *number)
    }
}
