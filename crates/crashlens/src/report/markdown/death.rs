//! A death as Markdown, in the shape that the issue templates of TensorFlow and PyTorch ask for.
//!
//! The headings are those of the templates: [TensorFlow's] asks for versions, current behavior, code and log output,
//! [PyTorch's] for a description and versions. The rest is in the capture.
//!
//! [TensorFlow's]: https://github.com/tensorflow/tensorflow/blob/master/.github/ISSUE_TEMPLATE/tensorflow_issue_template.yaml
//! [PyTorch's]: https://github.com/pytorch/pytorch/blob/main/.github/ISSUE_TEMPLATE/bug-report.yml

use std::collections::BTreeMap;
use std::io::{self, Write};

use crashlens_core::evidence::{Evidence, Stance};
use crashlens_core::report::Hang;
use crashlens_core::{Death, Report, Variable, text};

use super::{cell, code, prose, write_block};
use crate::report::terminal::{
    Piece, Said, confidence, file_for_people, folded_stack, is_explained, last_lines, mentions,
    own_frame, sentence, value_in_words,
};

/// Maximum number of facts of the first finding.
const FACTS: usize = 3;
/// Maximum number of values of the line that crashed.
const VALUES: usize = 4;
/// Columns of one value.
const VALUE: usize = 100;
/// Lines of the whole block: maintainers read no more.
const LINES: usize = 60;
/// Lines around the stack: its heading, its fence and its end.
const AROUND_STACK: usize = 7;
/// Maximum number of last lines.
const LAST_LINES: usize = 4;
/// Maximum number of packages in the table of versions.
const PACKAGES: usize = 8;

/// Whose template the block follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Template {
    TensorFlow,
    PyTorch,
}

/// Writes the first death, and how many more there were.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let hang = report.hangs.first();
    let idle = hang.and_then(|hang| hang.processes.first());
    let Some(death) = report.deaths.first().or(idle) else {
        return writeln!(out, "No process died of a signal.");
    };
    let hang = hang.filter(|_| report.deaths.is_empty());
    let block = Block {
        death,
        hang,
        others: report.deaths.len().saturating_sub(1),
        packages: packages(death),
    };
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    let heading = match block.template() {
        Template::TensorFlow => {
            block.write_versions("Issue type: Bug", &mut head)?;
            writeln!(head)?;
            block.write_behavior("Current behavior?", &mut head)?;
            "### Relevant log output\n"
        }
        Template::PyTorch => {
            block.write_behavior("🐛 Describe the bug", &mut head)?;
            writeln!(tail)?;
            block.write_versions("Versions", &mut tail)?;
            ""
        }
    };
    block.write_code(&mut head)?;
    let room = LINES.saturating_sub(lines_of(&head) + lines_of(&tail));
    out.write_all(&head)?;
    block.write_log(heading, room, out)?;
    out.write_all(&tail)
}

fn lines_of(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count() - 1
}

struct Block<'a> {
    death: &'a Death,
    /// Where nothing died.
    hang: Option<&'a Hang>,
    /// How many more processes died.
    others: usize,
    packages: BTreeMap<&'a str, &'a str>,
}

/// Packages that the loaded libraries came with, and those that are named beside them.
fn packages(death: &Death) -> BTreeMap<&str, &str> {
    let modules = death.modules.iter().flatten();
    let loaded = modules.filter_map(|module| module.package.as_ref());
    let named = death.environment.packages.iter().flatten();
    let packages = loaded.chain(named);
    packages
        .map(|it| (it.name.as_str(), it.version.as_str()))
        .collect()
}

fn is_tensorflow(package: &str) -> bool {
    package.starts_with("tensorflow")
        || package.starts_with("tf-nightly")
        || package.starts_with("tf_nightly")
}

