//! The messages of TensorFlow's graphs and saved models, as far as a parser refuses files over them
//! (`tensorflow/core/framework/*.proto`, `tensorflow/core/protobuf/*.proto`).

use super::proto::Kind::{
    Bytes, Fixed32, Fixed32s, Fixed64s, Message as Of, Number, Numbers, Text, Walked,
};
use super::proto::Message;

macro_rules! messages {
    ($($name:ident { $($number:literal: $kind:expr),* $(,)? })*) => {
        $(pub(super) static $name: Message = Message {
            name: stringify!($name),
            fields: &[$(($number, $kind)),*],
        };)*
    };
}

messages! {
    GRAPH { 1: Of(&NODE), 2: Walked(&LIBRARY), 3: Number, 4: Of(&VERSIONS) }
    VERSIONS { 1: Number, 2: Number, 3: Numbers }
    NODE { 1: Text, 2: Text, 3: Text, 4: Text, 5: Of(&ATTRIBUTE), 6: Of(&DEBUG), 7: Of(&FULL_TYPE) }
    DEBUG { 1: Text, 2: Text }
    FULL_TYPE { 1: Number, 2: Of(&FULL_TYPE), 3: Text, 4: Number }
    ATTRIBUTE { 1: Text, 2: Of(&VALUE) }
    VALUE {
        1: Of(&LIST), 2: Bytes, 3: Number, 4: Fixed32, 5: Number, 6: Number, 7: Of(&SHAPE), 8: Of(&TENSOR), 9: Text,
        10: Of(&NAMED),
    }
    LIST {
        2: Bytes, 3: Numbers, 4: Fixed32s, 5: Numbers, 6: Numbers, 7: Of(&SHAPE), 8: Of(&TENSOR), 9: Of(&NAMED),
    }
    NAMED { 1: Text, 2: Of(&ATTRIBUTE) }
    SHAPE { 2: Of(&DIMENSION), 3: Number }
    DIMENSION { 1: Number, 2: Text }
    TENSOR {
        1: Number, 2: Of(&SHAPE), 3: Number, 4: Bytes, 5: Fixed32s, 6: Fixed64s, 7: Numbers, 8: Bytes, 9: Fixed32s,
        10: Numbers, 11: Numbers, 12: Fixed64s, 13: Numbers, 14: Of(&RESOURCE), 15: Of(&VARIANT), 16: Numbers,
        17: Numbers, 18: Bytes,
    }
    RESOURCE { 1: Text, 2: Text, 3: Text, 4: Number, 5: Text, 6: Of(&TYPE_AND_SHAPE) }
    TYPE_AND_SHAPE { 1: Number, 2: Of(&SHAPE) }
    VARIANT { 1: Text, 2: Bytes, 3: Of(&TENSOR) }
    LIBRARY { 1: Walked(&FUNCTION), 2: Of(&TEXTS), 3: Of(&TEXTS) }
    TEXTS { 1: Text, 2: Text, 3: Text }
    FUNCTION {
        1: Of(&OP), 3: Of(&NODE), 4: Of(&TEXTS), 5: Of(&ATTRIBUTE), 6: Of(&TEXTS), 7: Of(&ARGUMENT_ATTRIBUTES),
        8: Of(&NUMBERS),
    }
    NUMBERS { 1: Number, 2: Number, 3: Number }
    ARGUMENT_ATTRIBUTES { 1: Number, 2: Of(&ATTRIBUTES) }
    ATTRIBUTES { 1: Of(&ATTRIBUTE) }
    OP {
        1: Text, 2: Of(&ARGUMENT), 3: Of(&ARGUMENT), 4: Of(&OP_ATTRIBUTE), 5: Text, 6: Text, 8: Of(&DEPRECATION),
        16: Number, 17: Number, 18: Number, 19: Number, 20: Text, 21: Number,
    }
    DEPRECATION { 1: Number, 2: Text }
    ARGUMENT {
        1: Text, 2: Text, 3: Number, 4: Text, 5: Text, 6: Text, 7: Of(&TYPE_AND_SHAPE), 16: Number, 17: Of(&FULL_TYPE),
    }
    OP_ATTRIBUTE { 1: Text, 2: Text, 3: Of(&VALUE), 4: Text, 5: Number, 6: Number, 7: Of(&VALUE) }

    SAVED_MODEL { 1: Number, 2: Walked(&META_GRAPH) }
    META_GRAPH {
        1: Of(&META_FACTS), 2: Walked(&GRAPH), 3: Of(&SAVER), 4: Of(&COLLECTION_ENTRY), 5: Of(&SIGNATURE_ENTRY),
        6: Of(&ASSET_FILE), 7: Walked(&OBJECTS),
    }
    META_FACTS { 1: Text, 2: Of(&OP_LIST), 3: Of(&ANY), 4: Text, 5: Text, 6: Text, 7: Number, 8: Of(&TEXTS) }
    OP_LIST { 1: Of(&OP) }
    ANY { 1: Text, 2: Bytes }
    SAVER { 1: Text, 2: Text, 3: Text, 4: Number, 5: Number, 6: Fixed32, 7: Number }
    COLLECTION_ENTRY { 1: Text, 2: Of(&COLLECTION) }
    COLLECTION { 1: Of(&TEXT_LIST), 2: Of(&BYTES_LIST), 3: Of(&NUMBER_LIST), 4: Of(&FLOAT_LIST), 5: Of(&ANY_LIST) }
    TEXT_LIST { 1: Text }
    BYTES_LIST { 1: Bytes }
    NUMBER_LIST { 1: Numbers }
    FLOAT_LIST { 1: Fixed32s }
    ANY_LIST { 1: Of(&ANY) }
    SIGNATURE_ENTRY { 1: Text, 2: Of(&SIGNATURE) }
    SIGNATURE { 1: Of(&TENSOR_ENTRY), 2: Of(&TENSOR_ENTRY), 3: Text, 4: Of(&DEFAULT_ENTRY) }
    TENSOR_ENTRY { 1: Text, 2: Of(&TENSOR_FACTS) }
    DEFAULT_ENTRY { 1: Text, 2: Of(&TENSOR) }
    TENSOR_FACTS { 1: Text, 2: Number, 3: Of(&SHAPE), 4: Of(&TEXTS), 5: Of(&COMPOSITE) }
    COMPOSITE { 1: Of(&TYPE_SPEC), 2: Of(&TENSOR_FACTS) }
    ASSET_FILE { 1: Of(&TENSOR_FACTS), 2: Text }
    OBJECTS { 1: Of(&OBJECT), 2: Of(&CONCRETE_ENTRY) }
    OBJECT {
        1: Of(&CHILD), 3: Of(&SLOT), 4: Of(&USER_OBJECT), 5: Of(&NUMBERS), 6: Of(&SAVED_FUNCTION), 7: Of(&VARIABLE),
        8: Of(&BARE_FUNCTION), 9: Of(&TEXTS), 10: Of(&TEXTS), 11: Of(&SAVEABLE_ENTRY), 12: Of(&TEXTS), 13: Text,
        14: Of(&ANY), 15: Of(&CHILD), 16: Text,
    }
    CHILD { 1: Number, 2: Text }
    SLOT { 1: Number, 2: Text, 3: Number }
    USER_OBJECT { 1: Text, 2: Of(&VERSIONS), 3: Text }
    SAVED_FUNCTION { 1: Text, 2: Of(&FUNCTION_SPEC) }
    FUNCTION_SPEC { 1: Of(&STRUCTURE), 2: Number, 5: Of(&STRUCTURE), 6: Number }
    VARIABLE {
        1: Number, 2: Of(&SHAPE), 3: Number, 4: Number, 5: Number, 6: Text, 7: Text, 8: Of(&VARIABLE),
    }
    BARE_FUNCTION { 1: Text, 2: Text, 3: Number, 4: Of(&FUNCTION_SPEC) }
    SAVEABLE_ENTRY { 1: Text, 2: Of(&NUMBERS) }
    CONCRETE_ENTRY { 1: Text, 2: Of(&CONCRETE) }
    CONCRETE { 2: Numbers, 3: Of(&STRUCTURE), 4: Of(&STRUCTURE) }
    STRUCTURE {
        1: Of(&NOTHING), 11: Fixed64s, 12: Number, 13: Text, 14: Number, 31: Of(&SHAPE), 32: Number,
        33: Of(&TENSOR_SPEC), 34: Of(&TYPE_SPEC), 35: Of(&TENSOR_SPEC), 51: Of(&VALUES), 52: Of(&VALUES),
        53: Of(&PAIRS), 54: Of(&NAMED_TUPLE), 55: Of(&TENSOR), 56: Of(&TENSOR),
    }
    NOTHING {}
    VALUES { 1: Of(&STRUCTURE) }
    PAIRS { 1: Of(&PAIR) }
    PAIR { 1: Text, 2: Of(&STRUCTURE) }
    NAMED_TUPLE { 1: Text, 2: Of(&PAIR) }
    TENSOR_SPEC { 1: Text, 2: Of(&SHAPE), 3: Number, 4: Of(&TENSOR), 5: Of(&TENSOR) }
    TYPE_SPEC { 1: Number, 2: Of(&STRUCTURE), 3: Text, 4: Number }
}
