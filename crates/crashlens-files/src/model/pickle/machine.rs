//! The stack that a pickle works on, followed without making a single object.
//!
//! Only what kind of thing stands where is kept; that is enough to see which callables are named and called, and
//! whether the instructions fit together.

use std::collections::{BTreeMap, HashMap};

use super::names::known;

/// So many things on the stack, in the memo, and among the callables.
const MOST_THINGS: usize = 4_000_000;
const MOST_CALLABLES: usize = 10_000;

/// What stands on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Mark,
    /// A text that is short enough to be a name, by its number.
    Name(u32),
    Text,
    Number,
    List,
    Dict,
    Set,
    Tuple,
    /// A callable, by its number.
    Callable(u32),
    /// What a call made, or nobody knows.
    Object,
}

/// What becomes of a callable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Callable {
    pub(super) named: u64,
    pub(super) called: u64,
    /// Byte of the pickle where it is named first.
    pub(super) at: u64,
}

/// The state of an unpickler.
#[derive(Debug, Default)]
pub(super) struct Machine {
    stack: Vec<Thing>,
    memo: HashMap<u64, Thing>,
    names: Vec<String>,
    callables: Vec<String>,
    numbers: HashMap<String, u32>,
    pub(super) used: BTreeMap<String, Callable>,
}

/// Why it cannot go on, as a sentence without its end.
pub(super) type Wrong = String;

impl Machine {
    pub(super) fn push(&mut self, thing: Thing) -> Result<(), Wrong> {
        if self.stack.len() >= MOST_THINGS {
            return Err(format!("more than {MOST_THINGS} things on its stack"));
        }
        self.stack.push(thing);
        Ok(())
    }

