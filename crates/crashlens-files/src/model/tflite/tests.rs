use crate::fuzzing::examine_bytes;
use crate::{Options, Purpose};
use crashlens_core::files::{FileFacts, FlawKind};

/// Written by the converters of TensorFlow 2.12.1, 2.15.1 and 2.21.0.
const MODELS: [&[u8]; 5] = [
    include_bytes!("../../../fixtures/tflite/cond.tflite"),
    include_bytes!("../../../fixtures/tflite/while.tflite"),
    include_bytes!("../../../fixtures/tflite/sigs.tflite"),
    include_bytes!("../../../fixtures/tflite/conv.tflite"),
    include_bytes!("../../../fixtures/tflite/convq8.tflite"),
];

fn examined(bytes: &[u8]) -> FileFacts {
    let options = Options {
        purpose: Purpose::Model,
        full: true,
        ..Options::default()
    };
    examine_bytes("model.tflite", bytes, &options)
}

fn is_flagged(bytes: &[u8]) -> bool {
    let facts = examined(bytes);
    facts
        .flaws
        .iter()
        .any(|flaw| flaw.kind != FlawKind::IdlePart)
}

#[test]
fn sound_models_have_no_flaws() {
    for model in MODELS {
        assert_eq!(examined(model).flaws, []);
    }
}

#[test]
fn operations_and_stored_tensors_are_listed() {
    let facts = examined(MODELS[3]);
    let model = facts.model().expect("a model");
    let names: Vec<_> = model.operations.iter().map(|it| it.name.as_str()).collect();
    assert!(
        names.contains(&"CONV_2D") && names.contains(&"FULLY_CONNECTED"),
        "{names:?}"
    );
    assert!(
        model
            .tensors
            .iter()
            .any(|tensor| tensor.dtype == "float32" && tensor.bytes > 0)
    );
}

#[test]
fn a_model_that_is_cut_short_is_flagged_wherever_it_is_cut() {
    for model in MODELS {
        for part in 1..16 {
            let length = model.len() * part / 16;
            assert!(is_flagged(&model[..length]), "{length} of {}", model.len());
        }
    }
}

#[test]
fn an_offset_that_leads_out_of_the_file_is_malformed() {
    let mut model = MODELS[0].to_vec();
    model[3] = 0x40;
    assert_eq!(examined(&model).flaws[0].kind, FlawKind::Malformed);
}

#[test]
fn a_model_whose_line_ends_were_changed_is_flagged() {
    for model in MODELS {
        let changed: Vec<u8> = model
            .iter()
            .flat_map(|byte| {
                if *byte == b'\n' {
                    vec![b'\r', b'\n']
                } else {
                    vec![*byte]
                }
            })
            .collect();
        assert!(changed == model || is_flagged(&changed));
    }
}

#[test]
fn nan_among_the_weights_is_told() {
    let mut model = MODELS[3].to_vec();
    let facts = examined(&model);
    let tensors = &facts.model().expect("a model").tensors;
    let length = tensors.iter().map(|tensor| tensor.bytes).max().unwrap_or(0) as usize;
    let lengths = model
        .windows(4)
        .position(|it| it == (length as u32).to_le_bytes());
    let at = lengths.expect("the length of the largest buffer") + 4;
    model[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let kinds: Vec<_> = examined(&model)
        .flaws
        .iter()
        .map(|flaw| flaw.kind)
        .collect();
    assert_eq!(kinds, [FlawKind::NotFinite]);
}

#[test]
fn no_single_changed_byte_makes_the_reader_fail() {
    for model in MODELS {
        for at in (0..model.len()).step_by(37) {
            let mut changed = model.to_vec();
            changed[at] ^= 0xff;
            let facts = examined(&changed);
            assert!(
                facts.flaws_of(FlawKind::ReaderFailed).next().is_none(),
                "byte {at}"
            );
        }
    }
}

#[test]
fn what_only_the_verifier_asks_for_is_irregular_and_no_more() {
    for model in MODELS {
        let mut cut = model.to_vec();
        cut.pop();
        for flaw in examined(&cut).flaws {
            assert_eq!(flaw.kind, FlawKind::Irregular, "{}", flaw.detail);
        }
    }
}

#[test]
fn a_shape_that_does_not_take_what_is_computed_before_it_is_a_contradiction() {
    let mut model = MODELS[3].to_vec();
    // The height of the steps of the first convolution, 1: with 2 the tensors behind it have other shapes.
    let facts = examined(&model);
    assert_eq!(facts.flaws, []);
    let mut found = 0;
    for at in (0..model.len() - 4).step_by(4) {
        if model[at..at + 4] == 1_u32.to_le_bytes() {
            model[at] = 2;
            let flaws = examined(&model).flaws;
            found += usize::from(flaws.iter().any(|it| it.detail.starts_with("RESHAPE of")));
            model[at] = 1;
        }
    }
    assert!(found > 0);
}

/// Models of one flaw each, which TensorFlow 2.21.0 was seen to die of or to refuse.
#[test]
fn what_kernels_do_not_survive_is_told() {
    let first = |bytes: &[u8]| {
        let facts = examined(bytes);
        let flaw = facts.flaws.first().expect("a flaw");
        (flaw.kind, flaw.detail.clone())
    };
    let told = [
        first(include_bytes!(
            "../../../fixtures/tflite/input-left-out.tflite"
        )),
        first(include_bytes!(
            "../../../fixtures/tflite/nothing-left.tflite"
        )),
        first(include_bytes!(
            "../../../fixtures/tflite/unlike-parts.tflite"
        )),
        first(include_bytes!(
            "../../../fixtures/tflite/steps-of-zero.tflite"
        )),
    ];
    let expected = [
        (
            FlawKind::Malformed,
            "CUMSUM has no input 1, and cannot do without",
        ),
        (
            FlawKind::Contradiction,
            "DEPTHWISE_CONV_2D of [1, 1, 14, 4] and [1, 3, 3, 4] and [4] leaves nothing: [0, 6]",
        ),
        (
            FlawKind::Contradiction,
            "CONCATENATION of [2, 6, 2] and [2, 6, 4]",
        ),
        (
            FlawKind::Contradiction,
            "STRIDED_SLICE with steps of [1, 2, 0]",
        ),
    ];
    for ((kind, detail), expected) in told.iter().zip(expected) {
        assert_eq!((*kind, detail.as_str()), expected);
    }
}

#[test]
fn operations_of_the_whole_of_tensorflow_are_told_by_their_own_part() {
    let facts = examined(include_bytes!("../../../fixtures/tflite/select.tflite"));
    let flaw = facts.flaws.first().expect("a flaw");
    assert_eq!(
        (flaw.kind, flaw.part.words()),
        (FlawKind::Unsupported, "a select operation")
    );
}
