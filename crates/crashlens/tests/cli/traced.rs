//! Everything that starts or joins a program under crashlens. These tests run one at a time (`.config/nextest.toml`):
//! they share the machine's ptrace permissions and terminals, and load changes when processes stop.
//! `cargo xtask tidy` finds such a test elsewhere.

mod after_death;
mod arrays;
mod denied;
mod enabled;
mod hang;
mod held;
mod limits;
mod run;
mod secrets;
mod undisturbed;
