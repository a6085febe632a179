//! Names as people can take them in: files, C++ functions, libraries, shell words.

use std::borrow::Cow;

use textwrap::core::display_width;

use crate::harmless;

/// Text that cannot move the cursor, change colours or turn the reading direction of a terminal.
pub(in crate::report) fn printable(text: &str) -> Cow<'_, str> {
    harmless::line(text)
}

/// At most `room` columns: what is too much is taken from the middle.
pub(in crate::report) fn clip(text: &str, room: usize) -> String {
    let text = printable(text);
    if display_width(&text) <= room {
        return text.into_owned();
    }
    let room = room.saturating_sub(1);
    let tail_room = room / 3;
    let head: String = within(text.chars(), room - tail_room).collect();
    let mut tail: Vec<char> = within(text.chars().rev(), tail_room).collect();
    tail.reverse();
    format!("{head}…{}", tail.into_iter().collect::<String>())
}

/// The letters that fit into `room` columns.
fn within(letters: impl Iterator<Item = char>, room: usize) -> impl Iterator<Item = char> {
    letters.scan(0, move |used, letter| {
        *used += display_width(letter.encode_utf8(&mut [0; 4]));
        (*used <= room).then_some(letter)
    })
}

/// The last state of a line that was written with terminal codes: what follows the last carriage return.
pub(in crate::report) fn last_state(line: &str) -> String {
    let plain = anstream::adapter::strip_str(line).to_string();
    plain
        .trim_end_matches('\r')
        .rsplit('\r')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// A Python file: below the working directory as the user knows it, a package's or the interpreter's by module path.
pub(in crate::report) fn file_for_people(file: &str, working_directory: Option<&str>) -> String {
    for folder in ["site-packages/", "dist-packages/"] {
        if let Some(at) = file.rfind(folder) {
            return file[at + folder.len()..].to_owned();
        }
    }
    let below = working_directory
        .filter(|folder| folder.len() > 1)
        .and_then(|folder| {
            file.strip_prefix(folder.trim_end_matches('/'))?
                .strip_prefix('/')
        });
    if let Some(below) = below {
        return below.to_owned();
    }
    standard_library_path(file).unwrap_or(file).to_owned()
}

/// `multiprocessing/pool.py` of `/usr/lib/python3.11/multiprocessing/pool.py`.
fn standard_library_path(file: &str) -> Option<&str> {
    let at = file
        .find("/lib/python")
        .or_else(|| file.find("/lib64/python"))?;
    let (version, rest) = file[at..]
        .trim_start_matches('/')
        .split_once('/')?
        .1
        .split_once('/')?;
    version
        .ends_with(|last: char| last.is_ascii_digit())
        .then_some(rest)
}

/// The package or folder a Python file is in, for counting: `keras` of `…/site-packages/keras/src/x.py`.
pub(in crate::report) fn package_of(file: &str) -> &str {
    for folder in ["site-packages/", "dist-packages/"] {
        if let Some(at) = file.rfind(folder) {
            let inside = &file[at + folder.len()..];
            return inside.split('/').next().unwrap_or(inside);
        }
    }
    "the standard library"
}

/// `_multiarray_umath.so` of `_multiarray_umath.cpython-311-x86_64-linux-gnu.so`.
pub(in crate::report) fn library_for_people(library: &str) -> String {
    match library.split_once(".cpython-") {
        Some((stem, rest)) if rest.strip_suffix(".so").is_some() => format!("{stem}.so"),
        _ => library.to_owned(),
    }
}

/// Longer names are cut before they are shortened: a screen has room for a fraction, and foreign names may be of any
/// length.
const MAX_NAME: usize = 16 << 10;

/// A native function in at most `room` columns: template and call arguments go first, then the middle.
pub(in crate::report) fn function_for_people(function: &str, room: usize) -> String {
    if function.len() <= room || display_width(function) <= room {
        return function.to_owned();
    }
    let function = function
        .get(..function.floor_char_boundary(MAX_NAME))
        .unwrap_or_default();
    let name = function.split(" [clone").next().unwrap_or(function);
    let name = name
        .strip_suffix(" const")
        .unwrap_or(name)
        .replace("(anonymous namespace)::", "");
    let name = called_object(&name).unwrap_or(&name);
    let collapsed = collapse(name);
    let mut short = without_return_type(&collapsed).to_owned();
    // Outer namespaces say least: `…::ThreadPoolDevice::Compute(…)`.
    while display_width(&short) > room {
        let inner = short.trim_start_matches("…::");
        match outermost(inner, |letter| letter == ':').and_then(|at| inner.get(at + 2..)) {
            Some(inner) if inner.contains("::") => short = format!("…::{inner}"),
            _ => break,
        }
    }
    clip(&short, room)
}

/// The lambda inside `std::_Function_handler<void (long), Foo::Compute(…)::{lambda…}>::_M_invoke(…)`: the only part
/// of such a name that says anything.
fn called_object(name: &str) -> Option<&str> {
    let arguments = name.strip_prefix("std::_Function_handler<")?;
    let comma = outermost(arguments, |letter| letter == ',')?;
    let object = arguments.get(comma + 1..)?.trim_start();
    let end = outermost(object, |letter| matches!(letter, ',' | '>')).unwrap_or(object.len());
    object.get(..end)
}

/// Where a letter first stands outside all brackets.
fn outermost(text: &str, wanted: impl Fn(char) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        if depth == 0 && wanted(letter) && previous != '-' {
            return Some(at);
        }
        match letter {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' if previous == '-' => {}
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        previous = letter;
    }
    None
}

/// `Foo<…>::bar(…)` of `Foo<int, Baz<float> >::bar(int, char const*)`.
fn collapse(name: &str) -> String {
    let mut short = String::new();
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        let operator = [
            "operator()",
            "operator<<",
            "operator>>",
            "operator<",
            "operator>",
            "operator->",
        ];
        if let Some(found) = operator
            .iter()
            .find(|operator| rest.starts_with(**operator))
        {
            short.push_str(found);
            rest = &rest[found.len()..];
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        short.push(letter);
        let closing = match letter {
            '<' => '>',
            '(' => ')',
            _ => continue,
        };
        let end = outermost(rest, |letter| letter == closing).unwrap_or(rest.len());
        if end > 0 {
            short.push('…');
        }
        rest = &rest[end..];
    }
    short
}

/// `absl::Call<…>(…)` of `xla::XlaOp absl::Call<…>(…)`; only templates carry their return type.
fn without_return_type(name: &str) -> &str {
    let arguments = name.rfind('(').unwrap_or(name.len());
    match name[..arguments].rfind(' ') {
        Some(space) if !name[..space].ends_with("operator") => &name[space + 1..],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_function_loses_its_arguments_first() {
        let cases = [
            (
                "tensorflow::QuantizedMatMulOp<Eigen::QUInt8, Eigen::QInt32>::Compute(tensorflow::OpKernelContext*)",
                "tensorflow::QuantizedMatMulOp<…>::Compute(…)",
            ),
            (
                "std::_Function_handler<void (long, long), ShardedGatherOp::Compute(tensorflow::OpKernelContext*)::{lambda(long, long)#1}>::_M_invoke(std::_Any_data const&, long&&, long&&)",
                "ShardedGatherOp::Compute(…)::{lambda(…)#1}",
            ),
            (
                "tsl::StatusOr<xla::XlaOp> absl::functional_internal::InvokeObject<xla::F, xla::XlaOp>(absl::VoidPtr)",
                "absl::functional_internal::InvokeObject<…>(…)",
            ),
            (
                "tensorflow::(anonymous namespace)::SliceHelper<Eigen::ThreadPoolDevice, float>::InputSlice(tensorflow::Tensor const&, int) const",
                "tensorflow::SliceHelper<…>::InputSlice(…)",
            ),
            (
                "tensorflow::functor::FusedBatchNorm<Eigen::ThreadPoolDevice, float>::operator()(tensorflow::OpKernelContext*, bool)",
                "tensorflow::functor::FusedBatchNorm<…>::operator()(…)",
            ),
        ];
        for (name, short) in cases {
            assert_eq!(function_for_people(name, 60), short);
        }
    }

    #[test]
    fn outer_namespaces_go_before_the_name_itself() {
        let name = "tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernel*, tensorflow::OpKernelContext*)";
        assert_eq!(
            function_for_people(name, 38),
            "…::ThreadPoolDevice::Compute(…)"
        );
    }

    #[test]
    fn of_a_progress_bar_the_last_state_is_shown() {
        assert_eq!(last_state("1/9\r\u{1b}[32m2/9\u{1b}[0m\u{1b}[K\r"), "2/9");
    }

    #[test]
    fn a_short_function_is_left_alone() {
        assert_eq!(
            function_for_people("Stats::~Stats()", 60),
            "Stats::~Stats()"
        );
    }

    #[test]
    fn what_does_not_fit_is_taken_from_the_middle() {
        assert_eq!(clip("abcdefghijkl", 8), "abcde…kl");
        assert_eq!(display_width(&clip("界界界界界界", 7)), 7);
        assert_eq!(clip("short", 8), "short");
    }

    #[test]
    fn control_codes_of_a_dead_process_do_not_reach_the_terminal() {
        assert_eq!(
            printable("a\x1b[31mb\tc\u{202e}"),
            "a\u{fffd}[31mb c\u{fffd}"
        );
    }

    #[test]
    fn files_are_shown_from_where_the_user_knows_them() {
        let cases = [
            ("/home/me/job/train.py", "train.py"),
            ("/home/me/jobs/train.py", "/home/me/jobs/train.py"),
            (
                "/home/me/job/venv/lib/python3.11/site-packages/keras/a.py",
                "keras/a.py",
            ),
            (
                "/usr/lib/python3.11/multiprocessing/pool.py",
                "multiprocessing/pool.py",
            ),
            ("<stdin>", "<stdin>"),
        ];
        for (file, shown) in cases {
            assert_eq!(file_for_people(file, Some("/home/me/job")), shown);
        }
    }
}
