//! Tests of the unwinder on real processes, as one binary.
#![forbid(unsafe_code)]

// The attribute tells clippy that helpers of tests are tests too, where `unwrap` is the assertion.
#[cfg(test)]
mod elf;
#[cfg(test)]
mod process;
#[cfg(test)]
mod python;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod values;
