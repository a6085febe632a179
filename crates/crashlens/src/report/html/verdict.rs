//! Why it died and what to do: the findings, their evidence, and the way from each claim to its fact.

use crashlens_core::diagnosis::{Confidence, Finding};
use crashlens_core::evidence::{Evidence, FactRef, Stance, Weight};
use crashlens_core::remedy::{Crashlens, Remedy};
use crashlens_core::text::capitalised;
use crashlens_core::{Death, Frame, Variable, book};
use maud::{Markup, html};

use super::anchors::Anchors;
use super::parts;
use crate::report::terminal::{
    confidence, is_explained, own_command, sentence, warning, works_through,
};

/// Facts of the first finding in the first screen.
const FIRST_FACTS: usize = 3;

/// Writes the first finding and what to do first.
pub(super) fn write(death: &Death, anchors: &Anchors) -> Markup {
    let Some(first) = death.diagnosis.findings.first() else {
        return html! {};
    };
    let is_explained = is_explained(death);
    let class = if is_explained {
        class_of(first.confidence)
    } else {
        "open"
    };
    let (shown, rest) = first
        .evidence
        .split_at(first.evidence.len().min(FIRST_FACTS));
    html! {
        section.verdict.(class) {
            p.confidence {
                @if is_explained { (confidence(first.confidence)) } @else { "not determined" }
            }
            h2 { (parts::marked(&sentence(&capitalised(&first.headline)))) }
            (claims(shown, death, anchors))
            @if !first.unseen.is_empty() {
                p.faint { "Not certain: " (parts::text(&first.unseen.join(", "))) " could not be seen." }
            }
            @if !rest.is_empty() {
                details {
                    summary { (rest.len()) " more " @if rest.len() == 1 { "fact" } @else { "facts" } }
                    (claims(rest, death, anchors))
                }
            }
            (rule(first))
        }
        @if let Some((remedy, others)) = first.remedies.split_first() {
            section.todo {
                h2 { @if is_explained { "What to do first" } @else { "To find out" } }
                (self::remedy(remedy, death))
                @if !others.is_empty() {
                    details {
                        summary { (others.len()) " other " @if others.len() == 1 { "way" } @else { "ways" } }
                        @for other in others { (self::remedy(other, death)) }
                    }
                }
            }
        }
    }
}

/// Writes how it worked in the machine, and what else it may be.
pub(super) fn write_others(death: &Death, anchors: &Anchors) -> Markup {
    let findings = &death.diagnosis.findings;
    let is_mechanism = |other: &&Finding| works_through(findings.first(), other);
    let (mechanisms, others): (Vec<_>, Vec<_>) = findings.iter().skip(1).partition(is_mechanism);
    html! {
        @for (title, findings) in [
            ("What went wrong in the machine", mechanisms),
            ("What else it may be", others),
        ] {
            @if !findings.is_empty() {
                section {
                    h2 { (title) }
                    @for finding in findings {
                        details.finding {
                            summary {
                                span.confidence.(class_of(finding.confidence)) { (confidence(finding.confidence)) } " "
                                (parts::marked(&sentence(&finding.headline)))
                            }
                            (claims(&finding.evidence, death, anchors))
                            (rule(finding))
                        }
                    }
                }
            }
        }
    }
}

fn class_of(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    }
}

fn claims(evidence: &[Evidence], death: &Death, anchors: &Anchors) -> Markup {
    html! {
        ul.evidence {
            @for it in evidence {
                li.against[it.stance == Stance::Against] {
                    span.weight title=(weight_in_words(it.weight)) { (weight(it.weight)) }
                    @if it.stance == Stance::Against { "Against it: " }
                    (parts::marked(&sentence(&it.claim)))
                    (link(it, death, anchors))
                }
            }
        }
    }
}

/// The way to the fact that a claim rests on.
pub(super) fn link(evidence: &Evidence, death: &Death, anchors: &Anchors) -> Markup {
    html! {
        @if let Some(place) = anchors.place(&evidence.fact, death) {
            " " a.fact href=(format!("#{place}")) { "show" }
        }
    }
}

fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Weak => "●○○",
        Weight::Strong => "●●○",
        Weight::Decisive => "●●●",
    }
}

fn weight_in_words(weight: Weight) -> &'static str {
    match weight {
        Weight::Weak => "it fits, and it fits much else",
        Weight::Strong => "it is rarely seen otherwise",
        Weight::Decisive => "it proves it",
    }
}

fn rule(finding: &Finding) -> Markup {
    let summary = book::find(&finding.rule).map(|rule| rule.summary);
    html! {
        p.rule title=[summary] {
            "Rule " (parts::text(&finding.rule)) ": "
            code { (parts::text(&Crashlens::Rule(finding.name.clone()).to_string())) }
        }
    }
}

fn remedy(remedy: &Remedy, death: &Death) -> Markup {
    html! {
        div.remedy {
            p { (parts::marked(&sentence(&remedy.action))) }
            @if let Some(command) = &remedy.command {
                (parts::command(&command.render(own_command(death).as_deref())))
            }
            @if let Some(warning) = warning(remedy.risk) { p.risk { (warning) } }
        }
    }
}

/// The values that the first finding rests on, wherever in the stack they are.
pub(super) fn cited_values(death: &Death) -> Vec<&Variable> {
    let first = death.diagnosis.findings.first();
    let evidence = first.into_iter().flat_map(|first| &first.evidence);
    let mut cited: Vec<&Variable> = Vec::new();
    for evidence in evidence {
        let value = local(&evidence.fact, death);
        cited.extend(value.filter(|it| !cited.contains(it)));
    }
    cited
}

/// The variable that a fact is about.
fn local<'a>(fact: &FactRef, death: &'a Death) -> Option<&'a Variable> {
    let FactRef::Local {
        thread,
        index,
        name,
    } = fact
    else {
        return None;
    };
    let thread = death.threads.iter().find(|it| it.id == *thread)?;
    match thread.frames.get(*index)? {
        Frame::Python(frame) => frame.locals.iter().find(|it| it.name == *name),
        Frame::Native(_) => None,
    }
}
