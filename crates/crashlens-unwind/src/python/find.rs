//! Where in the process the interpreter's lists begin.

use crashlens_core::Module;

use crate::ReadMemory;

use super::SymbolLookup;
use crate::arch::{Use, addresses_used};

/// What leads to everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// Address of `_PyRuntime` (3.7 and later).
    Runtime(u64),
    /// Address of the variable that holds the list of interpreters (2.7, 3.6).
    InterpreterList(u64),
}

/// Modules that may be the interpreter, the likely ones first, each asked only when it is reached.
///
/// More than one may qualify: Debian's static executable with an extension that was linked to
/// libpython maps a second, unused runtime. Which one is alive only memory tells.
pub(crate) fn candidates<'a>(
    memory: &'a dyn ReadMemory,
    modules: &'a [Module],
    symbols: &'a dyn SymbolLookup,
) -> impl Iterator<Item = (&'a Module, Root)> {
    let of_rank = move |wanted| modules.iter().filter(move |module| rank(module) == wanted);
    (0..3)
        .flat_map(of_rank)
        .filter_map(move |module| Some((module, root_of(memory, module, symbols)?)))
}

fn rank(module: &Module) -> u8 {
    match module.name.as_str() {
        name if name.starts_with("libpython") => 0,
        name if name.starts_with("python") => 1,
        _ => 2,
    }
}

fn root_of(memory: &dyn ReadMemory, module: &Module, symbols: &dyn SymbolLookup) -> Option<Root> {
    let runtime = symbols.symbol(module, "_PyRuntime").or_else(|| {
        symbols
            .section(module, ".PyRuntime")
            .map(|(start, _)| start)
    });
    if let Some(runtime) = runtime {
        return Some(Root::Runtime(runtime));
    }
    // The list is a static variable, so that only a full symbol table names it, possibly with a suffix of
    // the link-time optimiser. The exported function that returns it begins by loading it.
    let function = symbols.symbol(module, "PyInterpreterState_Head")?;
    addresses_used(memory, function, Use::Load)
        .first()
        .copied()
        .or_else(|| symbols.symbol(module, "interp_head"))
        .map(Root::InterpreterList)
}
