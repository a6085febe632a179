//! Arguments and local variables of frames: which frames are asked, and where each keeps its variables.
//!
//! Who is on the path of the crash is known only once frames have names, so some of every thread are read; the
//! others are dropped then.

use std::collections::HashMap;
use std::rc::Rc;

use crashlens_core::{Value, Variable, contexts};

use crate::Unreadable;

use super::frames::FrameRecord;
use super::objects::at;
use super::offsets::{CodeVariables, Offsets, VariableNames};
use super::stacks::StackRead;
use super::values::{Object, ValueReader, flags, small_integer};

/// Innermost frames of a thread whose variables are read, and frames of the user's own code beyond them.
const INNERMOST: usize = 32;
const OWN_CODE: usize = 8;
/// Threads whose variables are read.
const MOST_THREADS: usize = 16;
/// Variables of one frame, and of a module that is being run.
const MOST_VARIABLES: usize = 64;
const MOST_OF_MODULE: usize = 64;
/// Slots of one frame that are looked at.
const MOST_SLOTS: usize = 256;
/// Bytes of names and values in all: a report stays small whatever a program holds.
const MOST_TEXT: usize = 192 << 10;
/// What a variable costs besides its texts.
const VARIABLE: usize = 64;

/// Code whose variables are slots of the frame, and code that takes `*arguments` or `**keywords`.
const OPTIMIZED: i32 = 1;
const TAKES_MORE: i32 = 4;
const TAKES_KEYWORDS: i32 = 8;

/// Bits of a slot's kind from 3.11 on.
const CELL_OR_FREE: u8 = 0xc0;

/// Gives frames their variables; `stacks` as the interpreter lists them.
pub(super) fn read(values: &ValueReader<'_>, offsets: &Offsets, stacks: &mut [StackRead]) {
    let crashed = values.snapshot().crashed_thread;
    let mut order: Vec<&mut StackRead> = stacks.iter_mut().collect();
    order.sort_by_key(|stack| {
        let id = stack.thread.thread;
        let is_crashed = id.is_some() && id == crashed;
        (!is_crashed, stack.thread.holds_gil != Some(true))
    });
    let mut reader = LocalsReader {
        values,
        offsets,
        codes: HashMap::new(),
        text_left: MOST_TEXT,
    };
    for stack in order.into_iter().take(MOST_THREADS) {
        reader.read_stack(stack);
    }
}

/// Whether a file is neither Python's own nor of an installed package.
fn is_own_code(file: &str) -> bool {
    !file.starts_with('<')
        && !["/site-packages/", "/dist-packages/", "/lib/python"]
            .iter()
            .any(|folder| file.contains(folder))
}

struct LocalsReader<'a> {
    values: &'a ValueReader<'a>,
    offsets: &'a Offsets,
    codes: HashMap<u64, Option<Rc<Variables>>>,
    text_left: usize,
}

/// What a code object says of its variables.
#[derive(Debug)]
struct Variables {
    /// `None` where they are in a dictionary.
    slots: Option<Vec<Slot>>,
}

#[derive(Debug, Default)]
struct Slot {
    /// Empty for a slot that is not in use.
    name: String,
    argument: bool,
    /// Whether the value is in a cell that functions share.
    shared: bool,
}

