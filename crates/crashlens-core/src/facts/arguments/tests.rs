use super::*;
use crate::capture::{ArrayKind, Value};
use crate::known_issues::KnownIssues;
use crate::sample::{capture, native, python, thread};

fn variable(name: &str, type_name: &str, text: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        argument: true,
        value: Value {
            type_name: type_name.to_owned(),
            text: Some(text.to_owned()),
            array: None,
        },
    }
}

fn tensor(name: &str, shape: &[u64]) -> Variable {
    let mut tensor = variable(name, "EagerTensor", "");
    tensor.value.text = None;
    tensor.value.array = Some(Array {
        kind: ArrayKind::EagerTensor,
        shape: Some(shape.iter().map(|it| Some(*it)).collect()),
        dtype: Some("float32".to_owned()),
        strides: None,
        data: None,
        data_mapped: None,
        by_form: false,
    });
    tensor
}

fn frame(file: &str, function: &str, locals: Vec<Variable>) -> Frame {
    let Frame::Python(mut frame) = python(file, function, "call()") else {
        unreachable!("it makes Python frames");
    };
    frame.locals = locals;
    Frame::Python(frame)
}

/// What stands out in the call of an op with these arguments.
fn odd(arguments: Vec<Variable>) -> Vec<String> {
    let file = "/lib/python3.11/site-packages/tensorflow/python/ops/gen_nn_ops.py";
    let frames = vec![native("abort"), frame(file, "an_op", arguments)];
    of(frames)
}

fn of(frames: Vec<Frame>) -> Vec<String> {
    let capture = capture(vec![thread(1, frames)], &[]);
    let facts = Facts::new(&capture, KnownIssues::built_in());
    let found = facts.suspicious_arguments();
    found.into_iter().map(|argument| argument.what).collect()
}

#[test]
fn the_oddest_argument_comes_first() {
    let found = odd(vec![
        tensor("boxes", &[0, 4]),
        variable("ksize", "list", "[1, 0, 0, 1]"),
        variable("max_output_size_per_class", "int", "2147483647"),
        variable("iou_threshold", "float", "nan"),
    ]);
    assert_eq!(
        found,
        [
            "`max_output_size_per_class` is 2147483647",
            "`ksize` is [1, 0, 0, 1]",
            "`boxes` is empty, shape (0, 4)",
            "`iou_threshold` is nan",
        ]
    );
}

#[test]
fn ordinary_arguments_do_not_stand_out() {
    let found = odd(vec![
        tensor("x", &[1, 2]),
        tensor("scalar", &[]),
        variable("axis", "int", "-1"),
        variable("num_elements", "int", "-1"),
        variable("shape", "list", "[-1, 10]"),
        variable("element_shape", "list", "[]"),
        variable("strides", "list", "[1, 2, 2, 1]"),
        variable("seed", "int", "8589934592"),
        variable("padding", "str", "'SAME'"),
        variable("name", "NoneType", "None"),
        variable("explicit_paddings", "list", "[]"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn an_empty_tensor_in_a_list_stands_out() {
    let text = "[<tensorflow.EagerTensor float32[3]>, <tensorflow.EagerTensor int32[0, 2]>]";
    assert_eq!(
        odd(vec![variable("inputs", "list", text)]),
        ["`inputs` holds an empty tensor, int32[0, 2]"]
    );
    assert_eq!(
        odd(vec![variable("min_input", "list", "[]")]),
        ["`min_input` is []"]
    );
}

#[test]
fn variables_of_the_user_speak_where_no_op_was_called_from_python() {
    let user = || frame("/home/u/train.py", "step", vec![tensor("batch", &[0, 32])]);
    assert_eq!(of(vec![user()]), ["`batch` is empty, shape (0, 32)"]);
    let op = frame(
        "/x/tensorflow/python/ops/gen_math_ops.py",
        "add",
        Vec::new(),
    );
    assert_eq!(of(vec![op, user()]), [""; 0]);
}

#[test]
fn any_text_is_read_without_harm() {
    for text in [
        "",
        "[",
        "9".repeat(9000).as_str(),
        "[1, … 16 more]",
        "-",
        "[<>]",
        "[<a [0]>",
        "é][",
    ] {
        for type_name in ["int", "list", "float", "tuple"] {
            let _ = odd(vec![variable("size", type_name, text)]);
        }
    }
}
