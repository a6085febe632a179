//! `crashlens rules`: the rule book.

use crashlens_core::book::{self, Rule};
use crashlens_core::cause::Cause;
use strsim::levenshtein;

use crate::cli::RulesArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::book::{write_json, write_list, write_page};
use crate::report::{Destination, Format};

/// So many names are offered for one that does not exist.
const OFFERED: usize = 5;

/// Shows all rules, those of a cause, or one.
pub(crate) fn run(args: &RulesArgs) -> Result<ExitStatus, Failure> {
    let wanted = match &args.rule {
        None => Wanted::All,
        Some(word) => Wanted::find(word).ok_or_else(|| unknown(word))?,
    };
    let destination = Destination::on_stdout(args.color);
    destination.send(
        ExitStatus::NoReport,
        None,
        &|view, out| match (args.format, &wanted) {
            (Format::Json, _) => write_json(book::all().filter(|rule| wanted.has(rule)), out),
            (_, Wanted::One(rule)) => write_page(rule, view, out),
            (_, _) => write_list(&|rule| wanted.has(rule), view, out),
        },
    )?;
    Ok(ExitStatus::Success)
}

/// Which rules are asked for.
enum Wanted {
    All,
    Of(Cause),
    One(&'static Rule),
}

impl Wanted {
    /// By id or name, or else by a cause that several rules may name.
    fn find(word: &str) -> Option<Self> {
        if let Some(rule) = book::find(word) {
            return Some(Self::One(rule));
        }
        let cause = Cause::ALL
            .iter()
            .find(|cause| cause.word().eq_ignore_ascii_case(word))?;
        let mut of_cause = book::all().filter(|rule| rule.causes.contains(cause));
        match (of_cause.next(), of_cause.next()) {
            (Some(only), None) => Some(Self::One(only)),
            (Some(_), Some(_)) => Some(Self::Of(*cause)),
            (None, _) => None,
        }
    }

    fn has(&self, rule: &Rule) -> bool {
        match self {
            Self::All => true,
            Self::Of(cause) => rule.causes.contains(cause),
            Self::One(only) => only.id == rule.id,
        }
    }
}

fn unknown(word: &str) -> Failure {
    let close = close_to(word);
    let offer = if close.is_empty() {
        String::new()
    } else {
        format!("Close to it: {}. ", close.join(", "))
    };
    // What was typed may be anything, and of any length.
    let word: String = word.chars().take(60).collect();
    Failure::new(
        format!("there is no rule {}", word.escape_debug()),
        ExitStatus::NoReport,
    )
    .with_help(format!("{offer}`crashlens rules` lists all."))
}

/// Rules with a name or an id like `word`: those that share a word of it, and those few letters away.
fn close_to(word: &str) -> Vec<String> {
    let word: String = word.chars().take(60).collect::<String>().to_lowercase();
    let distance = |rule: &Rule| {
        if word.len() > 2 && rule.name.contains(&word) {
            return 1;
        }
        let of_id = levenshtein(&word, &rule.id.to_lowercase());
        let parts = word.split('-').filter(|part| part.len() > 2);
        let shared = parts.filter(|part| rule.name.contains(part)).count();
        levenshtein(&word, rule.name)
            .min(of_id + 1)
            .saturating_sub(3 * shared)
    };
    let mut close: Vec<(usize, &Rule)> = book::all()
        .map(|rule| (distance(rule), rule))
        .filter(|(distance, _)| *distance <= (word.len() / 3).max(2))
        .collect();
    close.sort_by_key(|(distance, _)| *distance);
    close
        .iter()
        .take(OFFERED)
        .map(|(_, rule)| format!("{} ({})", rule.name, rule.id))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_rule_is_offered() {
        let offered = close_to("insuficient-evidense");
        assert_eq!(
            offered.first().map(String::as_str),
            Some("insufficient-evidence (VER001)")
        );
    }
}
