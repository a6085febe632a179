//! One kernel object: which op and node it was made for.
//!
//! An `OpKernel` shares the properties of its node: the node's definition, which has the names of node and op, and
//! the op's definition, which has the op's name again. The kernel keeps views of the first two. Where these members
//! are differs between versions of TensorFlow and of protobuf, so they are looked for by what they must refer to:
//! a kernel is believed when its own view, the node's definition and the op's definition agree.

use crate::ReadMemory;

/// Words of a kernel that all versions have: 240 bytes from 2.4 to 2.21.
const KERNEL_WORDS: usize = 30;
/// Where views can begin: after the table of virtual functions and the shared pointer.
const FIRST_VIEW: usize = 3;
/// Words of a node's properties, up to and with its definition: 216 bytes at most in the same versions.
const PROPERTIES_WORDS: usize = 27;
/// Words of an op's definition: 152 bytes at least.
const DEFINITION_WORDS: usize = 19;
/// Names of nodes grow with the scopes they are in; ops have at most 60 letters.
const LONGEST_NAME: u64 = 1024;
const LONGEST_OP: usize = 128;
/// Protobuf marks who owns a string in the lowest bits of the pointer to it.
const OWNER_BITS: u64 = 3;

/// What a kernel was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kernel {
    pub(super) op: String,
    pub(super) node: String,
}

/// A `std::string`: where its bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Text {
    start: u64,
    length: u64,
}

/// Reads the object at `address`, which by its class is a kernel.
pub(super) fn read(memory: &dyn ReadMemory, address: u64) -> Option<Kernel> {
    let kernel = words::<KERNEL_WORDS>(memory, address)?;
    let properties = words::<PROPERTIES_WORDS>(memory, kernel[1])?;
    let [definition, node @ ..] = properties;
    let of_node: Vec<Text> = node.iter().flat_map(|word| texts(memory, *word)).collect();
    let (node, op) = views(&kernel, &of_node)?;
    let op = string(memory, op).filter(|op| is_op(op))?;
    let definition = words::<DEFINITION_WORDS>(memory, definition)?;
    definition
        .iter()
        .flat_map(|word| texts(memory, *word))
        .any(|name| name.length == op.len() as u64 && string(memory, name).as_deref() == Some(&op))
        .then_some(())?;
    let node = string(memory, node).unwrap_or_default();
    Some(Kernel { op, node })
}

/// The views of node and op, which lie side by side and show strings of the node's definition.
fn views(kernel: &[u64; KERNEL_WORDS], of_node: &[Text]) -> Option<(Text, Text)> {
    let view = |at: usize| {
        let (one, other) = (*kernel.get(at)?, *kernel.get(at + 1)?);
        // Length and pointer stand in the one order in libstdc++ and in the other in Abseil.
        of_node.iter().copied().find(|text| {
            (text.start, text.length) == (one, other) || (text.start, text.length) == (other, one)
        })
    };
    (FIRST_VIEW..KERNEL_WORDS)
        .find_map(|at| Some((view(at)?, view(at + 2).filter(|op| op.length > 0)?)))
}

/// The string that a message refers to by `word`, in each reading that is possible.
fn texts(memory: &dyn ReadMemory, word: u64) -> impl Iterator<Item = Text> {
    let [start, length] = words::<2>(memory, word & !OWNER_BITS).unwrap_or_default();
    // Before 2.9 wheels were built with strings that are only a pointer, to bytes with their length ahead of them.
    let ahead = start.checked_sub(24).and_then(|at| memory.u64(at).ok());
    [Some(length), ahead]
        .into_iter()
        .flatten()
        .map(move |length| Text { start, length })
        .filter(|text| text.start != 0 && text.length <= LONGEST_NAME)
}

/// Names of nodes and ops are visible ASCII.
fn string(memory: &dyn ReadMemory, text: Text) -> Option<String> {
    let length = usize::try_from(text.length.min(LONGEST_NAME)).ok()?;
    let bytes = memory.bytes(text.start, length).ok()?;
    String::from_utf8(bytes)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_graphic()))
}

/// `MatMul`, `_FusedConv2D`, `Addons>ImageConnectedComponents`; also the name of a function that is called as an op.
fn is_op(name: &str) -> bool {
    (2..=LONGEST_OP).contains(&name.len())
        && name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'>' | b'.' | b'-'))
}

/// `N` words from an aligned address.
pub(super) fn words<const N: usize>(memory: &dyn ReadMemory, address: u64) -> Option<[u64; N]> {
    if address == 0 || !address.is_multiple_of(8) {
        return None;
    }
    let bytes = memory.bytes(address, N * 8).ok()?;
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().ok()?);
    }
    Some(words)
}
