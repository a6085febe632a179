//! From the process to its Python stacks: the order of the steps, and what is said when one fails.

use crashlens_core::{Gaps, Module, PythonRuntime};

use crate::{ProcessSnapshot, ReadMemory};

use super::budget::BudgetedMemory;
use super::find::{self, Root};
use super::objects::{ObjectReader, at};
use super::offsets::{self, ObjectLayout, Offsets, RecursionLimit};
use super::stacks::{self, StackRead, StackReader};
use super::texts::{Python2Unicode, TextReader};
use super::threads::{self, GilRoots, ThreadList};
use super::values::{self, ValueFormat};
use super::version::{self, Version};
use super::{PythonState, SymbolLookup, debug_offsets, locals};

/// Reads of memory for one process: two for each of 100 000 frames, and as much again for everything else.
const MOST_READS: u32 = 400_000;

/// Bytes read from one process.
const MOST_BYTES: usize = 64 << 20;

const PART: &str = "Python stacks";

pub(super) fn read(
    memory: &dyn ReadMemory,
    modules: &[Module],
    symbols: &dyn SymbolLookup,
    snapshot: &ProcessSnapshot,
    confidential: Option<&dyn ReadMemory>,
    gaps: &mut Gaps,
) -> Option<PythonState> {
    let memory = BudgetedMemory::new(memory, MOST_READS, MOST_BYTES);
    let interpreter = Interpreter::find(&memory, modules, symbols)?;
    let mut state = PythonState {
        runtime: interpreter.describe(&memory, symbols),
        version: interpreter.version.number,
        threads: Vec::new(),
        values: None,
        locals_gap: None,
        recursion_limit: None,
    };
    match (interpreter.offsets, interpreter.head) {
        (Some(offsets), Some(head)) => {
            let process = Process {
                memory: &memory,
                symbols,
                snapshot,
                confidential,
            };
            interpreter.fill(&mut state, &process, &offsets, head, gaps);
        }
        (Some(_), None) => {
            gaps.add(PART, "the list of interpreters cannot be read", None);
        }
        (None, _) => {
            let version = &interpreter.version.text;
            gaps.add(
                PART,
                format!("the memory layout of CPython {version} is not known"),
                None,
            );
        }
    }
    if memory.is_spent() {
        gaps.add(PART, "there is more than is ever read of one process", None);
    }
    Some(state)
}

/// What an interpreter is read from.
struct Process<'a> {
    memory: &'a dyn ReadMemory,
    symbols: &'a dyn SymbolLookup,
    snapshot: &'a ProcessSnapshot,
    confidential: Option<&'a dyn ReadMemory>,
}

/// An interpreter that was found in the process.
struct Interpreter<'a> {
    module: &'a Module,
    root: Root,
    version: Version,
    offsets: Option<Offsets>,
    /// Address of the newest interpreter state, 0 before the first; `None` when it cannot be read.
    head: Option<u64>,
}

impl<'a> Interpreter<'a> {
    /// The first that has run, else the first at all.
    fn find(
        memory: &'a dyn ReadMemory,
        modules: &'a [Module],
        symbols: &'a dyn SymbolLookup,
    ) -> Option<Self> {
        let mut idle = None;
        for (module, root) in find::candidates(memory, modules, symbols) {
            let Some(version) = version::identify(memory, module, symbols, root) else {
                continue;
            };
            let offsets = offsets_of(memory, version.number, root);
            let head = offsets.and_then(|offsets| head(memory, &offsets, root));
            let found = Self {
                module,
                root,
                version,
                offsets,
                head,
            };
            if found.head.is_some_and(|head| head != 0) {
                return Some(found);
            }
            idle.get_or_insert(found);
        }
        idle
    }

    fn describe(&self, memory: &dyn ReadMemory, symbols: &dyn SymbolLookup) -> PythonRuntime {
        PythonRuntime {
            version: self.version.text.clone(),
            library: self.module.path.clone(),
            shared: self.module.name.contains(".so"),
            stripped: !symbols.has_symtab(self.module),
            finalizing: self.finalizing(memory, symbols),
        }
    }

    fn finalizing(&self, memory: &dyn ReadMemory, symbols: &dyn SymbolLookup) -> Option<bool> {
        let offsets = self.offsets?;
        let marks = match (self.root, offsets.runtime) {
            (Root::Runtime(runtime), Some(fields)) => {
                let interpreter = offsets
                    .interpreter
                    .finalizing
                    .and_then(|offset| at(self.head?, offset).ok());
                [Some(at(runtime, fields.finalizing).ok()?), interpreter]
            }
            _ => [symbols.symbol(self.module, "_Py_Finalizing"), None],
        };
        marks
            .into_iter()
            .flatten()
            .filter_map(|mark| memory.u64(mark).ok())
            .map(|mark| mark != 0)
            .reduce(|a, b| a || b)
    }

