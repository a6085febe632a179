//! One case: what is typed at a terminal, and what to wait for.

/// A program and the keys that are typed at it. Every case is a value in a table of `cases/`.
///
/// The word `run` in a typed line starts the program alone in one terminal and under crashlens in the other, so that the
/// lines are the same in both.
pub struct Case {
    pub name: &'static str,
    /// What the case shows, for the page.
    pub shows: &'static str,
    pub needs: &'static [Need],
    /// Files in the working folder, which is also the home folder.
    pub files: &'static [(&'static str, &'static str)],
    /// Lines for `sh` that prepare the folder, without a terminal.
    pub setup: &'static str,
    /// The line that is typed first.
    pub command: &'static str,
    pub steps: &'static [Step],
    /// The shell's prompt after the last step. A prompt has the number of the command line and the exit status of
    /// the line before it: `2:130> `.
    pub ends: &'static str,
    /// What differs from one run to the next without crashlens, and is not compared.
    pub varies: Varies,
    /// What the shell writes after the program died where crashlens writes a report of the death. The report, which ends
    /// before this text, is left out of the comparison.
    pub report_until: Option<&'static str>,
    /// Text that is typed and must never be on the screen.
    pub hidden: Option<&'static str>,
}

/// A case with nothing in it, for the fields that a case leaves out.
pub const CASE: Case = Case {
    name: "",
    shows: "",
    needs: &[],
    files: &[],
    setup: "",
    command: "",
    steps: &[],
    ends: "2:0> ",
    varies: Varies::Nothing,
    report_until: None,
    hidden: None,
};

/// One thing that is done in both terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Waits until the text is on both screens and the screens are the same.
    See(&'static str),
    /// Waits until the text is on neither screen and the screens are the same.
    Gone(&'static str),
    /// Types characters; `\r` is the Enter key.
    Type(&'static str),
    /// Presses a key by the name that tmux has for it, such as `C-c` or `Up`.
    Press(&'static str),
    /// Gives the window another number of columns and lines.
    Resize(u16, u16),
}

/// What a case cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A program on the search path.
    Program(&'static str),
    /// The virtual environment with packages from PyPI.
    Packages,
    /// The virtual environment of the live corpus.
    TensorFlow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varies {
    Nothing,
    /// Numbers, their units of time and spaces, which align them: loads, durations.
    Numbers,
}

impl Case {
    /// All steps, with the first line that is typed and the last prompt.
    pub fn script(&self) -> Vec<Step> {
        let typed = [
            Step::See("1:0> "),
            Step::Type(self.command),
            Step::Press("Enter"),
        ];
        let steps = self.steps.iter().copied();
        typed
            .into_iter()
            .chain(steps)
            .chain([Step::See(self.ends)])
            .collect()
    }

    /// The exit status in the last prompt.
    pub fn status(&self) -> &'static str {
        let after_number = self.ends.split_once(':').map_or("", |(_, rest)| rest);
        after_number.trim_end_matches("> ")
    }
}
