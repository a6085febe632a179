//! Which native functions only carry out a death, so that their caller is the one to name.
//!
//! All word lists of the choice are here. They name general machinery (C library, C++ runtime, logging
//! libraries, interpreters), never a program or a bug.

use crate::capture::NativeFrame;

/// Functions by full name, that end the process or raise the signal on behalf of their caller.
#[rustfmt::skip]
const ENDS_PROCESS: &[&str] = &[
    "abort", "raise", "gsignal", "kill", "tgkill", "tkill", "pthread_kill", "__pthread_kill",
    "__pthread_kill_implementation", "__pthread_kill_internal", "__restore_rt", "__kernel_rt_sigreturn",
    "__libc_message", "__libc_message_impl", "__libc_fatal", "malloc_printerr", "munmap_chunk",
    "__assert_fail", "__assert_fail_base", "__assert_perror_fail", "__assert", "__stack_chk_fail",
    "__stack_chk_fail_local", "__fortify_fail", "__chk_fail", "__longjmp_chk",
    // Unwinding on pthread_exit: the interpreter ends daemon threads so when it finalises.
    "pthread_exit", "__pthread_unwind", "unwind_stop", "unwind_cleanup", "_Unwind_ForcedUnwind", "_Unwind_ForcedUnwind_Phase2",
    "_Unwind_RaiseException", "_Unwind_RaiseException_Phase2", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow",
    // CPython's own last words.
    "Py_FatalError", "_Py_FatalErrorFunc", "_Py_FatalErrorFormat", "_Py_FatalError_TstateNULL", "fatal_error",
    "fatal_error_exit", "_PyObject_AssertFailed",
    // C++: what `throw` and an exception without a catcher become. `__clang_call_terminate` stays: it is the
    // noexcept boundary that the exception met, in the library whose function promised not to throw.
    "std::terminate", "std::unexpected", "__cxa_throw", "__cxa_rethrow", "__cxa_call_terminate", "__cxa_call_unexpected",
    "__cxa_pure_virtual", "__cxa_deleted_virtual", "__cxxabiv1::__terminate", "__cxxabiv1::__unexpected",
    "__gxx_personality_v0", "__gnu_cxx::__verbose_terminate_handler", "std::rethrow_exception",
    "std::__glibcxx_assert_fail", "std::__libcpp_verbose_abort", "std::__1::__libcpp_verbose_abort",
    // Rust panics that end in an abort.
    "rust_panic", "rust_begin_unwind", "__rust_start_panic", "rust_eh_personality", "std::process::abort",
    // LLVM, inside XLA and Numba.
    "llvm::report_fatal_error", "llvm::llvm_unreachable_internal", "llvm::report_bad_alloc_error",
];

/// Beginnings of names of the same kind, where a family has many members or versions in the name.
#[rustfmt::skip]
const ENDS_PROCESS_FAMILIES: &[&str] = &[
    "std::__throw_", "faulthandler_", "core::panicking::", "std::panicking::", "std::sys::backtrace::",
];

/// Memory and string functions of the C library; `__memmove_avx_unaligned_erms` and its like are reduced to these.
#[rustfmt::skip]
const MOVES_BYTES: &[&str] = &[
    "memcpy", "memmove", "mempcpy", "memset", "memcmp", "memchr", "memrchr", "rawmemchr", "bcopy", "bzero", "bcmp",
    "wmemset", "wmemcpy", "wmemmove", "strlen", "strnlen", "strcpy", "strncpy", "stpcpy", "stpncpy", "strcat",
    "strncat", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strchr", "strchrnul", "strrchr", "strstr", "strspn",
    "strcspn", "strpbrk", "strdup", "strndup", "wcslen", "wcsnlen", "wcscpy", "wcscmp", "memcpy_chk", "memmove_chk",
    "memset_chk", "strcpy_chk",
];

