//! Keras's zip: a configuration, what wrote it, and the weights in HDF5.

use std::io;
use std::time::Instant;

use crashlens_core::files::{Contents, Extent, FlawKind, ModelFacts, Part};
use serde_json::Value;

use super::config;
use crate::fault::{Fault, Stop, note};
use crate::hdf5::{self, Walked};
use crate::reading::Reading;
use crate::source::Source;
use crate::zipped::{Member, Window, check, members, start_of};

const CONFIGURATION: &str = "config.json";
/// Keras writes it and does not read it.
const METADATA: &str = "metadata.json";
const WEIGHTS: [&str; 2] = ["model.weights.h5", "model.weights.npz"];
/// Bytes of JSON that are looked at.
const LONGEST_JSON: u64 = 16 << 20;

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let members = match members(&mut reading.source) {
        Ok(members) => members,
        Err(stop) => return told(reading, stop),
    };
    let mut facts = ModelFacts {
        producer: Some("keras".to_owned()),
        ..ModelFacts::default()
    };
    let mut configuration = Vec::new();
    for member in &members {
        let keep = if [CONFIGURATION, METADATA].contains(&member.name.as_str()) {
            LONGEST_JSON
        } else {
            0
        };
        match check(&mut reading.source, member, keep) {
            Ok(bytes) => {
                take(reading, member, &bytes, &mut facts)?;
                if member.name == CONFIGURATION {
                    configuration = bytes;
                }
            }
            Err(Stop::Fault(fault)) if member.name == METADATA => {
                note(reading, [fault.of_kind(FlawKind::IdlePart)]);
            }
            Err(stop) => told(reading, stop)?,
        }
    }
    let version = facts.producer_version.as_deref().unwrap_or_default();
    if let Some(detail) = config::unknown(&configuration, version) {
        reading.flaw(
            FlawKind::Malformed,
            Part::Member.named(CONFIGURATION),
            detail,
        );
    }
    let has = |name: &str| members.iter().any(|member| member.name == name);
    if !has(CONFIGURATION) {
        let detail = format!("there is no {CONFIGURATION} in it");
        reading.flaw(FlawKind::MissingPart, Part::Archive, detail);
    }
    if !WEIGHTS.into_iter().any(has) {
        let detail = format!("there is no {} in it", WEIGHTS[0]);
        reading.flaw(FlawKind::MissingPart, Part::Archive, detail);
    }
    if reading.options.full {
        reading.facts.extent = Extent::Full;
    }
    reading.holds(Contents::Model(Box::new(facts)));
    Ok(())
}

fn told(reading: &mut Reading<'_>, stop: Stop) -> io::Result<()> {
    match stop {
        Stop::Fault(fault) => note(reading, [fault]),
        Stop::Io(error) => return Err(error),
    }
    Ok(())
}

/// Takes in a member that is whole.
fn take(
    reading: &mut Reading<'_>,
    member: &Member,
    bytes: &[u8],
    facts: &mut ModelFacts,
) -> io::Result<()> {
    let json = |name: &str| Fault::malformed(Part::Member.named(name), None, "it is no JSON");
    match member.name.as_str() {
        METADATA => match serde_json::from_slice::<Value>(bytes) {
            Ok(value) => {
                let version = value.get("keras_version").and_then(Value::as_str);
                facts.producer_version = version.map(str::to_owned);
            }
            Err(_) => note(reading, [json(METADATA).of_kind(FlawKind::IdlePart)]),
        },
        CONFIGURATION if member.size <= LONGEST_JSON => match config::layers(bytes) {
            Some(layers) => facts.operations = layers,
            None => note(reading, [json(CONFIGURATION)]),
        },
        name if WEIGHTS.first() == Some(&name) => {
            if let Some(walked) = weights(reading, member)? {
                facts.tensors = walked.tensors;
                let faults = walked.faults.into_iter().map(|fault| Fault {
                    part: Part::Member.named(name).then(&fault.part),
                    ..fault
                });
                note(reading, faults);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Walks the weights where they are, or unpacked where they are small enough.
fn weights(reading: &mut Reading<'_>, member: &Member) -> io::Result<Option<Walked>> {
    let full = reading.options.full;
    let limits = reading.options.limits;
    let mut source = if member.is_stored() {
        let start = match start_of(&mut reading.source, member) {
            Ok(start) => start,
            Err(Stop::Io(error)) => return Err(error),
            Err(Stop::Fault(_)) => return Ok(None),
        };
        let source = reading.store.open(reading.path)?;
        Source::new(Window { source, start }, member.size)
    } else if member.size <= limits.memory {
        match check(&mut reading.source, member, member.size) {
            Ok(bytes) => Source::of_bytes(bytes),
            Err(Stop::Io(error)) => return Err(error),
            Err(Stop::Fault(_)) => return Ok(None),
        }
    } else {
        return Ok(None);
    };
    source = source.until(Instant::now() + limits.time);
    hdf5::walk(&mut source, full, true).map(Some)
}

#[cfg(test)]
mod tests {
    use crate::fuzzing::examine_bytes;
    use crate::{Options, Purpose};
    use crashlens_core::files::{FileFacts, FlawKind};

    const MODEL: &[u8] = include_bytes!("../../fixtures/keras/keras3.keras");
    const LAMBDA: &[u8] = include_bytes!("../../fixtures/keras/lambda.keras");

    fn examined(bytes: &[u8]) -> FileFacts {
        let options = Options {
            purpose: Purpose::Model,
            ..Options::default()
        };
        examine_bytes("model.keras", bytes, &options)
    }

    #[test]
    fn a_sound_archive_tells_its_layers_weights_and_version() {
        let facts = examined(MODEL);
        assert_eq!(facts.flaws, []);
        let model = facts.model().expect("a model");
        assert!(
            model
                .producer_version
                .as_deref()
                .is_some_and(|it| it.starts_with("3."))
        );
        assert!(model.operations.iter().any(|it| it.name == "Dense"));
        assert!(
            model
                .tensors
                .iter()
                .any(|it| it.bytes == 120 && it.dtype == "float32")
        );
    }

    #[test]
    fn a_lambda_layer_is_seen() {
        let facts = examined(LAMBDA);
        let model = facts.model().expect("a model");
        assert!(model.operations.iter().any(|it| it.name == "Lambda"));
    }

    #[test]
    fn cut_archives_and_changed_bytes_are_found() {
        for length in [MODEL.len() - 1, MODEL.len() / 2, 40] {
            assert!(!examined(&MODEL[..length]).flaws.is_empty(), "{length}");
        }
        let mut changed = MODEL.to_vec();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        assert_eq!(examined(&changed).flaws[0].kind, FlawKind::ChecksumMismatch);
    }
}