impl LocalsReader<'_> {
    fn read_stack(&mut self, stack: &mut StackRead) {
        let mut own = 0;
        for (index, (frame, record)) in stack
            .thread
            .frames
            .iter_mut()
            .zip(&stack.records)
            .enumerate()
        {
            if index >= INNERMOST && !contexts::runs_workers(&frame.file) {
                if own >= OWN_CODE || !is_own_code(&frame.file) {
                    continue;
                }
                own += 1;
            }
            if self.text_left < VARIABLE {
                return;
            }
            if let Ok(mut variables) = self.read_frame(record) {
                variables.retain(|variable| self.takes(variable));
                frame.locals = variables;
            }
        }
    }

    /// Whether there is room for one more. What does not fit uses up the rest: no other frame need be read then.
    fn takes(&mut self, variable: &Variable) -> bool {
        let text = variable.value.text.as_ref().map_or(0, String::len);
        let shape = variable.value.array.as_ref().map_or(0, |array| {
            VARIABLE + 24 * array.shape.as_ref().map_or(0, Vec::len)
        });
        let cost = VARIABLE + variable.name.len() + variable.value.type_name.len() + text + shape;
        let left = self.text_left.checked_sub(cost);
        self.text_left = left.unwrap_or(0);
        left.is_some()
    }

    fn read_frame(&mut self, record: &FrameRecord) -> Result<Vec<Variable>, Unreadable> {
        let code = record.execution(self.values.memory(), self.offsets)?.code;
        if !self.codes.contains_key(&code) {
            let read = self.read_code(code).ok().map(Rc::new);
            self.codes.insert(code, read);
        }
        let variables = self.codes.get(&code).cloned().flatten();
        let variables = variables.ok_or(Unreadable { address: code })?;
        match &variables.slots {
            Some(slots) => self.in_slots(record, slots),
            None => self.in_dictionary(record),
        }
    }

    fn read_code(&self, code: u64) -> Result<Variables, Unreadable> {
        let memory = self.values.memory();
        let fields = self.values.layout().code;
        let flags = memory.i32(at(code, fields.flags)?)?;
        if flags & OPTIMIZED == 0 {
            return Ok(Variables { slots: None });
        }
        let count = |offset| {
            let count = memory.i32(at(code, offset)?)?;
            usize::try_from(count).map_err(|_| Unreadable { address: code })
        };
        let mut arguments = count(fields.arguments)?;
        if let Some(keywords) = fields.keyword_arguments {
            arguments = arguments.saturating_add(count(keywords)?);
        }
        for flag in [TAKES_MORE, TAKES_KEYWORDS] {
            arguments = arguments.saturating_add(usize::from(flags & flag != 0));
        }
        let slots = self.slots(code, fields, arguments)?;
        Ok(Variables { slots: Some(slots) })
    }

    fn slots(
        &self,
        code: u64,
        fields: CodeVariables,
        arguments: usize,
    ) -> Result<Vec<Slot>, Unreadable> {
        match fields.names {
            VariableNames::One { names, kinds } => {
                let names = self.names(code, names)?;
                let kinds = self.values.object(self.values.pointer(code, kinds)?)?;
                let (kinds, _) = self.values.byte_string(&kinds)?;
                let slots = names.into_iter().zip(kinds).enumerate();
                Ok(slots
                    .map(|(index, (name, kind))| Slot {
                        name,
                        argument: index < arguments,
                        shared: kind & CELL_OR_FREE != 0,
                    })
                    .collect())
            }
            VariableNames::Three {
                locals,
                cells,
                free,
            } => {
                let mut slots: Vec<Slot> = (self.names(code, locals)?.into_iter().enumerate())
                    .map(|(index, name)| Slot {
                        name,
                        argument: index < arguments,
                        shared: false,
                    })
                    .collect();
                for names in [cells, free] {
                    for name in self.names(code, names)? {
                        // An argument that other functions share has moved into a cell; its slot is stale.
                        let moved = slots.iter().position(|slot| slot.name == name);
                        let moved = moved.map(|index| std::mem::take(&mut slots[index]));
                        slots.push(Slot {
                            name,
                            argument: moved.is_some_and(|slot| slot.argument),
                            shared: true,
                        });
                    }
                }
                Ok(slots)
            }
        }
    }

    fn names(&self, code: u64, offset: u64) -> Result<Vec<String>, Unreadable> {
        let tuple = self.values.object(self.values.pointer(code, offset)?)?;
        if !tuple.is(flags::TUPLE) {
            return Err(Unreadable { address: code });
        }
        let (names, _) = self.values.elements(&tuple, MOST_SLOTS)?;
        let names = names.into_iter().map(|name| {
            let text = self.values.text(name);
            text.ok_or(Unreadable { address: name })
        });
        names.collect()
    }

    fn in_slots(&self, record: &FrameRecord, slots: &[Slot]) -> Result<Vec<Variable>, Unreadable> {
        let place = self.values.layout().frame;
        let words = self
            .values
            .words(at(record.address, place.slots)?, slots.len())?;
        let mut variables = Vec::new();
        for (slot, word) in slots.iter().zip(words) {
            // The iterators of comprehensions have names that no program can write.
            let is_named = !slot.name.is_empty() && !slot.name.starts_with('.');
            if variables.len() >= MOST_VARIABLES || !is_named {
                continue;
            }
            if let Some(value) = self.slot_value(slot, word) {
                variables.push(Variable {
                    name: slot.name.clone(),
                    argument: slot.argument,
                    value,
                });
            }
        }
        variables.sort_by_key(|variable| !variable.argument);
        Ok(variables)
    }

    fn slot_value(&self, slot: &Slot, word: u64) -> Option<Value> {
        let address = if self.values.layout().frame.tagged {
            match word & 3 {
                3 => return Some(small_integer(word.cast_signed() >> 2, &slot.name)),
                2 => return None,
                _ => word & !3,
            }
        } else {
            word
        };
        let address = if slot.shared {
            self.behind_cell(address)?
        } else {
            address
        };
        (address != 0).then(|| self.values.named_value(&slot.name, address))
    }

    /// What a cell holds; the thing itself before it was put into one.
    fn behind_cell(&self, address: u64) -> Option<u64> {
        let object = self.values.object(address).ok()?;
        if &*object.type_name == "cell" {
            self.values.pointer(address, 16).ok()
        } else {
            Some(address)
        }
    }

    /// The variables of a module or a class that is being run: plain things, the newest ones.
    fn in_dictionary(&self, record: &FrameRecord) -> Result<Vec<Variable>, Unreadable> {
        const MOST_ENTRIES: usize = 4096;
        let place = self.values.layout().frame.dictionary;
        let dictionary = self
            .values
            .object(self.values.pointer(record.address, place)?)?;
        if !dictionary.is(flags::DICT) {
            return Ok(Vec::new());
        }
        let (entries, _) = self.values.entries(dictionary.address, MOST_ENTRIES)?;
        let mut variables = Vec::new();
        for (key, value) in entries.into_iter().rev() {
            if variables.len() >= MOST_OF_MODULE {
                break;
            }
            let is_shown = self
                .values
                .object(value)
                .is_ok_and(|value| is_thing(&value));
            let name = self.values.text(key).filter(|name| !name.starts_with("__"));
            if let Some(name) = name.filter(|_| is_shown) {
                variables.push(Variable {
                    value: self.values.named_value(&name, value),
                    name,
                    argument: false,
                });
            }
        }
        variables.reverse();
        Ok(variables)
    }
}

/// Whether a variable of a module is more than the furniture: modules, functions and classes.
fn is_thing(value: &Object) -> bool {
    !value.is(flags::TYPE)
        && !matches!(
            &*value.type_name,
            "module" | "function" | "builtin_function_or_method" | "classobj" | "_Feature"
        )
}
