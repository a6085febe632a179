//! What the kernel put on the stack of a program before its first instruction.
//!
//! A core's own note has 79 bytes of the command line and no variables at all; both are still in
//! memory, at the top of the first thread's stack:
//!
//! ```text
//! argc │ argv… 0 │ envp… 0 │ auxiliary vector │ random bytes, strings │ path of the program
//! ```

use crate::{ReadMemory, Unreadable};

/// `AT_RANDOM`: the random bytes, just above the auxiliary vector.
pub(super) const AT_RANDOM: u64 = 25;
/// `AT_EXECFN`: the path as it was given to `execve`.
pub(super) const AT_EXECFN: u64 = 31;
/// `AT_SYSINFO_EHDR`: start of the kernel's own library.
pub(super) const AT_SYSINFO_EHDR: u64 = 33;
/// `AT_PHDR`: program headers of the executable.
pub(super) const AT_PHDR: u64 = 3;

/// The vector is about 350 bytes long, and less than 64 bytes of padding and a platform name lie above it.
const SEARCH: u64 = 2048;
/// Linux allows a quarter of the stack's limit for arguments and variables, usually 2 MiB.
const MAX_STRINGS: usize = 65_536;
const MAX_BYTES: usize = 4 << 20;
/// `MAX_ARG_STRLEN`: the longest single string Linux accepts.
const MAX_STRING: usize = 128 << 10;

/// Arguments and environment of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InitialStack {
    /// The command line; bytes that are not UTF-8 are replaced.
    pub arguments: Vec<String>,
    /// Variables in their order, as the program's memory had them at its death.
    pub variables: Vec<(String, String)>,
    /// Entries that could not be read, or were not of the form `NAME=value`.
    pub skipped: usize,
}

/// Why arguments and environment cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InitialStackError {
    /// The core does not say where to look.
    #[error("the core has no auxiliary vector")]
    NoVector,
    /// The stack was not dumped, or is beyond the end of a truncated core.
    #[error("the top of the first thread's stack is not in the core")]
    NotDumped(#[from] Unreadable),
    /// The vector is not where the kernel put it.
    #[error("the first thread's stack does not look as the kernel left it")]
    NotFound,
}

/// Reads arguments and environment by the process's auxiliary vector.
pub(super) fn read(
    auxiliary: &[(u64, u64)],
    memory: &dyn ReadMemory,
) -> Result<InitialStack, InitialStackError> {
    let random = auxiliary
        .iter()
        .find(|(kind, _)| *kind == AT_RANDOM)
        .map(|(_, value)| *value);
    let vector = find_vector(
        auxiliary,
        random.ok_or(InitialStackError::NoVector)?,
        memory,
    )?;
    let (arguments, variables) = pointers(vector, memory)?;
    let mut strings = Strings {
        memory,
        left: MAX_BYTES,
    };
    let mut stack = InitialStack::default();
    for address in arguments.into_iter().rev() {
        match strings.read(address) {
            Some(text) => stack.arguments.push(text),
            None => stack.skipped += 1,
        }
    }
    for address in variables.into_iter().rev() {
        match strings
            .read(address)
            .as_deref()
            .and_then(|text| text.split_once('='))
        {
            Some((name, value)) => stack.variables.push((name.to_owned(), value.to_owned())),
            None => stack.skipped += 1,
        }
    }
    Ok(stack)
}

/// The address of the auxiliary vector: where the words of the core's note lie below the random bytes.
fn find_vector(
    auxiliary: &[(u64, u64)],
    random: u64,
    memory: &dyn ReadMemory,
) -> Result<u64, InitialStackError> {
    let pattern: Vec<u8> = auxiliary
        .iter()
        .flat_map(|(kind, value)| [kind.to_le_bytes(), value.to_le_bytes()])
        .flatten()
        .collect();
    let top = random & !15;
    // The stack's mapping may begin inside the range: take what there is, from the top down.
    let readable = (64..=SEARCH).step_by(64).take_while(|depth| {
        top.checked_sub(*depth)
            .is_some_and(|address| memory.bytes(address, 64).is_ok())
    });
    let depth = readable.last().ok_or(Unreadable { address: top })?;
    let low = top - depth;
    let bytes = memory.bytes(low, depth as usize)?;
    let place = memchr::memmem::rfind(&bytes, &pattern).ok_or(InitialStackError::NotFound)?;
    Ok(low + place as u64)
}

/// Pointers to arguments and to variables, both last first, from the words below the auxiliary vector.
///
/// The lists are separated by a zero word, but `unsetenv` moves the pointers of the variables down and
/// leaves more zeros behind them (glibc; Python's `del os.environ[…]` calls it). What marks the end
/// beyond doubt is `argc`: the one word that equals the number of pointers since the last zero.
fn pointers(
    vector: u64,
    memory: &dyn ReadMemory,
) -> Result<(Vec<u64>, Vec<u64>), InitialStackError> {
    let mut variables = Vec::new();
    let mut run = Vec::new();
    let mut address = vector;
    for _ in 0..MAX_STRINGS {
        address = address.checked_sub(8).ok_or(InitialStackError::NotFound)?;
        match memory.u64(address)? {
            0 => variables.append(&mut run),
            word if word == run.len() as u64 => return Ok((run, variables)),
            word => run.push(word),
        }
    }
    Err(InitialStackError::NotFound)
}

/// Reads zero-terminated strings, up to a total.
struct Strings<'a> {
    memory: &'a dyn ReadMemory,
    left: usize,
}

impl Strings<'_> {
    fn read(&mut self, address: u64) -> Option<String> {
        let mut text = Vec::new();
        let mut chunk = [0; 256];
        loop {
            // Chunks end where pages do: the next page may not exist.
            let at = address.checked_add(text.len() as u64)?;
            let room = chunk.len().min(4096 - (at % 4096) as usize);
            let chunk = &mut chunk[..room];
            self.memory.read(at, chunk).ok()?;
            let end = memchr::memchr(0, chunk);
            text.extend_from_slice(&chunk[..end.unwrap_or(room)]);
            self.left = self.left.checked_sub(end.unwrap_or(room) + 1)?;
            if end.is_some() {
                return Some(String::from_utf8_lossy(&text).into_owned());
            }
            if text.len() > MAX_STRING {
                return None;
            }
        }
    }
}
