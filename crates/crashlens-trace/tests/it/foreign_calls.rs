//! Deaths in functions that Python called through ctypes, under every interpreter: which function, with what.

use std::path::Path;

use crashlens_core::{ForeignApi, ForeignCall, Observed, PointerTarget};

use crate::support::{python, pythons, run};

/// The call that `program` dies in, as the interpreter `python` runs it.
fn call_of(python: &Path, program: &str) -> Observed<ForeignCall> {
    let program = format!("import ctypes\nlibc = ctypes.CDLL(None)\n{program}");
    let finished = run(&[python.to_str().unwrap(), "-c", &program]);
    assert!(
        !finished.deaths.is_empty(),
        "{}: {}",
        python.display(),
        finished.stderr
    );
    finished.death().testimony.foreign_call.clone()
}

/// The same under every interpreter.
fn calls_of(program: &str) -> Vec<(String, ForeignCall)> {
    let call = |python: &Path| match call_of(python, program) {
        Observed::Known(call) => (python.display().to_string(), call),
        other => panic!("{}: {other:?}", python.display()),
    };
    pythons().iter().map(|python| call(python)).collect()
}

fn texts(call: &ForeignCall) -> Vec<&str> {
    let values = call.arguments.iter().map(|argument| &argument.value);
    values
        .map(|value| value.as_ref().and_then(|value| value.text.as_deref()))
        .map(|text| text.unwrap_or("?"))
        .collect()
}

fn targets(call: &ForeignCall) -> Vec<Option<PointerTarget>> {
    let arguments = call.arguments.iter();
    arguments.map(|argument| argument.target).collect()
}

fn pointer(call: &ForeignCall, index: usize) -> u64 {
    call.arguments[index].pointer.unwrap().0
}

#[test]
fn a_null_destination_is_named() {
    for (python, call) in calls_of("ctypes.memmove(None, b'words', 5)") {
        assert_eq!(call.api, ForeignApi::Ctypes);
        assert_eq!(call.function.as_deref(), Some("memmove"), "{python}");
        assert_eq!(call.declared, Some(true), "{python}");
        assert_eq!(pointer(&call, 0), 0);
        let expected = [Some(PointerTarget::Null), Some(PointerTarget::Mapped), None];
        assert_eq!(targets(&call), expected, "{python}");
        let texts = texts(&call);
        assert_eq!([texts[0], texts[2]], ["None", "5"], "{python}");
        assert!(texts[1].contains("'words'"), "{python}: {texts:?}");
    }
}

#[test]
fn a_string_at_a_bad_address_is_told_with_the_address() {
    for (python, call) in calls_of("ctypes.string_at(8)") {
        assert_eq!(call.function.as_deref(), Some("string_at"), "{python}");
        assert_eq!(texts(&call), ["8", "-1"], "{python}");
        assert_eq!(pointer(&call, 0), 8, "{python}");
        assert_eq!(targets(&call), [Some(PointerTarget::Null), None]);
    }
}

#[test]
fn an_earlier_call_is_not_taken_for_the_one_that_died() {
    let program = "def go():\n    libc.strncmp(b'abc', b'abd', 3)\n    libc.strlen(ctypes.c_char_p(None))\ngo()";
    for (python, call) in calls_of(program) {
        assert_eq!(call.function.as_deref(), Some("strlen"), "{python}");
        assert!(
            call.library
                .as_deref()
                .is_some_and(|name| name.contains("libc")),
            "{python}: {call:?}"
        );
        assert_eq!(call.declared, Some(false), "{python}");
        assert_eq!(targets(&call), [Some(PointerTarget::Null)], "{python}");
        let value = call.arguments[0].value.as_ref().unwrap();
        assert_eq!(value.type_name, "ctypes.c_char_p", "{python}");
    }
}

#[test]
fn a_pointer_of_a_declared_type_that_leads_nowhere_is_told() {
    let program = "libc.strncpy.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]\n\
                   libc.strncpy(0x990000000000, b'a', ctypes.c_size_t(2))";
    for (python, call) in calls_of(program) {
        assert_eq!(call.function.as_deref(), Some("strncpy"), "{python}");
        assert_eq!(call.declared, Some(true), "{python}");
        let declared: Vec<_> = call
            .arguments
            .iter()
            .map(|argument| argument.declared.as_deref().unwrap_or("?"))
            .collect();
        assert_eq!(declared, ["c_void_p", "c_char_p", "c_ulong"], "{python}");
        assert_eq!(pointer(&call, 0), 0x9900_0000_0000, "{python}");
        assert_eq!(call.arguments[0].target, Some(PointerTarget::Unmapped));
        assert_eq!(texts(&call)[2], "c_ulong(2)", "{python}");
    }
}

