//! Python's own account of its death: the lines faulthandler writes to standard error.
//!
//! Used where the process could not be traced and they are the only stack there is.

use crashlens_core::{Frame, FrameTrust, PythonFrame, StackEnd};

/// More frames than faulthandler ever writes (100, then `...`).
const MAX_FRAMES: usize = 1000;

/// The stack of the thread that received the signal, from the last such account in `lines`.
pub(crate) fn crashed_stack(lines: &[String]) -> Option<(Vec<Frame>, StackEnd)> {
    let heading = lines.iter().rposition(|line| is_heading(line))?;
    let mut frames = Vec::new();
    let mut end = StackEnd::Complete;
    for line in lines[heading + 1..].iter().take(MAX_FRAMES) {
        let Some(frame) = parse_frame(line) else {
            if line.trim() == "..." {
                end = StackEnd::DepthLimit;
            }
            break;
        };
        frames.push(Frame::Python(frame));
    }
    (!frames.is_empty()).then_some((frames, end))
}

/// `Current thread 0x00007f50abdbcb80 (most recent call first):`, since 3.14 with the thread's name in between.
fn is_heading(line: &str) -> bool {
    line.trim_end().ends_with("(most recent call first):") && line.starts_with("Current thread 0x")
}

/// `  File "/home/ada/train.py", line 12 in fit`; `???` stands for a line that is not known.
fn parse_frame(line: &str) -> Option<PythonFrame> {
    let rest = line.trim_end().strip_prefix("  File \"")?;
    let (file, rest) = rest.rsplit_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    let line = if line == "???" {
        None
    } else {
        Some(line.parse().ok()?)
    };
    Some(PythonFrame {
        file: file.to_owned(),
        line,
        function: function.to_owned(),
        source: None,
        trust: FrameTrust::Unplaced,
        locals: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type ShortFrame = (String, Option<u32>, String);

    fn stack(text: &str) -> Option<(Vec<ShortFrame>, StackEnd)> {
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let (frames, end) = crashed_stack(&lines)?;
        let short = frames.into_iter().map(|frame| match frame {
            Frame::Python(frame) => (frame.file, frame.line, frame.function),
            Frame::Native(_) => unreachable!("faulthandler knows no native frames"),
        });
        Some((short.collect(), end))
    }

    fn frame(file: &str, line: Option<u32>, function: &str) -> ShortFrame {
        (file.to_owned(), line, function.to_owned())
    }

    #[test]
    fn the_stack_of_the_crashed_thread_is_read_and_others_are_not() {
        let text = "Fatal Python error: Segmentation fault\n\n\
            Thread 0x00007f0000000001 (most recent call first):\n  File \"a.py\", line 1 in wait\n\n\
            Current thread 0x00007f0000000002 (most recent call first):\n  \
            File \"/x/train.py\", line 12 in fit\n  File \"/x/train.py\", line 20 in <module>\n\n\
            Thread 0x00007f0000000003 (most recent call first):\n  File \"b.py\", line 1 in wait\n";
        let expected = vec![
            frame("/x/train.py", Some(12), "fit"),
            frame("/x/train.py", Some(20), "<module>"),
        ];
        assert_eq!(stack(text), Some((expected, StackEnd::Complete)));
    }

    #[test]
    fn names_of_threads_and_odd_file_names_are_understood() {
        let text = "Current thread 0x00007f0000000002 [python] (most recent call first):\n  \
            File \"/x/a\", line 3 in b\", line 7 in f\n  File \"<string>\", line ??? in <module>\n";
        let (frames, _) = stack(text).unwrap();
        assert_eq!(frames[0], frame("/x/a\", line 3 in b", Some(7), "f"));
        assert_eq!(frames[1], frame("<string>", None, "<module>"));
    }

    #[test]
    fn a_cut_stack_says_so() {
        let text =
            "Current thread 0x1 (most recent call first):\n  File \"a\", line 1 in f\n  ...\n";
        assert_eq!(stack(text).unwrap().1, StackEnd::DepthLimit);
    }

    #[test]
    fn without_an_account_there_is_no_stack() {
        assert_eq!(
            stack("Traceback (most recent call last):\n  File \"a\", line 1, in f\n"),
            None
        );
        assert_eq!(
            stack("Current thread 0x1 (most recent call first):\n  <no Python frame>\n"),
            None
        );
        assert_eq!(stack(""), None);
    }
}
