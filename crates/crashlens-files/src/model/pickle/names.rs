//! Names of callables that no Python can find.

/// Modules of which all is known that pickles take from them. NumPy's is `numpy.core` up to 1, `numpy._core` from 2 on.
const WHOLE: [(&str, &[&str]); 6] = [
    (
        "collections",
        &[
            "OrderedDict",
            "defaultdict",
            "deque",
            "Counter",
            "ChainMap",
            "namedtuple",
            "UserDict",
            "UserList",
            "UserString",
        ],
    ),
    ("numpy.core.multiarray", &["_reconstruct", "scalar"]),
    ("numpy._core.multiarray", &["_reconstruct", "scalar"]),
    ("numpy._core.numeric", &["_frombuffer"]),
    ("_codecs", &["encode", "decode"]),
    (
        "copyreg",
        &[
            "_reconstructor",
            "__newobj__",
            "__newobj_ex__",
            "__extension__",
        ],
    ),
];

/// What begins with a small letter among Python's own names.
const BUILTIN: [&str; 80] = [
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "apply",
    "ascii",
    "basestring",
    "bin",
    "bool",
    "breakpoint",
    "buffer",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "cmp",
    "coerce",
    "compile",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "execfile",
    "file",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "intern",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "long",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "range",
    "raw_input",
    "reduce",
    "reload",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
];

/// Top-level packages whose names are told from slips of a bit: a name that differs by one letter is none.
const TOP: [&str; 12] = [
    "numpy",
    "collections",
    "builtins",
    "__builtin__",
    "copyreg",
    "copy_reg",
    "_codecs",
    "torch",
    "sklearn",
    "pandas",
    "tensorflow",
    "datetime",
];

/// That `module.name` can be found, as far as that can be told.
pub(super) fn known(full: &str) -> Result<(), String> {
    let is_word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next();
        matches!(word, "<locals>" | "<lambda>")
            || first.is_some_and(|it| it.is_alphabetic() || it == '_')
                && letters.all(|it| it.is_alphanumeric() || matches!(it, '_' | '-'))
    };
    if !full.split('.').all(is_word) {
        return Err(format!(
            "there can be no `{}` in Python",
            full.escape_debug()
        ));
    }
    if let Some((module, name)) = full.rsplit_once('.') {
        // Exceptions and the like begin with a capital letter; they are not listed.
        let is_plain = name.starts_with(|it: char| it.is_ascii_lowercase());
        if matches!(module, "builtins" | "__builtin__") && is_plain && !BUILTIN.contains(&name) {
            return Err(format!("there is no `{name}` in `{module}`"));
        }
        let whole = WHOLE.iter().find(|(known, _)| *known == module);
        if whole.is_some_and(|(_, names)| !names.contains(&name)) {
            return Err(format!("there is no `{name}` in `{module}`"));
        }
    }
    let top = full.split('.').next().unwrap_or_default();
    match TOP.iter().find(|known| differs_by_a_letter(known, top)) {
        Some(known) => Err(format!(
            "it names `{top}`, which is `{known}` with a letter changed"
        )),
        None => Ok(()),
    }
}

fn differs_by_a_letter(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.filter(|(a, b)| a != b).count() == 1
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn damaged_names_are_told_from_sound_ones() {
        for sound in [
            "numpy.core.multiarray._reconstruct",
            "collections.OrderedDict",
            "my_package.models.Net",
            "__main__.outer.<locals>.Inner",
        ] {
            assert_eq!(known(sound), Ok(()));
        }
        for damaged in [
            "numpy>_core.a",
            "_codecs.encmde",
            "numpy.core.multia\0\0.x",
            "nuipy.ndarray",
        ] {
            assert!(known(damaged).is_err(), "{damaged}");
        }
    }
}
