//! Where objects keep their values: the few things that differ between versions.
//!
//! Everything else is the same in all of them: the head of an object is its count and its type, a sized one has its
//! size after that. Measured on the builds that [`super`] names; for 3.14 and 3.15 by compiling against their headers.

/// Layouts of objects, of code objects' variables and of frames' places for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ObjectLayout {
    pub(crate) version: (u8, u8),
    pub(crate) integer: IntegerFormat,
    pub(crate) tuple_items: u64,
    pub(crate) bytearray_start: u64,
    pub(crate) set_key: u64,
    pub(crate) dictionary: DictionaryFormat,
    pub(crate) instance: InstanceFormat,
    /// `ht_cached_keys`: the names of the attributes that instances share.
    pub(crate) cached_keys: u64,
    pub(crate) frame: FrameVariables,
    pub(crate) code: CodeVariables,
    pub(crate) recursion_limit: RecursionLimit,
}

/// How an `int` says its sign and its number of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntegerFormat {
    /// The size is negative for negative numbers.
    SignedSize,
    /// A tag: two bits for the sign, one for immortality, the rest counts.
    Tag,
}

/// How a `dict` is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DictionaryFormat {
    /// Python 2: one table of hash, key, value.
    Table,
    /// Indices of one, two, four or eight bytes, as the size demands, before the entries.
    SizedIndices,
    /// The size of the indices is written down, and entries of text keys have no hash. From 3.11 on.
    LoggedIndices {
        /// Bytes before the values in a block of shared-key values.
        values: u64,
    },
}

/// Where an instance keeps its attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstanceFormat {
    /// In a `dict` at the type's offset.
    Offset,
    /// 3.11: a `dict` or a block of values, each behind its own pointer before the object.
    TwoPointers,
    /// 3.12: one pointer before the object whose lowest bit tells which.
    TaggedPointer,
    /// From 3.13 on: values inside the object as long as they are valid, else a `dict` before the object.
    Inline,
}

/// Where a frame keeps variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameVariables {
    pub(crate) slots: u64,
    /// `f_locals`, the dictionary of a frame whose variables are no slots.
    pub(crate) dictionary: u64,
    /// Whether slots have flags in their lowest bits, from 3.14 on.
    pub(crate) tagged: bool,
}

/// What a code object says of its variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeVariables {
    pub(crate) flags: u64,
    pub(crate) arguments: u64,
    pub(crate) keyword_arguments: Option<u64>,
    pub(crate) names: VariableNames,
}

/// Where the names of the slots stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableNames {
    /// One tuple each for locals, cells and free variables, in the order of the slots.
    Three { locals: u64, cells: u64, free: u64 },
    /// One tuple for all, and the kind of each in a byte string.
    One { names: u64, kinds: u64 },
}

/// Where the recursion limit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecursionLimit {
    /// In the exported variable `_Py_CheckRecursionLimit`.
    Variable,
    /// In the interpreter.
    Interpreter(u64),
    /// In each thread.
    Thread(u64),
}

const V2_7: ObjectLayout = ObjectLayout {
    version: (2, 7),
    integer: IntegerFormat::SignedSize,
    tuple_items: 24,
    bytearray_start: 40,
    set_key: 8,
    dictionary: DictionaryFormat::Table,
    instance: InstanceFormat::Offset,
    cached_keys: 0,
    frame: FrameVariables {
        slots: 376,
        dictionary: 56,
        tagged: false,
    },
    code: CodeVariables {
        flags: 28,
        arguments: 16,
        keyword_arguments: None,
        names: VariableNames::Three {
            locals: 56,
            cells: 72,
            free: 64,
        },
    },
    recursion_limit: RecursionLimit::Variable,
};

const V3_6: ObjectLayout = ObjectLayout {
    version: (3, 6),
    bytearray_start: 40,
    set_key: 0,
    dictionary: DictionaryFormat::SizedIndices,
    code: CodeVariables {
        flags: 32,
        arguments: 16,
        keyword_arguments: Some(20),
        names: VariableNames::Three {
            locals: 64,
            cells: 80,
            free: 72,
        },
    },
    ..V2_7
};

const V3_7: ObjectLayout = ObjectLayout {
    version: (3, 7),
    frame: FrameVariables {
        slots: 360,
        ..V3_6.frame
    },
    ..V3_6
};

const V3_8: ObjectLayout = ObjectLayout {
    version: (3, 8),
    code: CodeVariables {
        flags: 36,
        arguments: 16,
        keyword_arguments: Some(24),
        names: VariableNames::Three {
            locals: 72,
            cells: 88,
            free: 80,
        },
    },
    ..V3_7
};

const V3_9: ObjectLayout = ObjectLayout {
    version: (3, 9),
    recursion_limit: RecursionLimit::Interpreter(64),
    ..V3_8
};

const V3_10: ObjectLayout = ObjectLayout {
    version: (3, 10),
    frame: FrameVariables {
        slots: 352,
        ..V3_9.frame
    },
    ..V3_9
};

const V3_11: ObjectLayout = ObjectLayout {
    version: (3, 11),
    dictionary: DictionaryFormat::LoggedIndices { values: 0 },
    instance: InstanceFormat::TwoPointers,
    cached_keys: 872,
    frame: FrameVariables {
        slots: 72,
        dictionary: 24,
        tagged: false,
    },
    code: CodeVariables {
        flags: 48,
        arguments: 56,
        keyword_arguments: Some(64),
        names: VariableNames::One {
            names: 96,
            kinds: 104,
        },
    },
    recursion_limit: RecursionLimit::Interpreter(96),
    ..V3_10
};

const V3_12: ObjectLayout = ObjectLayout {
    version: (3, 12),
    integer: IntegerFormat::Tag,
    instance: InstanceFormat::TaggedPointer,
    cached_keys: 880,
    frame: FrameVariables {
        slots: 72,
        dictionary: 40,
        tagged: false,
    },
    code: CodeVariables {
        arguments: 52,
        keyword_arguments: Some(60),
        ..V3_11.code
    },
    recursion_limit: RecursionLimit::Thread(32),
    ..V3_11
};

const V3_13: ObjectLayout = ObjectLayout {
    version: (3, 13),
    dictionary: DictionaryFormat::LoggedIndices { values: 8 },
    instance: InstanceFormat::Inline,
    recursion_limit: RecursionLimit::Thread(48),
    ..V3_12
};

const V3_14: ObjectLayout = ObjectLayout {
    version: (3, 14),
    tuple_items: 32,
    frame: FrameVariables {
        slots: 80,
        dictionary: 40,
        tagged: true,
    },
    recursion_limit: RecursionLimit::Thread(52),
    ..V3_13
};

const V3_15: ObjectLayout = ObjectLayout {
    version: (3, 15),
    cached_keys: 888,
    recursion_limit: RecursionLimit::Thread(56),
    ..V3_14
};

/// The layout of `version`, for builds with the interpreter lock.
pub(crate) fn layout(version: (u8, u8)) -> Option<ObjectLayout> {
    [
        V2_7, V3_6, V3_7, V3_8, V3_9, V3_10, V3_11, V3_12, V3_13, V3_14, V3_15,
    ]
    .into_iter()
    .find(|layout| layout.version == version)
}
