//! Why it died and what to do: the findings of the diagnosis.
//!
//! Every word that judges comes from the rules; here they get their order and their weight on the page.

use std::io;

use crashlens_core::cause::Depth;
use crashlens_core::diagnosis::{Confidence, Finding, RuledOut};
use crashlens_core::evidence::{Evidence, Stance};
use crashlens_core::remedy::{Command, Remedy, Risk};
use crashlens_core::text::capitalised;
use crashlens_core::{CaptureSource, Death, Role, shell};

use super::names::clip;
use super::page::{FAINT, PLAIN, Page, STRONG};
use super::{Verbosity, View};

/// So many pieces of evidence for a finding are shown before the rest is left to `-v`.
const FOR_SHOWN: usize = 3;
/// So many against it.
const AGAINST_SHOWN: usize = 2;
/// So many remedies beside the first.
const REMEDIES_SHOWN: usize = 3;
/// A claim may quote foreign text; it takes so many lines before it is cut.
const CLAIM_LINES: usize = 4;

/// A longer command line is not shown again.
const LONGEST_COMMAND: usize = 120;

/// Writes the first finding with its evidence, and what to do first.
pub(super) fn write(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let Some(first) = death.diagnosis.findings.first() else {
        return Ok(());
    };
    let (why, what_to_do) = if is_explained(death) {
        (
            format!("Why ({}): ", confidence(first.confidence)),
            "What to do first: ",
        )
    } else {
        ("Why: ".to_owned(), "To find out: ")
    };
    page.blank()?;
    page.sentence(&[(STRONG, &why), (STRONG, &sentence(&first.headline))])?;
    if view.verbosity != Verbosity::Quiet {
        write_evidence(page, first, view)?;
    }
    match first.remedies.first() {
        Some(remedy) => write_first_remedy(page, what_to_do, remedy, death),
        None => Ok(()),
    }
}

/// Whether any cause is told.
pub(in crate::report) fn is_explained(death: &Death) -> bool {
    let first = death.diagnosis.findings.first();
    first.is_some_and(|first| first.cause.depth() != Depth::Nothing)
}

/// Writes what else may be done, and what else it may have been.
pub(super) fn write_rest(page: &mut Page<'_>, death: &Death, view: &View) -> io::Result<()> {
    let diagnosis = &death.diagnosis;
    let remedies = diagnosis
        .findings
        .first()
        .map_or(&[][..], |first| first.remedies.get(1..).unwrap_or_default());
    write_other_remedies(page, remedies, death, view)?;
    let is_mechanism = |other: &&Finding| works_through(diagnosis.findings.first(), other);
    let (mechanisms, others): (Vec<_>, Vec<_>) =
        diagnosis.findings.iter().skip(1).partition(is_mechanism);
    page.section(Some("What went wrong in the machine"), |page| {
        write_other_findings(page, &mechanisms, view)
    })?;
    page.section(Some("What else it may be"), |page| {
        write_other_findings(page, &others, view)
    })?;
    if view.verbosity == Verbosity::Full && !diagnosis.ruled_out.is_empty() {
        page.heading("Ruled out")?;
        for excluded in &diagnosis.ruled_out {
            write_ruled_out(page, excluded)?;
        }
    }
    Ok(())
}

/// Whether the first finding says this already, where everybody reads it.
pub(super) fn says(death: &Death, text: &str) -> bool {
    let text = plain(text);
    death.diagnosis.findings.first().is_some_and(|first| {
        shown_evidence(first, Stance::For, FOR_SHOWN)
            .any(|evidence| plain(&evidence.claim).contains(&text))
            || plain(&first.headline).contains(&text)
    })
}

/// Whether evidence that is shown of the first finding rests on this fact.
pub(super) fn rests_on(
    death: &Death,
    is_fact: impl Fn(&crashlens_core::evidence::FactRef) -> bool,
) -> bool {
    death.diagnosis.findings.first().is_some_and(|first| {
        shown_evidence(first, Stance::For, FOR_SHOWN).any(|evidence| is_fact(&evidence.fact))
    })
}

/// The words alone, however they were put on lines.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the first finding is what has to be changed and the other how that worked: then they are no rivals.
pub(in crate::report) fn works_through(first: Option<&Finding>, other: &Finding) -> bool {
    first.is_some_and(|first| first.cause.depth() == Depth::Origin)
        && other.cause.depth() == Depth::Mechanism
        && other.confidence >= Confidence::Likely
}

/// How sure it is, as one says it.
pub(in crate::report) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "only possible",
    }
}

fn shown_evidence(
    finding: &Finding,
    stance: Stance,
    most: usize,
) -> impl Iterator<Item = &Evidence> {
    let evidence = finding.evidence.iter();
    evidence.filter(move |it| it.stance == stance).take(most)
}

fn write_evidence(page: &mut Page<'_>, finding: &Finding, view: &View) -> io::Result<()> {
    let (most_for, most_against) = if view.verbosity == Verbosity::Full {
        (usize::MAX, usize::MAX)
    } else {
        (FOR_SHOWN, AGAINST_SHOWN)
    };
    for evidence in shown_evidence(finding, Stance::For, most_for) {
        write_claim(page, "", evidence)?;
    }
    for evidence in shown_evidence(finding, Stance::Against, most_against) {
        write_claim(page, "Against it: ", evidence)?;
    }
    if !finding.unseen.is_empty() {
        let unseen = finding.unseen.join(", ");
        page.item(&format!("Not certain: {unseen} could not be seen."))?;
    }
    Ok(())
}

