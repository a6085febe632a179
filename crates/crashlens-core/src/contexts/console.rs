//! Interactive Python: `python`, `code.interact`, the prompt of 3.13, IDLE and others.

pub(super) const TYPED: &[&str] = &["<stdin>", "<input>", "<python-input-", "<console>"];
