//! Environment markers: the condition after the semicolon of a requirement.

use std::cmp::Ordering;
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier};

/// Maximum nesting of parentheses: the parser calls itself.
const DEEPEST: usize = 30;

/// A condition on the environment and on the extras that were asked for.
#[derive(Debug, Clone)]
pub(crate) enum Marker {
    /// All of them hold.
    All(Vec<Marker>),
    /// One of them holds.
    Any(Vec<Marker>),
    /// The extra is asked for, or is not (`!=`).
    Extra {
        /// Whether it must be.
        wanted: bool,
    },
    /// A version of the interpreter is in a range.
    Version(VersionOf, VersionSpecifier),
    /// A name in the environment compares to a text like this.
    Text(Name, Comparison, String),
}

/// A variable that is a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionOf {
    /// `python_version`: major and minor.
    Python,
    /// `python_full_version` and `implementation_version`, which are the same for CPython.
    PythonInFull,
}

/// A variable that is a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Implementation,
    Machine,
    Os,
    /// `platform_release` and `platform_version`: those of the kernel, which are not known.
    Kernel,
    PythonImplementation,
    System,
    SysPlatform,
    /// `python_version` and the like beside `in`, which looks for text.
    Version(VersionOf),
}

/// How a variable compares to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Ordered {
        less: bool,
        equal: bool,
        greater: bool,
    },
    /// The variable is part of the text.
    In { negated: bool },
    /// The text is part of the variable.
    Contains { negated: bool },
}

/// The environment that markers are evaluated for: CPython on Linux.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    minor: Version,
    full: Version,
    machine: String,
}

impl Environment {
    /// Of a version of Python, such as `3.11.7`, and of a machine as `uname -m` names it.
    pub(crate) fn new(python: &str, machine: &str) -> Option<Self> {
        let mut parts = python.split('.');
        let minor = format!("{}.{}", parts.next()?, parts.next()?);
        Some(Self {
            minor: Version::from_str(&minor).ok()?,
            full: Version::from_str(python).ok()?,
            machine: machine.to_owned(),
        })
    }

    fn version(&self, of: VersionOf) -> &Version {
        match of {
            VersionOf::Python => &self.minor,
            VersionOf::PythonInFull => &self.full,
        }
    }

    fn text(&self, name: Name) -> String {
        match name {
            Name::Implementation => "cpython".to_owned(),
            Name::Machine => self.machine.clone(),
            Name::Os => "posix".to_owned(),
            Name::Kernel => String::new(),
            Name::PythonImplementation => "CPython".to_owned(),
            Name::System => "Linux".to_owned(),
            Name::SysPlatform => "linux".to_owned(),
            Name::Version(of) => self.version(of).to_string(),
        }
    }
}

impl Marker {
    /// Reads a marker; `None` where it is not one, or compares what cannot be compared.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = Tokens {
            rest: text,
            depth: 0,
        };
        let marker = rest.any()?;
        rest.is_at_end().then_some(marker)
    }

    /// Whether it holds where no extra is asked for.
    pub(crate) fn holds(&self, here: &Environment) -> bool {
        self.evaluate(Some(here))
    }

    /// Whether there may be an environment in which it holds although no extra is asked for.
    pub(crate) fn may_hold_without_extras(&self) -> bool {
        self.evaluate(None)
    }

    fn evaluate(&self, here: Option<&Environment>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.evaluate(here)),
            Self::Any(parts) => parts.iter().any(|part| part.evaluate(here)),
            Self::Extra { wanted } => !wanted,
            Self::Version(of, range) => here.is_none_or(|here| range.contains(here.version(*of))),
            Self::Text(name, comparison, text) => {
                here.is_none_or(|here| comparison.holds(&here.text(*name), text))
            }
        }
    }
}

impl Comparison {
    fn parse(operator: &str) -> Option<Self> {
        let (less, equal, greater) = match operator {
            "in" => return Some(Self::In { negated: false }),
            "not in" => return Some(Self::In { negated: true }),
            "==" | "===" => (false, true, false),
            "!=" => (true, false, true),
            "<" => (true, false, false),
            "<=" => (true, true, false),
            ">" => (false, false, true),
            ">=" => (false, true, true),
            _ => return None,
        };
        Some(Self::Ordered {
            less,
            equal,
            greater,
        })
    }

    /// The same with the variable on the right.
    fn mirrored(self) -> Self {
        match self {
            Self::Ordered {
                less,
                equal,
                greater,
            } => Self::Ordered {
                less: greater,
                equal,
                greater: less,
            },
            Self::In { negated } => Self::Contains { negated },
            Self::Contains { negated } => Self::In { negated },
        }
    }