    /// Adds the stacks, their variables and what else is known of a version.
    fn fill(
        &self,
        state: &mut PythonState,
        process: &Process<'_>,
        offsets: &Offsets,
        head: u64,
        gaps: &mut Gaps,
    ) {
        let list = threads::list(process.memory, offsets, head);
        if let Some(cut) = list.cut {
            gaps.add(PART, cut, None);
        }
        let mut stacks = self.read_stacks(process, offsets, &list, gaps);
        if let Some(layout) = self.layout(process.memory) {
            state.recursion_limit =
                self.recursion_limit(process.memory, layout, &list, process.symbols);
            state.values = Some(ValueFormat {
                layout,
                text: offsets.text,
                python2: self.python2_unicode(process.symbols),
            });
        }
        match (process.confidential, state.values) {
            (Some(confidential), Some(format)) => {
                state.locals_gap =
                    read_values(confidential, process.snapshot, format, offsets, &mut stacks);
            }
            (Some(_), None) => {
                let version = &self.version.text;
                state.locals_gap = Some(format!(
                    "how this build of CPython {version} keeps them is not known"
                ));
            }
            (None, _) => {}
        }
        for stack in stacks {
            stacks::join(&mut state.threads, stack.thread);
        }
    }

    fn read_stacks(
        &self,
        process: &Process<'_>,
        offsets: &Offsets,
        list: &ThreadList,
        gaps: &mut Gaps,
    ) -> Vec<StackRead> {
        let texts = TextReader {
            memory: process.memory,
            offsets: offsets.text,
            python2: self.python2_unicode(process.symbols),
        };
        let objects = ObjectReader::new(process.memory, texts, offsets.code);
        let mut stacks = StackReader::new(process.memory, offsets, objects);
        let roots = self.gil_roots(process.symbols);
        let read = stacks.read_all(list, roots, &process.snapshot.threads);
        for stack in &read {
            stacks::note_elision(&stack.thread, gaps);
        }
        read
    }

    /// How objects are laid out, for builds of which that is known.
    fn layout(&self, memory: &dyn ReadMemory) -> Option<ObjectLayout> {
        let layout = offsets::layout(self.version.number)?;
        let (Root::Runtime(runtime), Some(map)) =
            (self.root, offsets::published(self.version.number))
        else {
            return Some(layout);
        };
        debug_offsets::agree(memory, runtime, &map, layout).then_some(layout)
    }

    fn recursion_limit(
        &self,
        memory: &dyn ReadMemory,
        layout: ObjectLayout,
        list: &ThreadList,
        symbols: &dyn SymbolLookup,
    ) -> Option<u64> {
        let address = match layout.recursion_limit {
            RecursionLimit::Variable => symbols.symbol(self.module, "_Py_CheckRecursionLimit")?,
            RecursionLimit::Interpreter(offset) => at(*list.interpreters.last()?, offset).ok()?,
            RecursionLimit::Thread(offset) => at(list.threads.last()?.address, offset).ok()?,
        };
        let limit = memory.i32(address).ok()?;
        u64::try_from(limit).ok().filter(|limit| *limit > 0)
    }

    fn gil_roots(&self, symbols: &dyn SymbolLookup) -> GilRoots {
        match self.root {
            Root::Runtime(runtime) => GilRoots {
                runtime: Some(runtime),
                current_variable: None,
            },
            Root::InterpreterList(_) => GilRoots {
                runtime: None,
                current_variable: symbols.symbol(self.module, "_PyThreadState_Current"),
            },
        }
    }

    fn python2_unicode(&self, symbols: &dyn SymbolLookup) -> Option<Python2Unicode> {
        if self.version.number != (2, 7) {
            return None;
        }
        // The width of a character is part of every function's name, so that extensions for the other
        // width fail to load.
        let wide = symbols
            .symbol(self.module, "PyUnicodeUCS4_AsUTF8String")
            .is_some();
        Some(Python2Unicode {
            unicode_type: symbols.symbol(self.module, "PyUnicode_Type")?,
            character_size: if wide { 4 } else { 2 },
        })
    }
}

fn offsets_of(memory: &dyn ReadMemory, version: (u8, u8), root: Root) -> Option<Offsets> {
    if let Some(offsets) = offsets::table(version) {
        return Some(offsets);
    }
    let Root::Runtime(runtime) = root else {
        return None;
    };
    debug_offsets::read(memory, runtime, &offsets::published(version)?)
        .ok()
        .flatten()
}

fn head(memory: &dyn ReadMemory, offsets: &Offsets, root: Root) -> Option<u64> {
    let variable = match root {
        Root::Runtime(runtime) => at(runtime, offsets.runtime?.interpreters_head).ok()?,
        Root::InterpreterList(variable) => variable,
    };
    memory.u64(variable).ok()
}

/// Gives the frames their variables. Answers why some are missing.
fn read_values(
    confidential: &dyn ReadMemory,
    snapshot: &ProcessSnapshot,
    format: ValueFormat,
    offsets: &Offsets,
    stacks: &mut [StackRead],
) -> Option<String> {
    let budget = values::budget(confidential);
    let values = format.reader(&budget, snapshot);
    locals::read(&values, offsets, stacks);
    budget
        .is_spent()
        .then(|| "there are more than are ever read of one process".to_owned())
}
