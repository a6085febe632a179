//! Python at a terminal: its prompt, debuggers, questions and progress bars.

use super::super::case::Step::{Press, See, Type};
use super::super::case::{CASE, Case, Need, Varies};

const DEBUGGED: &str = "\
def double(x):
    return 2 * x
total = double(21)
print('total', total)
";

const BREAKPOINT: &str = "\
total = 42
breakpoint()
print('after', total)
";

const TEST: &str = "\
def test_total():
    total = 42
    breakpoint()
    assert total == 42
";

const QUESTIONS: &str = "\
import readline
first = input('first? ')
second = input('second? ')
print('got', first, second)
";

const TQDM: &str = "\
from tqdm import tqdm
with tqdm(total=10, bar_format='{l_bar}{bar}| {n_fmt}/{total_fmt}', mininterval=0) as bar:
    bar.update(5)
    input()
    bar.update(5)
";

const KERAS: &str = "\
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
bar = tf.keras.utils.Progbar(4, interval=0)
bar.update(2)
input()
bar.update(4)
print('after')
";

const TRACEBACK: &str = "\
def fail():
    return [][1]
try:
    fail()
finally:
    input('press Enter ')
";

pub const CASES: &[Case] = &[
    Case {
        name: "python3",
        shows: "the interactive interpreter: answers, a traceback followed by a prompt, history, exit status",
        needs: &[Need::Packages],
        command: "run python3",
        steps: &[
            See(">>> "),
            Type("6 * 7\r"),
            See("42"),
            Type("1/0\r"),
            See("ZeroDivisionError: division by zero\n>>> "),
            Press("Up"),
            See("ZeroDivisionError: division by zero\n>>> 1/0"),
            Press("C-c"),
            See("KeyboardInterrupt"),
            Type("exit(3)\r"),
        ],
        ends: "2:3> ",
        ..CASE
    },
    Case {
        name: "traceback",
        shows: "a program that asks, and then ends with a traceback",
        needs: &[Need::Packages],
        files: &[("fail.py", TRACEBACK)],
        command: "run python3 fail.py",
        steps: &[See("press Enter"), Press("Enter"), See("IndexError")],
        ends: "2:1> ",
        ..CASE
    },
    Case {
        name: "ipython",
        shows: "the prompt of IPython with colors, an answer and a traceback",
        needs: &[Need::Packages],
        command: "run ipython --no-banner",
        steps: &[
            See("In [1]: "),
            Type("6 * 7\r"),
            See("In [2]: "),
            Type("1/0\r"),
            See("In [3]: "),
            Type("exit\r"),
        ],
        ..CASE
    },
    Case {
        name: "pdb",
        shows: "`python -m pdb`: step, print, continue, quit",
        needs: &[Need::Packages],
        files: &[("debugged.py", DEBUGGED)],
        command: "run python3 -m pdb debugged.py",
        steps: &[
            See("(Pdb) "),
            Type("b 2\r"),
            See("Breakpoint 1"),
            Type("c\r"),
            See("return 2 * x"),
            Type("p x + 1000\r"),
            See("1021"),
            Type("c\r"),
            See("total 42"),
            See("restarted"),
            Type("q\r"),
        ],
        ..CASE
    },
    Case {
        name: "breakpoint()",
        shows: "`breakpoint()` in a program: print a variable and continue",
        needs: &[Need::Packages],
        files: &[("stops.py", BREAKPOINT)],
        command: "run python3 stops.py",
        steps: &[
            See("(Pdb) "),
            Type("p total + 1000\r"),
            See("1042"),
            Type("c\r"),
            See("after 42"),
        ],
        ..CASE
    },
    Case {
        name: "breakpoint() in pytest",
        shows: "`breakpoint()` in a test under `pytest -s`; durations are not compared",
        needs: &[Need::Packages],
        files: &[("test_it.py", TEST)],
        command: "run pytest -s -q -p no:cacheprovider test_it.py",
        steps: &[
            See("(Pdb) "),
            Type("p total + 1000\r"),
            See("1042"),
            Type("c\r"),
            See("1 passed"),
        ],
        varies: Varies::Numbers,
        ..CASE
    },
    Case {
        name: "input()",
        shows: "`input()` with the history of readline: arrow up brings back the first answer",
        needs: &[Need::Packages],
        files: &[("asks.py", QUESTIONS)],
        command: "run python3 asks.py",
        steps: &[
            See("first? "),
            Type("hello\r"),
            See("second? "),
            Press("Up"),
            See("second? hello"),
            Type("!\r"),
            See("got hello hello!"),
        ],
        ..CASE
    },
    Case {
        name: "tqdm",
        shows: "the progress bar of tqdm, which writes to standard error, at half and at its end",
        needs: &[Need::Packages],
        files: &[("bar.py", TQDM)],
        command: "run python3 bar.py",
        steps: &[See("5/10"), Press("Enter"), See("10/10")],
        ..CASE
    },
    Case {
        name: "Keras progress bar",
        shows: "the progress bar of Keras, at half and at its end; durations are not compared",
        needs: &[Need::TensorFlow],
        files: &[("bar.py", KERAS)],
        command: "run tensorflow-python bar.py",
        steps: &[See("2/4"), Press("Enter"), See("\nafter")],
        varies: Varies::Numbers,
        ..CASE
    },
];