/// Allocators by full name: a damaged heap is noticed here, by whoever allocates next.
#[rustfmt::skip]
const ALLOCATES: &[&str] = &[
    "malloc", "free", "cfree", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign", "aligned_alloc",
    "valloc", "_int_malloc", "_int_free", "_int_free_merge_chunk", "_int_free_create_chunk", "_int_realloc",
    "_int_memalign", "malloc_consolidate", "unlink_chunk", "sysmalloc", "systrim", "tcache_get", "tcache_put",
    "malloc_usable_size", "__libc_malloc", "__libc_free", "__libc_calloc", "__libc_realloc", "__libc_memalign",
    "__GI___libc_malloc", "__GI___libc_free", "__GI___libc_realloc", "checked_request2size", "arena_get2",
    "operator new", "operator new[]", "operator delete", "operator delete[]",
    "std::allocator::deallocate", "__gnu_cxx::new_allocator::deallocate", "std::__new_allocator::deallocate",
    "PyMem_Malloc", "PyMem_Calloc", "PyMem_Realloc", "PyMem_Free", "PyMem_RawMalloc", "PyMem_RawCalloc",
    "PyMem_RawRealloc", "PyMem_RawFree", "PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc", "PyObject_Free",
    "_PyObject_Malloc", "_PyObject_Calloc", "_PyObject_Realloc", "_PyObject_Free", "_PyMem_RawMalloc",
    "_PyMem_RawFree", "pymalloc_alloc", "pymalloc_free", "pymalloc_realloc", "address_in_range",
    // NumPy's, which array destructors call.
    "PyDataMem_UserNEW", "PyDataMem_UserNEW_ZEROED", "PyDataMem_UserRENEW", "PyDataMem_UserFREE", "PyDataMem_NEW",
    "PyDataMem_FREE", "npy_alloc_cache", "npy_free_cache", "npy_alloc_cache_dim", "npy_free_cache_dim",
    "tsl::port::AlignedMalloc", "tsl::port::AlignedFree", "tsl::port::Malloc", "tsl::port::Free",
    "tsl::port::Realloc", "tc_malloc", "tc_free", "tc_realloc", "tc_calloc", "tc_new", "tc_newarray", "tc_delete",
    "tc_deletearray", "tensorflow::port::AlignedMalloc", "tensorflow::port::AlignedFree",
];

/// Beginnings of allocator names: tcmalloc, jemalloc, mimalloc, and CPython's debugging allocator.
const ALLOCATOR_FAMILIES: &[&str] = &[
    "tcmalloc::",
    "je_",
    "_rjem_",
    "_mi_",
    "mi_heap_",
    "mi_malloc",
    "mi_free",
    "mi_realloc",
    "_PyMem_Debug",
];

/// Classes that log a fatal message and abort in their destructor or a helper of it: the failed CHECK is in the caller.
#[rustfmt::skip]
const FATAL_LOGGERS: &[&str] = &[
    "LogMessageFatal", "LogMessage", "CheckOpMessageBuilder", "LogMessageQuietlyFatal", "NullStreamFatal",
    "FatalErrorHandler", "AbslFailureSignalHandler", "FailureSignalHandler", "RaiseToDefaultHandler",
];

/// File names (up to the first `.`, `-` or `_`) of the C and C++ runtime. Whatever fails there (`printf` on a full
/// stack, `fclose` of nothing) fails for its caller. Distributions strip them: Debian's `strlen` and the inside of
/// its `abort` have no name at all, and only the file says what they are.
const RUNTIME_LIBRARIES: &[&str] = &[
    "libc",
    "ld",
    "libstdc++",
    "libgcc",
    "libpthread",
    "libc++",
    "libc++abi",
    "libjemalloc",
    "libtcmalloc",
];

/// The bridge from ctypes and cffi to C: who called through it did so from Python.
const FOREIGN_CALLS: &[&str] = &[
    "ffi_call",
    "ffi_call_int",
    "ffi_call_unix64",
    "ffi_call_win64",
    "ffi_call_efi64",
    "ffi_call_SYSV",
];

/// What part a native frame has in a death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Code that acts on its own account.
    Actor,
    /// Machinery that acts on behalf of its caller.
    Machinery,
    /// libffi: what it called was called by Python code.
    ForeignCall,
}

/// What part `frame` has.
pub(super) fn part(frame: &NativeFrame) -> Part {
    let stem = library_stem(frame.library.as_deref().unwrap_or_default());
    let name = frame.function.as_deref().map(plain_name);
    let is = |known: fn(&str) -> bool| name.as_deref().is_some_and(known);
    if stem == "libffi" || is(|name| FOREIGN_CALLS.contains(&name)) {
        Part::ForeignCall
    } else if RUNTIME_LIBRARIES.contains(&stem) || is(is_machinery) {
        Part::Machinery
    } else {
        Part::Actor
    }
}

