//! Which variables a report keeps: those of frames on the path of the crash.

use std::collections::BTreeMap;

use crashlens_core::{Frame, PythonFrame, Thread, Variable};

use crate::testimony::Locals;

/// Variables of a module that are kept where its line does not tell which matter.
const MOST_OF_MODULE: usize = 12;

/// Drops the variables of threads that have nothing to do with the crash, and from modules what their line does not
/// mention. The roles of threads must be known.
pub(super) fn keep_path(threads: &mut [Thread], told: &mut Locals) {
    let somebody_crashed = threads.iter().any(|thread| thread.crashed);
    for (index, thread) in threads.iter_mut().enumerate() {
        let is_on_path = thread.crashed
            || thread.waits_for_crashed
            || thread.holds_gil == Some(true)
            || (index == 0 && !somebody_crashed);
        if !is_on_path {
            told.remove(&thread.id);
        }
        for frame in &mut thread.frames {
            let Frame::Python(python) = frame else {
                continue;
            };
            if !is_on_path {
                python.locals = Vec::new();
            } else if python.function == "<module>" {
                keep_mentioned(python);
            }
        }
    }
}

fn keep_mentioned(frame: &mut PythonFrame) {
    let is_identifier = |letter: char| letter.is_alphanumeric() || letter == '_';
    let line = frame.source.as_deref().unwrap_or_default();
    let mentions = |variable: &Variable| {
        line.split(|letter| !is_identifier(letter))
            .any(|word| word == variable.name)
    };
    let is_whole = !line.is_empty() && !line.ends_with(['(', '[', '{', ',', '\\']);
    if is_whole || frame.locals.iter().any(mentions) {
        frame.locals.retain(mentions);
        return;
    }
    let is_plain = |variable: &Variable| {
        let value = &variable.value;
        value.text.is_some() || value.array.is_some()
    };
    frame.locals.retain(is_plain);
    let older = frame.locals.len().saturating_sub(MOST_OF_MODULE);
    frame.locals.drain(..older);
}

/// Gives Python frames the text of their lines.
pub(super) fn add_sources(frames: &mut [Frame], sources: &BTreeMap<String, BTreeMap<u32, String>>) {
    for frame in frames {
        if let Frame::Python(python) = frame {
            let lines = sources.get(&python.file);
            python.source = lines
                .zip(python.line)
                .and_then(|(lines, line)| lines.get(&line).cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use crashlens_core::{FrameTrust, StackEnd, ThreadRole, Value};

    use super::*;

    fn variable(name: &str, text: Option<&str>) -> Variable {
        Variable {
            name: name.to_owned(),
            argument: false,
            value: Value {
                type_name: "int".to_owned(),
                text: text.map(str::to_owned),
                array: None,
            },
        }
    }

    fn module(source: Option<&str>, locals: Vec<Variable>) -> PythonFrame {
        PythonFrame {
            file: "train.py".to_owned(),
            line: Some(3),
            function: "<module>".to_owned(),
            source: source.map(str::to_owned),
            trust: FrameTrust::Interpreter,
            locals,
        }
    }

    fn kept(source: Option<&str>, locals: Vec<Variable>) -> Vec<String> {
        let mut frame = module(source, locals);
        keep_mentioned(&mut frame);
        frame.locals.into_iter().map(|local| local.name).collect()
    }

    #[test]
    fn of_a_module_the_line_tells_which_variables_matter() {
        let locals = || {
            vec![
                variable("x", Some("1")),
                variable("model", None),
                variable("xs", Some("2")),
            ]
        };
        assert_eq!(kept(Some("model.fit(x)"), locals()), ["x", "model"]);
        assert_eq!(kept(Some("main()"), locals()), Vec::<String>::new());
        assert_eq!(kept(Some("run("), locals()), ["x", "xs"]);
        let many = (0..40).map(|index| variable(&format!("v{index}"), Some("0")));
        assert_eq!(kept(None, many.collect()).first().unwrap(), "v28");
    }

    #[test]
    fn a_thread_that_has_nothing_to_do_with_the_crash_loses_its_variables() {
        let thread = |id, crashed| Thread {
            id,
            name: String::new(),
            role: ThreadRole::Python,
            crashed,
            holds_gil: Some(false),
            waits_for_crashed: false,
            frames: vec![Frame::Python(PythonFrame {
                function: "work".to_owned(),
                ..module(None, vec![variable("x", Some("1"))])
            })],
            end: StackEnd::Complete,
        };
        let mut threads = [thread(1, true), thread(2, false)];
        let mut told = Locals::from([(1, Vec::new()), (2, Vec::new())]);
        keep_path(&mut threads, &mut told);
        let count = |thread: &Thread| match &thread.frames[0] {
            Frame::Python(python) => python.locals.len(),
            Frame::Native(_) => 0,
        };
        assert_eq!(threads.each_ref().map(count), [1, 0]);
        assert_eq!(told.into_keys().collect::<Vec<_>>(), [1]);
    }
}
