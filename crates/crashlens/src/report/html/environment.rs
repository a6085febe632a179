//! What was around a process: packages, variables, limits, libraries, registers, and what is wrong with them.

use std::collections::BTreeMap;

use crashlens_core::report::Surroundings;
use crashlens_core::text::plural;
use crashlens_core::{Death, Limit, Module, Registers, Report};
use maud::{Markup, html};
use serde_json::Value;

use super::anchors::Anchors;
use super::{inspection, parts};

/// Libraries on the page; the JSON has all of them.
const MODULES: usize = 400;

/// Writes what was found in the environment that has to do with the death.
pub(super) fn write_hazards(report: &Report, death: &Death) -> Markup {
    let hazards = death.diagnosis.hazards.iter().filter_map(|it| {
        let inspection = report.inspections.get(it.inspection)?;
        inspection.findings.get(it.finding)
    });
    let hazards: Vec<_> = hazards.collect();
    html! {
        @if !hazards.is_empty() {
            section {
                h2 { "Found in the environment" }
                @for hazard in &hazards { (inspection::finding(hazard)) }
            }
        }
    }
}

/// Writes what came with the process.
pub(super) fn write(death: &Death, anchors: &Anchors) -> Markup {
    let around = &death.environment;
    let host = &death.host;
    let python = around.python.as_ref();
    let finalizing = python.and_then(|it| it.finalizing);
    html! {
        section id=(anchors.section("environment")) {
            h2 { "Environment" }
            table.facts {
                (parts::row("Python", python.map(|it| it.version.as_str())))
                @if finalizing == Some(true) { (parts::row("Interpreter", Some("was shutting down"))) }
                (parts::row("Executable", around.executable.as_deref()))
                (parts::row("Working directory", around.working_directory.as_deref()))
                (parts::row("Kernel", host.kernel.as_deref()))
                (parts::row("glibc", host.glibc.as_deref()))
                (parts::row("Processor", host.cpu_model.as_deref()))
            }
            (packages(death))
            (variables(around))
            (limits(around.limits.as_deref().unwrap_or_default()))
            (modules(death.modules.as_deref(), anchors))
            (registers(death.registers.as_ref()))
        }
    }
}

/// Packages that loaded libraries came with, and those that are named beside them.
fn packages(death: &Death) -> Markup {
    let modules = death.modules.iter().flatten();
    let loaded = modules.filter_map(|module| module.package.as_ref());
    let named = death.environment.packages.iter().flatten();
    let packages: BTreeMap<&str, &str> = loaded
        .chain(named)
        .map(|it| (it.name.as_str(), it.version.as_str()))
        .collect();
    html! {
        @if !packages.is_empty() {
            details {
                summary { (plural(packages.len(), "package")) " with loaded libraries" }
                table.facts {
                    @for (name, version) in &packages { (parts::row(name, Some(version))) }
                }
            }
        }
    }
}

fn variables(around: &Surroundings) -> Markup {
    let variables = around.variables.as_ref().filter(|it| !it.is_empty());
    html! {
        @if let Some(variables) = variables {
            details {
                summary { (plural(variables.len(), "environment variable")) ", secrets masked" }
                table.facts {
                    @for (name, value) in variables { (parts::row(name, Some(value))) }
                }
            }
        }
    }
}

fn limits(limits: &[Limit]) -> Markup {
    let amount =
        |limit: Option<u64>| limit.map_or_else(|| "unlimited".to_owned(), |it| it.to_string());
    html! {
        @if !limits.is_empty() {
            details {
                summary { (plural(limits.len(), "limit")) }
                table.facts {
                    @for limit in limits {
                        (parts::row(&limit.name, Some(&format!("{}, hard {}", amount(limit.soft), amount(limit.hard)))))
                    }
                }
            }
        }
    }
}

fn modules(modules: Option<&[Module]>, anchors: &Anchors) -> Markup {
    let Some(modules) = modules else {
        return html! {};
    };
    html! {
        details id=(anchors.section("modules")) {
            summary { (plural(modules.len(), "loaded file")) }
            table.facts {
                @for module in modules.iter().take(MODULES) { (parts::row(&module.name, Some(&module.path))) }
            }
            @if modules.len() > MODULES { p.faint { "and " (modules.len() - MODULES) " more" } }
        }
    }
}

/// Under the processor's own names, as the JSON has them.
fn registers(registers: Option<&Registers>) -> Markup {
    let registers = registers.and_then(|it| serde_json::to_value(it).ok());
    let Some(Value::Object(registers)) = registers else {
        return html! {};
    };
    html! {
        details {
            summary { "Registers of the crashed thread" }
            table.registers {
                @for (name, value) in &registers { (parts::row(name, value.as_str())) }
            }
        }
    }
}
