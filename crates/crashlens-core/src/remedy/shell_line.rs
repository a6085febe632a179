//! Commands of other programs.

use std::fmt;

use crate::capture::System;

/// A line for a shell, and where it works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLine {
    text: String,
    reach: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It needs `/proc`, GNU tools, the dynamic loader of glibc or a package manager of Linux.
    Linux,
    /// It needs a POSIX shell and its tools.
    Unix,
    /// The program takes the same words on every system.
    Anywhere,
}

impl ShellLine {
    /// For Linux alone, as most are.
    pub fn linux(text: impl Into<String>) -> Self {
        Self::of(text.into(), Reach::Linux)
    }

    /// For every POSIX shell.
    pub fn unix(text: impl Into<String>) -> Self {
        Self::of(text.into(), Reach::Unix)
    }

    /// For every system: one program, without quotes, variables and pipes.
    pub fn anywhere(text: impl Into<String>) -> Self {
        Self::of(text.into(), Reach::Anywhere)
    }

    fn of(text: String, reach: Reach) -> Self {
        Self { text, reach }
    }

    /// Whether it works on this system.
    pub(super) fn works_on(&self, system: System) -> bool {
        match self.reach {
            Reach::Linux => system == System::Linux,
            Reach::Unix => system != System::Windows,
            Reach::Anywhere => true,
        }
    }
}

impl fmt::Display for ShellLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