/// Whether `frame` only carries out what its caller wants.
pub(crate) fn is_machinery_frame(frame: &NativeFrame) -> bool {
    part(frame) == Part::Machinery
}

/// Whether `frame` is libffi, by which ctypes and cffi call.
pub(crate) fn is_foreign_call(frame: &NativeFrame) -> bool {
    part(frame) == Part::ForeignCall
}

/// Whether `frame` is a function of a memory allocator.
pub(crate) fn is_allocator(frame: &NativeFrame) -> bool {
    let name = frame.function.as_deref().map(plain_name);
    name.is_some_and(|name| {
        // The compiler's own copies: `unlink_chunk.constprop.0`.
        let name = name.split('.').next().unwrap_or_default();
        let is_family = |family: &&str| name.starts_with(*family);
        ALLOCATES.contains(&name)
            || name == "munmap_chunk"
            || ALLOCATOR_FAMILIES.iter().any(is_family)
    })
}

/// Whether the frame belongs to the Python interpreter itself, shared or static.
pub fn is_interpreter(frame: &NativeFrame) -> bool {
    let library = frame.library.as_deref().unwrap_or_default();
    let version = library
        .strip_prefix("libpython")
        .or_else(|| library.strip_prefix("python"));
    version.is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(|first: char| first.is_ascii_digit() || first == '.')
    })
}

fn is_machinery(name: &str) -> bool {
    let begins = |families: &[&str]| families.iter().any(|family| name.starts_with(family));
    ENDS_PROCESS.contains(&name)
        || ALLOCATES.contains(&name)
        || begins(ENDS_PROCESS_FAMILIES)
        || begins(ALLOCATOR_FAMILIES)
        || MOVES_BYTES.contains(&without_variant(name))
        || is_fatal_logger(name)
}

/// `tsl::internal::LogMessageFatal::~LogMessageFatal`, `absl::lts_20250814::log_internal::LogMessage::Flush`:
/// the class is the last but one part, or the function itself (`AbslFailureSignalHandler`).
fn is_fatal_logger(name: &str) -> bool {
    let mut parts = name.rsplit("::");
    let (last, class) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    FATAL_LOGGERS.contains(&class) || FATAL_LOGGERS.contains(&last)
}

/// A function of the C library under the name that people call it by.
pub(crate) fn usual_name(function: &str) -> &str {
    let usual = without_variant(function);
    if MOVES_BYTES.contains(&usual) {
        usual
    } else {
        function
    }
}

/// `memmove` of `__memmove_avx_unaligned_erms`, `__memcpy_chk` and `memcpy@plt`.
fn without_variant(name: &str) -> &str {
    let bare = name.trim_start_matches("__").trim_start_matches("GI_");
    let bare = bare.split('@').next().unwrap_or_default();
    let bare = bare.strip_suffix("_chk").unwrap_or(bare);
    // Only processor variants are cut off: `memset_my_way` is somebody's own function.
    let variants = [
        "_avx", "_sse", "_evex", "_erms", "_generic", "_ssse3", "_sve", "_neon", "_simd",
    ];
    variants
        .iter()
        .filter_map(|variant| bare.find(variant))
        .min()
        .map_or(bare, |at| &bare[..at])
}

/// The name without arguments, template arguments, return type and compiler suffixes:
/// `std::terminate` of `std::terminate()`, `operator new` of `operator new(unsigned long)`.
pub(crate) fn plain_name(function: &str) -> String {
    let function = function
        .split(" [clone")
        .next()
        .unwrap_or_default()
        .replace("(anonymous namespace)", "");
    let mut name = String::with_capacity(function.len());
    let mut depth = 0_usize;
    for character in function.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => name.push(character),
            _ => {}
        }
    }
    name.trim().trim_end_matches(".cold").to_owned()
}

/// `libstdc++` of `libstdc++.so.6.0.30`, `libffi` of `libffi-9ec3a7c2.so.8`, `ld` of `ld-linux-x86-64.so.2`.
fn library_stem(library: &str) -> &str {
    library.split(['.', '-', '_']).next().unwrap_or_default()
}

#[cfg(test)]
#[path = "machinery_tests.rs"]
mod tests;