    pub(super) fn push_name(&mut self, name: &str) -> Result<(), Wrong> {
        if self.names.len() >= MOST_CALLABLES {
            return self.push(Thing::Text);
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.push(Thing::Name(number))
    }

    fn pop(&mut self) -> Result<Thing, Wrong> {
        match self.stack.pop() {
            Some(Thing::Mark) | None => Err("an instruction takes more than is there".to_owned()),
            Some(thing) => Ok(thing),
        }
    }

    fn top(&self) -> Result<Thing, Wrong> {
        match self.stack.last() {
            Some(Thing::Mark) | None => Err("an instruction takes more than is there".to_owned()),
            Some(thing) => Ok(*thing),
        }
    }

    /// Takes everything down to the last mark; how many things that are.
    fn down_to_mark(&mut self) -> Result<usize, Wrong> {
        let mark = self.stack.iter().rposition(|thing| *thing == Thing::Mark);
        let mark =
            mark.ok_or_else(|| "an instruction needs a mark and there is none".to_owned())?;
        let count = self.stack.len() - mark - 1;
        self.stack.truncate(mark);
        Ok(count)
    }

    /// Names a callable and pushes it.
    pub(super) fn callable(&mut self, name: String, at: u64) -> Result<(), Wrong> {
        if self.used.len() < MOST_CALLABLES || self.used.contains_key(&name) {
            let used = self.used.entry(name.clone()).or_insert(Callable {
                at,
                ..Callable::default()
            });
            used.named += 1;
        }
        let number = match self.numbers.get(&name) {
            Some(number) => *number,
            None if self.callables.len() >= MOST_CALLABLES => return self.push(Thing::Object),
            None => {
                let number = self.callables.len() as u32;
                self.callables.push(name.clone());
                self.numbers.insert(name, number);
                number
            }
        };
        self.push(Thing::Callable(number))
    }

    fn call(&mut self, callee: Thing) -> Result<(), Wrong> {
        match callee {
            Thing::Callable(number) => {
                let name = self.callables.get(number as usize);
                if let Some(used) = name.and_then(|name| self.used.get_mut(name)) {
                    used.called += 1;
                }
            }
            Thing::Object => {}
            other => return Err(format!("it calls what is no callable but a {other:?}")),
        }
        self.push(Thing::Object)
    }

    pub(super) fn call_from_mark(&mut self, name: Option<(String, u64)>) -> Result<(), Wrong> {
        let mark = self.stack.iter().rposition(|thing| *thing == Thing::Mark);
        let callee = mark.and_then(|mark| self.stack.get(mark + 1).copied());
        let count = self.down_to_mark()?;
        if let Some((name, at)) = name {
            self.callable(name, at)?;
            let callee = self.pop()?;
            return self.call(callee);
        }
        match callee {
            Some(callee) if count > 0 => self.call(callee),
            _ => Err("it calls nothing".to_owned()),
        }
    }

    pub(super) fn put(&mut self, place: u64) -> Result<(), Wrong> {
        if self.memo.len() >= MOST_THINGS {
            return Err(format!("more than {MOST_THINGS} things in its memo"));
        }
        let thing = self.top()?;
        self.memo.insert(place, thing);
        Ok(())
    }

    pub(super) fn get(&mut self, place: u64) -> Result<(), Wrong> {
        let thing = self.memo.get(&place).copied();
        let thing = thing
            .ok_or_else(|| format!("it asks for thing {place} of its memo, which is not there"))?;
        self.push(thing)
    }

    /// Module and name stand on the stack.
    fn stack_global(&mut self, at: u64) -> Result<(), Wrong> {
        let (name, module) = (self.pop()?, self.pop()?);
        let text = |thing| match thing {
            Thing::Name(number) => self.names.get(number as usize).cloned(),
            _ => None,
        };
        match (module, name, text(module), text(name)) {
            (_, _, Some(module), Some(name)) => {
                let name = format!("{module}.{name}");
                known(&name)?;
                self.callable(name, at)
            }
            (Thing::Text | Thing::Name(_), Thing::Text | Thing::Name(_), _, _) => {
                self.callable("a name that is too long".to_owned(), at)
            }
            _ => Err("the name of a callable is no text".to_owned()),
        }
    }

    /// Takes pairs or items down to the mark into what is below it.
    fn fill(&mut self, kind: Thing, in_pairs: bool) -> Result<(), Wrong> {
        let count = self.down_to_mark()?;
        if in_pairs && !count.is_multiple_of(2) {
            return Err("a key has no value".to_owned());
        }
        self.must_be(kind)
    }

    fn must_be(&self, kind: Thing) -> Result<(), Wrong> {
        match self.top()? {
            top if top == kind || top == Thing::Object => Ok(()),
            top => Err(format!("it fills a {top:?} as if it were a {kind:?}")),
        }
    }

    /// An instruction without argument.
    pub(super) fn plain(&mut self, code: u8, at: u64) -> Result<(), Wrong> {
        match code {
            b'(' => self.push(Thing::Mark),
            b'0' => match self.stack.pop() {
                Some(_) => Ok(()),
                None => Err("an instruction takes more than is there".to_owned()),
            },
            b'1' => self.down_to_mark().map(|_| ()),
            b'2' => self.top().and_then(|top| self.push(top)),
            b'N' | 0x97 => self.push(Thing::Object),
            0x88 | 0x89 => self.push(Thing::Number),
            b'Q' => self.pop().and_then(|_| self.push(Thing::Object)),
            b'R' | 0x81 => self.reduce(),
            0x92 => self.pop().and_then(|_| self.reduce()),
            b'a' => self.pop().and_then(|_| self.must_be(Thing::List)),
            b's' => {
                self.pop()?;
                self.pop()?;
                self.must_be(Thing::Dict)
            }
            b'b' => {
                self.pop()?;
                self.top().map(|_| ())
            }
            b'e' => self.fill(Thing::List, false),
            b'u' => self.fill(Thing::Dict, true),
            0x90 => self.fill(Thing::Set, false),
            0x98 => self.top().map(|_| ()),
            b'o' => self.call_from_mark(None),
            0x93 => self.stack_global(at),
            0x94 => self.put(self.memo.len() as u64),
            _ => self.gather(code),
        }
    }

    fn reduce(&mut self) -> Result<(), Wrong> {
        match self.pop()? {
            Thing::Tuple | Thing::Object => {
                let callee = self.pop()?;
                self.call(callee)
            }
            other => Err(format!("the arguments of a call are a {other:?}")),
        }
    }

    /// Instructions that make a list, tuple, dict or set.
    fn gather(&mut self, code: u8) -> Result<(), Wrong> {
        let thing = match code {
            b'd' => {
                if !self.down_to_mark()?.is_multiple_of(2) {
                    return Err("a key has no value".to_owned());
                }
                Thing::Dict
            }
            b'}' => Thing::Dict,
            b'l' => self.down_to_mark().map(|_| Thing::List)?,
            b']' => Thing::List,
            b't' => self.down_to_mark().map(|_| Thing::Tuple)?,
            b')' => Thing::Tuple,
            0x85..=0x87 => {
                for _ in 0x84..code {
                    self.pop()?;
                }
                Thing::Tuple
            }
            0x8f => Thing::Set,
            0x91 => self.down_to_mark().map(|_| Thing::Object)?,
            _ => Thing::Object,
        };
        self.push(thing)
    }

    /// The end: one thing must be left.
    pub(super) fn stop(&mut self) -> Result<(), Wrong> {
        self.pop().map(|_| ())
    }
}
