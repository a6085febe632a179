//! `cargo lab enabled`: programs with TensorFlow loaded, alone and watched by `crashlens.enable()`.
//!
//! What needs nothing but Python is tested in `crates/crashlens/tests/cli/traced/enabled/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use crate::{corpus, side_by_side, workspace};

#[derive(clap::Args)]
pub struct Options {
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    crashlens: Option<PathBuf>,
    /// Use this interpreter, which has TensorFlow and debugpy, instead of making an environment
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
}

/// A program, which calls `enable()` where it likes, and what a report says if there is one.
struct Case {
    name: &'static str,
    program: &'static str,
    reported: Option<&'static str>,
}

const ALONE: &str = "def enable(): pass\n";
const WATCHED: &str = "import crashlens\ndef enable(): assert crashlens.enable(save=False)\n";

const CASES: [Case; 7] = [
    Case {
        name: "training",
        program: r"
import numpy as np
import tensorflow as tf
tf.keras.utils.set_random_seed(7)
tf.config.experimental.enable_op_determinism()
model = tf.keras.Sequential([tf.keras.layers.Dense(32, activation='relu'), tf.keras.layers.Dense(1)])
model.compile('adam', 'mse')
inputs = np.random.rand(512, 8).astype('float32')
model.fit(inputs, inputs.sum(1), epochs=1, verbose=0)
enable()
print(model.fit(inputs, inputs.sum(1), epochs=2, verbose=0).history['loss'])
",
        reported: None,
    },
    Case {
        name: "input pipeline",
        program: r"
import tensorflow as tf
enable()
numbers = tf.data.Dataset.from_generator(lambda: range(1000), output_signature=tf.TensorSpec((), tf.int64))
numbers = numbers.map(lambda number: number * 2, num_parallel_calls=8).batch(10).prefetch(4)
print(sum(int(tf.reduce_sum(batch)) for batch in numbers))
",
        reported: None,
    },
    Case {
        name: "exception",
        program: r"
import tensorflow as tf
enable()
tf.matmul(tf.zeros((2, 3)), tf.zeros((2, 3)))
",
        reported: None,
    },
    Case {
        name: "workers",
        program: r"
import concurrent.futures, os
import tensorflow as tf
tf.zeros(3)
enable()
child = os.fork()
if child == 0: os._exit(3)
print(os.waitpid(child, 0)[1])
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(list(pool.map(lambda number: float(tf.reduce_sum(tf.ones(number))), range(20))))
",
        reported: None,
    },
    Case {
        name: "crash of a worker",
        program: r"
import os
import tensorflow as tf
tf.zeros(3)
enable()
child = os.fork()
if child == 0: os.abort()
print(os.waitpid(child, 0)[1])
",
        reported: Some("a child process of"),
    },
    Case {
        name: "crash in a thread of TensorFlow",
        program: r"
import ctypes
import tensorflow as tf
enable()
dataset = tf.data.Dataset.range(3).map(lambda it: tf.py_function(lambda _: ctypes.string_at(0), [it], tf.string))
list(dataset)
",
        reported: Some("`string_at` was called by ctypes"),
    },
    Case {
        name: "debugger of Python",
        program: r"
import debugpy
enable()
debugpy.listen(('127.0.0.1', 0))
print('listening', flush=True)
import ctypes; ctypes.string_at(0)
",
        reported: Some("`string_at` was called by ctypes"),
    },
];

pub fn run(options: &Options) -> Result<()> {
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    let python = match &options.python {
        Some(path) => std::path::absolute(path)?,
        None => corpus::default_environment()?,
    };
    let mut failures = 0;
    side_by_side::in_order(
        &CASES,
        |case| {
            let outputs =
                [ALONE, WATCHED].map(|prelude| output(&python, &crashlens, prelude, case));
            let [alone, watched] = outputs;
            Ok(difference(case, &alone?, &watched?))
        },
        |case, difference| {
            println!(
                "{:<34}{}",
                case.name,
                difference.as_deref().unwrap_or("alike")
            );
            failures += usize::from(difference.is_some());
            Ok(())
        },
    )?;
    ensure!(failures == 0, "{failures} programs are not alike");
    Ok(())
}

fn output(python: &Path, crashlens: &Path, prelude: &str, case: &Case) -> Result<Output> {
    let place = tempfile::tempdir()?;
    Command::new(python)
        .args(["-c", &format!("{prelude}{}", case.program)])
        .env("PYTHONPATH", workspace::root().join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CRASHLENS_BINARY", std::path::absolute(crashlens)?)
        .env("TF_CPP_MIN_LOG_LEVEL", "2")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", case.name))
}

/// What is not as it should be.
fn difference(case: &Case, alone: &Output, watched: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&watched.stderr);
    let is_reported = said.contains(") died of ");
    let is_alike = watched.status == alone.status && watched.stdout == alone.stdout;
    let is_right = match case.reported {
        Some(words) => is_reported && said.contains(words),
        None => !is_reported && !said.contains("crashlens: "),
    };
    (!is_alike || !is_right).then(|| format!("{alone:?} alone, {watched:?} watched"))
}
