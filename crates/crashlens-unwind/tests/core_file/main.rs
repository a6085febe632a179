//! Core files: made by the tests byte by byte, and made by the kernel of programs that really died.

mod builder;
mod damaged;
mod memory;
mod module;
mod notes;
#[cfg(test)]
mod real;
