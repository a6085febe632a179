//! Every message of a model, whether its bytes are one.

use crate::wire::{Fields, WireError};

/// Graphs in attributes of nodes in graphs; protobuf itself stops at 100 messages.
const DEEPEST: usize = 100;

/// Messages of `onnx.proto` that have others in them.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    SparseTensor,
    ValueInfo,
    Type,
    TensorType,
    MapType,
    ListType,
    Shape,
    Function,
    /// Without messages in it.
    Leaf,
}

impl Message {
    /// What the field of a number is, where it is a message.
    fn child(self, number: u32) -> Option<Self> {
        Some(match (self, number) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Self::Graph,
            (Self::Model, 25) => Self::Function,
            (Self::Model, 8 | 14)
            | (Self::Graph, 14 | 16)
            | (Self::Node | Self::Function, 9)
            | (Self::Tensor, 13)
            | (Self::ValueInfo, 4)
            | (Self::Shape, 1) => Self::Leaf,
            (Self::Graph, 1) | (Self::Function, 7) => Self::Node,
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) | (Self::SparseTensor, 1 | 2) => {
                Self::Tensor
            }
            (Self::Graph, 15) | (Self::Attribute, 22 | 23) => Self::SparseTensor,
            (Self::Graph, 11..=13) => Self::ValueInfo,
            (Self::Node, 5) => Self::Attribute,
            (Self::ValueInfo | Self::MapType, 2)
            | (Self::Attribute, 14 | 15)
            | (Self::ListType, 1) => Self::Type,
            (Self::Type, 1 | 8) => Self::TensorType,
            (Self::Type, 4 | 9) => Self::ListType,
            (Self::Type, 5) => Self::MapType,
            (Self::TensorType, 2) => Self::Shape,
            _ => return None,
        })
    }
}

/// Walks through a model; the first thing in it that is no message.
pub(super) fn walk(bytes: &[u8]) -> Result<(), WireError> {
    let mut open = vec![(Message::Model, bytes, 0)];
    while let Some((message, bytes, deep)) = open.pop() {
        for field in Fields::of(bytes) {
            let field = field?;
            let child = message.child(field.number).filter(|_| deep < DEEPEST);
            if let (Some(child), Some(bytes)) = (child, field.bytes()) {
                open.push((child, bytes, deep + 1));
            }
        }
    }
    Ok(())
}

/// The messages, or texts, of one field; up to the first thing that is none.
pub(super) fn messages(bytes: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    let fields = Fields::of(bytes).map_while(Result::ok);
    fields
        .filter(move |field| field.number == number)
        .filter_map(|field| field.bytes())
}
