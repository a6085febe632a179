//! ELF files that hold anything.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| crashlens_inspect::fuzzing::elf_file(bytes));
