//! The stack that a pickle works on, followed without making a single object.
//!
//! Only what kind of thing stands where is kept; that is enough to see which callables are named and called, and
//! whether the instructions fit together.

use std::collections::{BTreeMap, HashMap};

use super::joblib::{Element, Laid, is_wrapper};
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
    /// A number that can be a length.
    Natural(u32),
    List,
    Dict,
    Set,
    Tuple,
    /// A tuple of nothing but naturals, as the shape of an array is, by their product.
    Shape(u32),
    /// A tuple that begins with a name, or with a callable, by its number.
    NameFirst(u32),
    CallableFirst(u32),
    /// A callable, by its number.
    Callable(u32),
    /// A type of NumPy.
    Element(Element),
    /// What joblib puts for an array.
    Wrapper,
    /// What a call made, or nobody knows.
    Object,
}

impl Thing {
    fn noun(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Name(_) | Self::Text => "text",
            Self::Number | Self::Natural(_) => "number",
            Self::List => "list",
            Self::Dict => "dict",
            Self::Set => "set",
            Self::Tuple | Self::Shape(_) | Self::NameFirst(_) | Self::CallableFirst(_) => "tuple",
            Self::Callable(_) => "callable",
            Self::Element(_) | Self::Wrapper | Self::Object => "object",
        }
    }

    fn is_tuple(self) -> bool {
        self.noun() == Self::Tuple.noun()
    }

    /// The tuple of some things.
    fn tuple_of(items: &[Self]) -> Self {
        match items {
            [Self::Name(name), ..] => Self::NameFirst(*name),
            [Self::Callable(callable), ..] => Self::CallableFirst(*callable),
            lengths => {
                let product = lengths.iter().try_fold(1_u32, |product, item| match item {
                    Self::Natural(length) => product.checked_mul(*length),
                    _ => None,
                });
                product.map_or(Self::Tuple, Self::Shape)
            }
        }
    }
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
    /// The last state of a wrapper of joblib.
    state: Laid,
    /// What lies behind the instruction before the next one.
    pub(super) laid: Option<Laid>,
}

/// What old protocols make objects with; Python 2 had another name for the module.
fn is_constructor(name: &str) -> bool {
    matches!(name, "copyreg._reconstructor" | "copy_reg._reconstructor")
}

/// Why it cannot go on, as a sentence without its end.
pub(super) type Wrong = String;

impl Machine {
    /// A new one that goes on counting callables.
    pub(super) fn within(&mut self) -> Self {
        Self {
            used: std::mem::take(&mut self.used),
            ..Self::default()
        }
    }

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

    /// Takes everything down to the last mark, which goes with it.
    fn down_to_mark(&mut self) -> Result<Vec<Thing>, Wrong> {
        let mark = self.stack.iter().rposition(|thing| *thing == Thing::Mark);
        let mark =
            mark.ok_or_else(|| "an instruction needs a mark and there is none".to_owned())?;
        let items = self.stack.split_off(mark + 1);
        self.stack.truncate(mark);
        Ok(items)
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

    fn call(&mut self, callee: Thing, arguments: Thing) -> Result<(), Wrong> {
        let name = match callee {
            Thing::Callable(number) => self.callables.get(number as usize),
            Thing::Object => None,
            other => {
                let other = other.noun();
                return Err(format!("it calls what is no callable but a {other}"));
            }
        };
        if let Some(used) = name.and_then(|name| self.used.get_mut(name)) {
            used.called += 1;
        }
        let made = name.map_or(Thing::Object, |name| self.made(name, arguments));
        self.push(made)
    }

    /// What a call gives, as far as arrays are concerned.
    fn made(&self, name: &str, arguments: Thing) -> Thing {
        match arguments {
            Thing::NameFirst(number) if name == "numpy.dtype" => {
                let element = self.names.get(number as usize);
                let element = element.and_then(|name| Element::named(name));
                element.map_or(Thing::Object, Thing::Element)
            }
            // The class is an argument in old protocols.
            Thing::CallableFirst(number) if is_constructor(name) => {
                let class = self.callables.get(number as usize);
                let is_wrapper = class.is_some_and(|class| is_wrapper(class));
                if is_wrapper {
                    Thing::Wrapper
                } else {
                    Thing::Object
                }
            }
            _ if is_wrapper(name) => Thing::Wrapper,
            _ => Thing::Object,
        }
    }

    pub(super) fn call_from_mark(&mut self, name: Option<(String, u64)>) -> Result<(), Wrong> {
        let items = self.down_to_mark()?;
        if let Some((name, at)) = name {
            self.callable(name, at)?;
            let callee = self.pop()?;
            return self.call(callee, Thing::Tuple);
        }
        match items.first() {
            Some(callee) => self.call(*callee, Thing::Tuple),
            None => Err("it calls nothing".to_owned()),
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
        let items = self.down_to_mark()?;
        let (pairs, rest) = items.as_chunks::<2>();
        if in_pairs && !rest.is_empty() {
            return Err("a key has no value".to_owned());
        }
        if kind == Thing::Dict {
            for [key, value] in pairs {
                self.note_entry(*key, *value);
            }
        }
        self.must_be(kind)
    }

    fn must_be(&self, kind: Thing) -> Result<(), Wrong> {
        match self.top()? {
            top if top == kind || top == Thing::Object => Ok(()),
            top => {
                let (top, kind) = (top.noun(), kind.noun());
                Err(format!("it fills a {top} as if it were a {kind}"))
            }
        }
    }

    /// An entry for the dict that stands on top, which may be the state of a wrapper.
    fn note_entry(&mut self, key: Thing, value: Thing) {
        if let (Thing::Name(key), [.., Thing::Wrapper, Thing::Dict]) = (key, &*self.stack)
            && let Some(key) = self.names.get(key as usize)
        {
            self.state.note(key, value);
        }
    }

    /// Hands a state to what stands below it. Behind that of a wrapper its array lies.
    fn build(&mut self) -> Result<(), Wrong> {
        self.pop()?;
        if self.top()? == Thing::Wrapper {
            self.laid = Some(std::mem::take(&mut self.state));
            self.pop()?;
            self.push(Thing::Object)?;
        }
        Ok(())
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
                let (value, key) = (self.pop()?, self.pop()?);
                self.note_entry(key, value);
                self.must_be(Thing::Dict)
            }
            b'b' => self.build(),
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
            arguments if arguments.is_tuple() || arguments == Thing::Object => {
                let callee = self.pop()?;
                self.call(callee, arguments)
            }
            other => Err(format!("the arguments of a call are a {}", other.noun())),
        }
    }

    /// Instructions that make a list, tuple, dict or set.
    fn gather(&mut self, code: u8) -> Result<(), Wrong> {
        let thing = match code {
            b'd' => {
                if !self.down_to_mark()?.len().is_multiple_of(2) {
                    return Err("a key has no value".to_owned());
                }
                Thing::Dict
            }
            b'}' => Thing::Dict,
            b'l' => self.down_to_mark().map(|_| Thing::List)?,
            b']' => Thing::List,
            b't' => Thing::tuple_of(&self.down_to_mark()?),
            b')' => Thing::tuple_of(&[]),
            0x85 => Thing::tuple_of(&[self.pop()?]),
            0x86 => {
                let (second, first) = (self.pop()?, self.pop()?);
                Thing::tuple_of(&[first, second])
            }
            0x87 => {
                let (third, second, first) = (self.pop()?, self.pop()?, self.pop()?);
                Thing::tuple_of(&[first, second, third])
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
