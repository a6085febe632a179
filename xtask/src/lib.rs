//! What the project's own commands, `cargo xtask` and `cargo lab`, have in common.

pub mod command;
pub mod machine_paths;
pub mod workspace;