    fn holds(self, value: &str, text: &str) -> bool {
        match self {
            Self::Ordered {
                less,
                equal,
                greater,
            } => match value.cmp(text) {
                Ordering::Less => less,
                Ordering::Equal => equal,
                Ordering::Greater => greater,
            },
            Self::In { negated } => text.contains(value) != negated,
            Self::Contains { negated } => value.contains(text) != negated,
        }
    }
}

/// The operator of versions that says the same with the sides swapped.
fn mirrored(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        "==" | "===" => "==",
        "!=" => "!=",
        _ => return None,
    })
}

/// One side of a comparison.
enum Side<'a> {
    Literal(&'a str),
    Version(VersionOf),
    Name(Name),
    Extra,
}

impl Side<'_> {
    /// A variable by its name, or by one that it had before PEP 508.
    fn variable(name: &str) -> Option<Self> {
        Some(match name {
            "python_version" => Self::Version(VersionOf::Python),
            "python_full_version" | "implementation_version" => {
                Self::Version(VersionOf::PythonInFull)
            }
            "implementation_name" => Self::Name(Name::Implementation),
            "os_name" | "os.name" => Self::Name(Name::Os),
            "platform_machine" | "platform.machine" => Self::Name(Name::Machine),
            "platform_python_implementation"
            | "platform.python_implementation"
            | "python_implementation" => Self::Name(Name::PythonImplementation),
            "platform_release" | "platform_version" | "platform.version" => {
                Self::Name(Name::Kernel)
            }
            "platform_system" => Self::Name(Name::System),
            "sys_platform" | "sys.platform" => Self::Name(Name::SysPlatform),
            "extra" => Self::Extra,
            _ => return None,
        })
    }
}

/// A comparison of two sides.
fn compare(left: &Side, operator: &str, right: &Side) -> Option<Marker> {
    let (variable, text, is_mirrored) = match (left, right) {
        (Side::Literal(_), Side::Literal(_)) => return None,
        (variable, Side::Literal(text)) => (variable, text, false),
        (Side::Literal(text), variable) => (variable, text, true),
        _ => return None,
    };
    let comparison = || {
        let plain = Comparison::parse(operator)?;
        Some(if is_mirrored { plain.mirrored() } else { plain })
    };
    match *variable {
        Side::Extra => match operator {
            "==" => Some(Marker::Extra { wanted: true }),
            "!=" => Some(Marker::Extra { wanted: false }),
            _ => None,
        },
        Side::Version(of) if operator.ends_with("in") => {
            let text = (*text).to_owned();
            Some(Marker::Text(Name::Version(of), comparison()?, text))
        }
        Side::Version(of) => {
            let operator = if is_mirrored {
                mirrored(operator)?
            } else {
                operator
            };
            // Where there is no such range, as in `>= '3.*'`, pip takes the marker for false: the line asks for nothing.
            let range = VersionSpecifier::from_str(&format!("{operator}{text}")).ok()?;
            Some(Marker::Version(of, range))
        }
        Side::Name(name) => Some(Marker::Text(name, comparison()?, (*text).to_owned())),
        Side::Literal(_) => None,
    }
}

/// What is left of a marker.
struct Tokens<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Tokens<'a> {
    fn any(&mut self) -> Option<Marker> {
        let mut parts = vec![self.all()?];
        while self.take_word("or") {
            parts.push(self.all()?);
        }
        Some(Marker::Any(parts))
    }

    fn all(&mut self) -> Option<Marker> {
        let mut parts = vec![self.one()?];
        while self.take_word("and") {
            parts.push(self.one()?);
        }
        Some(Marker::All(parts))
    }

    fn one(&mut self) -> Option<Marker> {
        if !self.take("(") {
            let (left, operator, right) = (self.side()?, self.operator()?, self.side()?);
            return compare(&left, operator, &right);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let inside = self.any()?;
        self.depth -= 1;
        self.take(")").then_some(inside)
    }

    fn side(&mut self) -> Option<Side<'a>> {
        for quote in ["'", "\""] {
            if self.take(quote) {
                let (text, rest) = self.rest.split_once(quote)?;
                self.rest = rest;
                return Some(Side::Literal(text));
            }
        }
        Side::variable(self.word())
    }

    fn operator(&mut self) -> Option<&'a str> {
        match self.word() {
            "" => {}
            "in" => return Some("in"),
            "not" => return self.take_word("in").then_some("not in"),
            _ => return None,
        }
        let end = self.rest.find(|it| !"<>=!~".contains(it));
        let (operator, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(operator)
    }

    /// The letters, digits, underscores and dots that come next.
    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let is_part = |it: char| it.is_ascii_alphanumeric() || "_.".contains(it);
        let end = self.rest.find(|it| !is_part(it));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let before = self.rest;
        let is_there = self.word() == wanted;
        if !is_there {
            self.rest = before;
        }
        is_there
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn is_at_end(&self) -> bool {
        self.rest.trim().is_empty()
    }
}