impl Block<'_> {
    /// PyTorch's where its library failed, or where TensorFlow is not there.
    fn template(&self) -> Template {
        let failed = self
            .death
            .culprit
            .package
            .as_ref()
            .map(|it| it.name.as_str());
        let has_tensorflow = self.packages.keys().any(|name| is_tensorflow(name));
        match failed {
            Some("torch") => Template::PyTorch,
            _ if self.packages.contains_key("torch") && !has_tensorflow => Template::PyTorch,
            _ => Template::TensorFlow,
        }
    }

    fn write_behavior(&self, heading: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "### {heading}\n")?;
        let said = match self.hang {
            Some(hang) => Said::of_hang(hang)?,
            None => Said::of(self.death)?.headline,
        };
        writeln!(out, "{}", prose(&plain(&said)))?;
        if self.others > 0 {
            let others = text::count(self.others, "more process", "more processes");
            writeln!(out, "{others} died after it.")?;
        }
        self.write_place(out)?;
        self.write_finding(out)
    }

    fn write_place(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(python) = &self.death.culprit.python else {
            return Ok(());
        };
        let directory = self.death.environment.working_directory.as_deref();
        let line = python
            .line
            .map_or_else(String::new, |line| format!(", line {line}"));
        let file = file_for_people(&python.file, directory);
        writeln!(
            out,
            "\n{}{line}, in {}:",
            code(&file),
            code(&python.function)
        )?;
        let source = python.source.as_deref().unwrap_or_default();
        if !source.is_empty() {
            write_block("python", source.trim(), out)?;
        }
        let locals = own_frame(self.death).map_or(&[][..], |frame| &frame.locals);
        let told = locals.iter().filter(|it| mentions(source, &it.name));
        let told: Vec<&Variable> = told.take(VALUES).collect();
        if !told.is_empty() {
            writeln!(out)?;
        }
        for variable in told {
            let value = value_in_words(&variable.value, VALUE);
            writeln!(out, "- {} = {}", code(&variable.name), code(&value))?;
        }
        Ok(())
    }

    fn write_finding(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.death.diagnosis.findings.first() else {
            return Ok(());
        };
        let lead = if is_explained(self.death) {
            format!("Why ({})", confidence(first.confidence))
        } else {
            "Why".to_owned()
        };
        writeln!(out, "\n**{lead}:** {}\n", prose(&sentence(&first.headline)))?;
        let supports = |it: &&Evidence| it.stance == Stance::For;
        for evidence in first.evidence.iter().filter(supports).take(FACTS) {
            writeln!(out, "- {}", prose(&sentence(&evidence.claim)))?;
        }
        Ok(())
    }

    fn write_code(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n### Standalone code to reproduce the issue\n")?;
        let command = self.death.command.join(" ");
        if !command.is_empty() {
            writeln!(out, "It was started with {}.", code(&command))?;
        }
        writeln!(out, "<!-- Add the shortest program that crashes. -->")
    }

    /// The stack takes what is left of the `room`.
    fn write_log(&self, heading: &str, room: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut text = Vec::new();
        write!(
            text,
            "{}{heading}",
            if heading.is_empty() { "" } else { "\n" }
        )?;
        let words = last_lines(self.death, LAST_LINES);
        if !words.is_empty() {
            write_block("text", &words.join("\n"), &mut text)?;
        }
        out.write_all(&text)?;
        let (title, stack) = folded_stack(self.death)?;
        if stack.is_empty() {
            return Ok(());
        }
        let room = room.saturating_sub(lines_of(&text) + AROUND_STACK);
        let mut lines: Vec<&str> = stack.iter().map(String::as_str).collect();
        if lines.len() > room {
            lines.truncate(room.saturating_sub(1));
            lines.push("…");
        }
        writeln!(out, "\n<details><summary>{title}</summary>")?;
        write_block("text", &lines.join("\n"), out)?;
        writeln!(out, "\n</details>")
    }

    fn write_versions(&self, heading: &str, out: &mut dyn Write) -> io::Result<()> {
        let death = self.death;
        writeln!(out, "### {heading}\n\n| | |\n|---|---|")?;
        let mut packages = self.packages.iter();
        let tensorflow = packages.find(|(name, _)| is_tensorflow(name));
        let tensorflow = tensorflow.map(|(name, version)| format!("{name} {version}"));
        let torch = self
            .packages
            .get("torch")
            .map(|version| (*version).to_owned());
        let python = death.environment.python.as_ref();
        let rows = [
            ("TensorFlow version", tensorflow),
            ("PyTorch version", torch),
            ("OS platform", death.host.kernel.clone()),
            ("glibc", death.host.glibc.clone()),
            ("Python version", python.map(|it| it.version.clone())),
            ("CUDA/cuDNN version", self.cuda()),
            ("CPU", death.host.cpu_model.clone()),
            ("Other packages", self.other_packages()),
            (
                "Report by",
                Some(format!("crashlens {}", env!("CARGO_PKG_VERSION"))),
            ),
        ];
        for (name, value) in rows {
            if let Some(value) = value.filter(|it| !it.is_empty()) {
                writeln!(out, "| {name} | {} |", cell(&value))?;
            }
        }
        Ok(())
    }

    /// As the packages of NVIDIA say.
    fn cuda(&self) -> Option<String> {
        let is_cuda = |name: &str| name.starts_with("nvidia-cud") || name.starts_with("nvidia_cud");
        let packages = self.packages.iter().filter(|(name, _)| is_cuda(name));
        let packages: Vec<String> = packages
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        (!packages.is_empty()).then(|| packages.join(", "))
    }

    fn other_packages(&self) -> Option<String> {
        let is_told =
            |name: &str| is_tensorflow(name) || name == "torch" || name.starts_with("nvidia");
        let packages = self.packages.iter().filter(|(name, _)| !is_told(name));
        let packages: Vec<String> = packages
            .take(PACKAGES)
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        (!packages.is_empty()).then(|| packages.join(", "))
    }
}

fn plain(said: &[Piece]) -> String {
    let sentences = said.iter().map(|piece| {
        let spans = piece.spans.iter().map(|(_, text)| text.as_str());
        spans.collect::<String>()
    });
    sentences.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "death_tests.rs"]
mod tests;