fn write_claim(page: &mut Page<'_>, lead: &str, evidence: &Evidence) -> io::Result<()> {
    let room = page.width().saturating_sub(6) * CLAIM_LINES;
    let claim = sentence(&clip(&evidence.claim.replace('\n', " "), room));
    page.item_of(&[(PLAIN, lead), (FAINT, &claim)])
}

fn write_first_remedy(
    page: &mut Page<'_>,
    lead: &str,
    remedy: &Remedy,
    death: &Death,
) -> io::Result<()> {
    page.blank()?;
    page.sentence(&[(STRONG, lead), (PLAIN, &sentence(&remedy.action))])?;
    if let Some(command) = &remedy.command {
        write_command(page, 4, command, death)?;
    }
    match warning(remedy.risk) {
        Some(warning) => page.indented(2, &[(PLAIN, warning)]),
        None => Ok(()),
    }
}

fn write_other_remedies(
    page: &mut Page<'_>,
    remedies: &[Remedy],
    death: &Death,
    view: &View,
) -> io::Result<()> {
    if remedies.is_empty() {
        return Ok(());
    }
    page.heading("What else can be done")?;
    let shown = if view.verbosity == Verbosity::Full {
        remedies.len()
    } else {
        REMEDIES_SHOWN
    };
    for remedy in remedies.iter().take(shown) {
        let warning = warning(remedy.risk).map_or_else(String::new, |text| format!(" {text}"));
        page.item_of(&[(PLAIN, &sentence(&remedy.action)), (FAINT, &warning)])?;
        if let Some(command) = &remedy.command {
            write_command(page, 6, command, death)?;
        }
    }
    if remedies.len() > shown {
        page.item(&format!(
            "and {} more (-v shows them)",
            remedies.len() - shown
        ))?;
    }
    Ok(())
}

/// A command may be of several lines; none of them is broken.
fn write_command(
    page: &mut Page<'_>,
    indent: usize,
    command: &Command,
    death: &Death,
) -> io::Result<()> {
    let text = command.render(own_command(death).as_deref());
    for line in text.lines() {
        page.line(indent, &[(STRONG, line)])?;
    }
    Ok(())
}

/// The lines of a command for no death in particular.
pub(super) fn text_lines(command: &Command) -> Vec<String> {
    command.to_string().lines().map(str::to_owned).collect()
}

/// The command line that started the program, where it can be given again as it is.
pub(in crate::report) fn own_command(death: &Death) -> Option<Vec<String>> {
    let words: Vec<String> = death
        .command
        .iter()
        .map(|word| shell::quoted(word))
        .collect();
    let line = words.join(" ");
    let is_whole = death.source == CaptureSource::Process
        && death.role == Role::Main
        && words.len() > 1
        && !line.contains("***")
        && !line.contains("[masked]")
        && line.len() <= LONGEST_COMMAND;
    is_whole.then_some(words)
}

/// What a remedy may spoil.
pub(in crate::report) fn warning(risk: Risk) -> Option<&'static str> {
    match risk {
        Risk::None => None,
        Risk::Environment => Some("This changes what is installed or set up on the machine."),
        Risk::Results => Some("Beware: the program's results may be wrong or lost with it."),
    }
}

fn write_other_findings(page: &mut Page<'_>, findings: &[&Finding], view: &View) -> io::Result<()> {
    for finding in findings {
        let lead = capitalised(confidence(finding.confidence));
        page.item_of(&[
            (PLAIN, &format!("{lead}: {}", sentence(&finding.headline))),
            (FAINT, &format!(" ({}, {})", finding.cause, finding.rule)),
        ])?;
        if view.verbosity != Verbosity::Full {
            continue;
        }
        for evidence in &finding.evidence {
            let lead = match evidence.stance {
                Stance::For => "",
                Stance::Against => "Against it: ",
            };
            page.note(6, &format!("{lead}{}", sentence(&evidence.claim)))?;
        }
    }
    Ok(())
}

/// `out-of-memory (LIM001): the kernel's counter of kills did not move.`
fn write_ruled_out(page: &mut Page<'_>, excluded: &RuledOut) -> io::Result<()> {
    let against = excluded
        .evidence
        .iter()
        .find(|evidence| evidence.stance == Stance::Against)
        .map_or_else(
            || "nothing speaks for it.".to_owned(),
            |evidence| sentence(&evidence.claim),
        );
    page.item_of(&[
        (PLAIN, excluded.cause.word()),
        (FAINT, &format!(" ({})", excluded.rule)),
        (PLAIN, &format!(": {against}")),
    ])
}

/// With its end, where it has none.
pub(in crate::report) fn sentence(text: &str) -> String {
    let text = text.trim_end();
    // `It said "no."` has its end.
    let ending = text.trim_end_matches(['`', '"', '\'']);
    if ending.ends_with(['.', '!', '?', '…', ':']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}
