//! The parts of files that readers find flaws in.
//!
//! Rules and `data/effects` know a part by its id. The words are for people: they can change without changing what is
//! concluded.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares every part once: its id, which JSON and TOML write in kebab case, and its words.
macro_rules! parts {
    ($($part:ident => $words:literal,)*) => {
        /// A part of a file, or of a model that is more than one file.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Part {
            /// Nothing in particular.
            #[default]
            Unnamed,
            $(#[doc = concat!("`", $words, "`")] $part,)*
        }

        impl Part {
            /// All that have words.
            pub const ALL: &'static [Self] = &[$(Self::$part,)*];

            /// The noun. Parts that occur more than once also have a number or a name.
            pub fn words(self) -> &'static str {
                match self {
                    Self::Unnamed => "",
                    $(Self::$part => $words,)*
                }
            }
        }
    };
}

parts! {
    // Of any file.
    File => "the file",
    Path => "the path",
    Name => "the name",
    Link => "the link",
    SpecialFile => "the special file",
    Reader => "the reader",
    GitLfsPointer => "a Git LFS pointer",
    WebPage => "a web page",
    ServerMessage => "a message of a server",
    Format => "the format",
    FirstBytes => "the first bytes",
    Header => "the header",
    End => "the end",
    LastBytes => "the last bytes",
    ThisCheck => "the limit of this check",

    // Of images.
    Markers => "the markers",
    Segment => "segment",
    Scan => "scan",
    Frame => "frame",
    OnlyFrame => "the frame",
    Picture => "the picture",
    Chunk => "chunk",
    Chunks => "the chunks",
    Palette => "the palette",
    Pixels => "the pixels",
    Blocks => "the blocks",
    Terminator => "the terminator",

    // Of records.
    Record => "record",
    NextRecord => "the next record",
    Records => "the records",
    Feature => "feature",
    GzipStream => "the GZIP stream",
    GzipTrailer => "the GZIP trailer",
    GzipEnd => "the end of the GZIP stream",
    ZlibStream => "the ZLIB stream",
    ZlibTrailer => "the ZLIB trailer",
    ZlibEnd => "the end of the ZLIB stream",
    SecondZlibStream => "a second ZLIB stream",

    // Of tables, arrays and sound.
    Encoding => "the encoding",
    ByteOrderMark => "the byte order mark",
    FirstField => "the first field",
    LineEnds => "the ends of lines",
    Separator => "the separator",
    Heading => "the heading",
    ColumnNames => "the names of the columns",
    Row => "row",
    Rows => "the rows",
    ZeroBytes => "the zero bytes",
    Footer => "the footer",
    Array => "the array",
    Values => "the values",
    RiffSize => "the size of the RIFF",
    Samples => "the samples",

    // Of archives and trees.
    Archive => "the archive",
    Directory => "the directory of the archive",
    Member => "member",
    Superblock => "the superblock",
    RootGroup => "the root group",
    Object => "object",
    Attribute => "attribute",
    Filter => "filter",

    // Of models.
    Model => "the model",
    Head => "the head",
    Field => "field",
    SelectOperation => "a select operation",
    MediaPipeOperation => "a custom operation of MediaPipe",
    Tensor => "tensor",
    Weights => "the weights",
    Graph => "the graph",
    GraphVersions => "the versions",
    Function => "function",
    Node => "node",
    Layer => "layer",
    Signature => "signature",
    SavedFunction => "a saved function",
    SavedFunctions => "the saved functions",
    SavedObjects => "the objects",
    Pickle => "the pickle",
    Callable => "callable",

    // Files of a model.
    SavedModelFile => "saved_model.pb",
    Fingerprint => "fingerprint.pb",
    Asset => "asset",
    Variables => "variables",
    CheckpointState => "checkpoint",
    CheckpointIndex => "index",
    CheckpointData => "data",
    SaveFolder => "folder of a save",
    SaveFile => "file of a save",
    PartFile => "file",
}

impl Part {
    /// One of several, by its number or its code: `record 17`.
    pub fn number(self, number: impl fmt::Display) -> NamedPart {
        self.written(format!("{} {number}", self.words()))
    }

    /// One of several, by its name: ``tensor `dense/kernel` ``.
    pub fn named(self, name: impl fmt::Display) -> NamedPart {
        self.written(format!("{} `{name}`", self.words()))
    }

    /// In the file's own words: a path, `subgraphs[0].operators[3]`.
    pub fn written(self, words: impl Into<String>) -> NamedPart {
        let words = words.into();
        NamedPart { id: self, words }
    }
}

/// A part, in the words that say which one it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Written")]
pub struct NamedPart {
    /// What rules and tables ask for.
    #[serde(rename = "part_id")]
    pub id: Part,
    /// For people.
    #[serde(rename = "part")]
    words: String,
}

/// As it is stored; without words it has those of its id.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Written {
    #[serde(default)]
    part: Option<String>,
    #[serde(default)]
    part_id: Part,
}

impl NamedPart {
    /// For people.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// With what is meant inside of it: `saved_model.pb, node x`. Its id stays.
    #[must_use]
    pub fn then(self, inner: impl fmt::Display) -> Self {
        self.id.written(format!("{}, {inner}", self.words))
    }
}

impl fmt::Display for NamedPart {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

impl From<Part> for NamedPart {
    fn from(part: Part) -> Self {
        part.written(part.words())
    }
}

impl From<&Self> for NamedPart {
    fn from(part: &Self) -> Self {
        part.clone()
    }
}

impl From<Written> for NamedPart {
    fn from(written: Written) -> Self {
        match written.part {
            Some(words) => written.part_id.written(words),
            None => written.part_id.into(),
        }
    }
}