#[test]
fn a_pointer_that_was_returned_as_an_int_leads_nowhere() {
    // A negative one, so that what is left of it is never by chance the address of something.
    let program = "p = 0\nwhile p >= 0: p = libc.malloc(64 << 20)\nctypes.memset(p, 0, 64)";
    for (python, call) in calls_of(program) {
        assert_eq!(call.function.as_deref(), Some("memset"), "{python}");
        let passed = pointer(&call, 0);
        let value: i64 = texts(&call)[0].parse().unwrap();
        assert_eq!(passed, value.cast_unsigned(), "{python}");
        assert!(i32::try_from(value).is_ok(), "{python}: {value}");
        assert_eq!(call.arguments[0].target, Some(PointerTarget::Unmapped));
    }
}

#[test]
fn a_pointer_that_was_passed_as_an_int_is_known_to_be_cut() {
    let program = "libc.malloc.restype, p = ctypes.c_void_p, 0\n\
                   while not p & 0x80000000: p = libc.malloc(64 << 20)\n\
                   libc.strlen(p)";
    for (python, call) in calls_of(program) {
        let argument = &call.arguments[0];
        assert!(argument.truncated, "{python}: {argument:?}");
        assert_eq!(argument.passed_as.as_deref(), Some("int32"), "{python}");
        let passed = i64::from(texts(&call)[0].parse::<u64>().unwrap() as i32);
        assert_eq!(pointer(&call, 0), passed.cast_unsigned(), "{python}");
        assert_eq!(argument.target, Some(PointerTarget::Unmapped), "{python}");
    }
}

#[test]
fn memory_that_was_released_is_not_there() {
    let program = "import mmap\n\
                   libc.mmap.restype = ctypes.c_void_p\n\
                   libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]\n\
                   p = libc.mmap(None, ctypes.c_size_t(1 << 20), 3, 0x22, -1, ctypes.c_long(0))\n\
                   libc.munmap(p, 1 << 20)\n\
                   ctypes.memset(p, 0, 16)";
    for (python, call) in calls_of(program) {
        assert_eq!(call.function.as_deref(), Some("memset"), "{python}");
        assert_eq!(call.arguments[0].target, Some(PointerTarget::Unmapped));
    }
}

#[test]
fn the_innermost_of_nested_calls_is_told() {
    let program = "array = (ctypes.c_int * 3)(3, 2, 1)\n\
                   def compare(a, b): return libc.strlen(None)\n\
                   kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)\n\
                   libc.qsort(array, 3, 4, kind(compare))";
    for (python, call) in calls_of(program) {
        assert_eq!(call.function.as_deref(), Some("strlen"), "{python}");
        assert_eq!(targets(&call), [Some(PointerTarget::Null)], "{python}");
    }
}

#[test]
fn a_call_that_called_back_into_python_is_not_blamed() {
    let program = "array = (ctypes.c_int * 3)(3, 2, 1)\n\
                   def compare(a, b): return (ctypes.c_char * 8).from_address(0x5000000000).raw\n\
                   kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)\n\
                   libc.qsort(array, 3, 4, kind(compare))";
    for python in pythons() {
        assert_eq!(
            call_of(&python, program),
            Observed::Absent,
            "{}",
            python.display()
        );
    }
}

#[test]
fn a_death_after_a_call_is_none_in_it() {
    let program = "libc.strlen(b'abc')\n(ctypes.c_char * 8).from_address(0x5000000000).raw";
    for python in pythons() {
        assert_eq!(
            call_of(&python, program),
            Observed::Absent,
            "{}",
            python.display()
        );
    }
}

#[test]
fn a_call_to_no_function_is_told_with_where_it_went() {
    for (python, call) in calls_of("ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(0x40)(7)") {
        assert_eq!(call.address.unwrap().0, 0x40, "{python}");
        assert_eq!((call.function.as_deref(), texts(&call)), (None, vec!["7"]));
    }
}

#[test]
fn a_secret_in_an_argument_is_masked() {
    let key = concat!("AKIA", "Q3EGRX7M5T2WJ4NB");
    let program = format!("libc.strcpy(None, b'{key}')");
    let call = call_of(Path::new(python()), &program);
    let call = call.known().unwrap();
    assert_eq!(call.function.as_deref(), Some("strcpy"));
    assert!(!format!("{call:?}").contains(key), "{call:?}");
}
