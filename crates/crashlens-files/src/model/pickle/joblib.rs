//! Arrays as joblib lays them: their bytes stand between the instructions, behind the state of a wrapper that tells
//! their shape and type.

use super::machine::Thing;

/// Who reads a pickle. To plain Python the bytes of such an array are instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Python,
    Joblib,
}

/// What a wrapper says of its array.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Laid {
    elements: Option<u32>,
    element: Option<Element>,
    /// Whether a byte tells how many others come before the first element.
    pub(super) is_aligned: bool,
}

/// What lies behind the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lies {
    Bytes(u64),
    /// Elements that are Python objects are another pickle.
    Pickle,
}

/// An element of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// Of so many bytes.
    Sized(u16),
    Object,
}

impl Element {
    /// By the name of its type as NumPy pickles it: `f8`, `U12`, `V16`, `O8`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let mut rest = name.chars();
        let kind = rest.next()?;
        let size: u16 = rest.as_str().parse().ok()?;
        match kind {
            'O' => Some(Self::Object),
            // Letters of text take four bytes.
            'U' => size.checked_mul(4).map(Self::Sized),
            'b' | 'i' | 'u' | 'f' | 'c' | 'm' | 'M' | 'S' | 'V' => Some(Self::Sized(size)),
            _ => None,
        }
    }
}

impl Laid {
    /// An entry of the state.
    pub(super) fn note(&mut self, key: &str, value: Thing) {
        match (key, value) {
            ("shape", Thing::Shape(elements)) => self.elements = Some(elements),
            ("dtype", Thing::Element(element)) => self.element = Some(element),
            ("numpy_array_alignment_bytes", Thing::Natural(_)) => self.is_aligned = true,
            _ => {}
        }
    }

    /// What comes; none where the state does not tell.
    pub(super) fn lies(&self) -> Option<Lies> {
        match self.element? {
            Element::Object => Some(Lies::Pickle),
            Element::Sized(size) => Some(Lies::Bytes(u64::from(self.elements?) * u64::from(size))),
        }
    }
}

/// Whether a callable makes a wrapper.
pub(super) fn is_wrapper(name: &str) -> bool {
    name.starts_with("joblib.") && name.ends_with(".NumpyArrayWrapper")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_as_large_as_their_types() {
        assert_eq!(Element::named("f8"), Some(Element::Sized(8)));
        assert_eq!(Element::named("U3"), Some(Element::Sized(12)));
        assert_eq!(Element::named("O8"), Some(Element::Object));
        for unknown in ["", "f", "q8", "V70000", "é8"] {
            assert_eq!(Element::named(unknown), None, "{unknown}");
        }
    }
}
