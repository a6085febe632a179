//! Places where secrets are found, each through the function that keeps such texts, and in several ways of writing.

use serde_json::json;

use crate::pasted;
use crate::secrets::{
    HiddenBy, hidden_by_name, mask_code, mask_command, mask_hidden, mask_line, mask_lines,
    mask_value, visible_variables,
};

use super::kinds::{Form, Kind};

pub(super) struct Place {
    pub(super) name: &'static str,
    /// What is kept of a secret that is written there in each of the ways; none if such secrets are never there.
    pub(super) kept: fn(&Kind, &str) -> Vec<String>,
}

pub(super) static PLACES: &[Place] = &[
    Place {
        name: "argument",
        kept: argument,
    },
    Place {
        name: "environment variable",
        kept: variable,
    },
    Place {
        name: "standard error",
        kept: stderr,
    },
    Place {
        name: "standard error with colors",
        kept: colored,
    },
    Place {
        name: "Python source line",
        kept: source_line,
    },
    Place {
        name: "local variable",
        kept: local,
    },
    Place {
        name: "exception text",
        kept: exception,
    },
    Place {
        name: "path",
        kept: path,
    },
    Place {
        name: "URL",
        kept: url,
    },
    Place {
        name: "JSON text",
        kept: json_text,
    },
    Place {
        name: "header line",
        kept: header,
    },
    Place {
        name: "pasted log",
        kept: pasted_log,
    },
    Place {
        name: "quoted and escaped",
        kept: escaped,
    },
];

/// The secret as people write it into a line.
fn written(kind: &Kind, secret: &str) -> String {
    match kind.form {
        Form::Shape => secret.to_owned(),
        Form::Named(name) => format!("{name}={secret}"),
        Form::Phrase(before, after) => format!("{before}{secret}{after}"),
    }
}

fn line(text: &str) -> String {
    mask_lines(&[text.to_owned()]).join("\n")
}

fn argument(kind: &Kind, secret: &str) -> Vec<String> {
    let written = written(kind, secret);
    let commands: Vec<Vec<&str>> = match kind.form {
        Form::Shape => vec![
            vec!["python", "train.py", "--run", secret],
            vec!["python", "-c", &written],
        ],
        Form::Named(name) => {
            let flag = format!("--{name}");
            let joined = format!("--{name}={secret}");
            let commands = [
                vec!["python", "train.py", &flag, secret],
                vec!["python", "train.py", &joined],
                vec!["env", &written, "python"],
            ];
            return commands.into_iter().map(command).collect();
        }
        Form::Phrase(..) => vec![vec!["sh", "-c", &written], written.split(' ').collect()],
    };
    commands
        .into_iter()
        // A header or a line of a file is one argument.
        .take(if written.contains(": ") || written.contains("machine") {
            1
        } else {
            2
        })
        .map(command)
        .collect()
}

fn command(words: Vec<&str>) -> String {
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    mask_command(&words).join("\n")
}

fn variable(kind: &Kind, secret: &str) -> Vec<String> {
    let written = written(kind, secret);
    let mut variables = vec![("PYTHON_RUN".to_owned(), written)];
    if let Form::Named(name) = kind.form {
        variables.push((format!("TF_{name}"), secret.to_owned()));
    }
    variables
        .iter()
        .map(|(name, value)| format!("{:?}", visible_variables([(name.as_str(), value.as_str())])))
        .collect()
}

fn stderr(kind: &Kind, secret: &str) -> Vec<String> {
    let written = written(kind, secret);
    vec![
        line(&written),
        line(&format!(
            "2026-01-01 00:00:00.000: E cannot log in: {written}"
        )),
        line(&format!("[worker 3] {written}")),
    ]
}

fn colored(kind: &Kind, secret: &str) -> Vec<String> {
    let all = written(kind, secret);
    let apart = match kind.form {
        Form::Shape => format!("\x1b[31mE\x1b[0m using \x1b[1;32m{secret}\x1b[0m"),
        Form::Named(name) => format!("\x1b[36m{name}\x1b[0m=\x1b[32m{secret}\x1b[0m"),
        Form::Phrase(before, after) => format!("{before}\x1b[1m{secret}\x1b[22m{after}"),
    };
    vec![
        line(&format!("\x1b[31m{all}\x1b[0m")),
        line(&apart),
        line(&format!("\x1b[38;5;196m\x1b[K{all}\x1b[m")),
        mask_value(&format!("[31m{all}[0m")).into_owned(),
    ]
}

fn source_line(kind: &Kind, secret: &str) -> Vec<String> {
    let lines = match kind.form {
        Form::Shape => vec![
            format!("client = Client(\"{secret}\", timeout=3)"),
            format!("x = b'{secret}'  # test"),
        ],
        Form::Named(name) => {
            let name = name.replace('-', "_");
            vec![
                format!("{name} = \"{secret}\""),
                format!("login(user, {name}='{secret}')"),
                format!("self._{name}: str = '{secret}'"),
                format!("os.environ['{name}'] = \"{secret}\""),
            ]
        }
        Form::Phrase(..) => vec![format!("run(\"{}\")", written(kind, secret))],
    };
    lines
        .iter()
        .map(|text| mask_line(text).into_owned())
        .collect()
}

fn local(kind: &Kind, secret: &str) -> Vec<String> {
    let value = |name: &str, text: &str| match hidden_by_name(name) {
        HiddenBy::Nothing => mask_value(text).into_owned(),
        HiddenBy::Codes => mask_code(text).into_owned(),
        HiddenBy::Texts | HiddenBy::Everything => mask_hidden(text).into_owned(),
    };
    let written = written(kind, secret);
    let mut kept = vec![value("x", &written)];
    if let Form::Named(name) = kind.form {
        kept.push(value(&name.replace('-', "_"), secret));
    }
    kept
}

fn exception(kind: &Kind, secret: &str) -> Vec<String> {
    let written = written(kind, secret);
    vec![
        line(&format!("ValueError: cannot use {written}")),
        line(&format!("RuntimeError: request failed ({written})")),
    ]
}

fn path(kind: &Kind, secret: &str) -> Vec<String> {
    // A name of a folder has no slashes and no spaces.
    if matches!(kind.form, Form::Phrase(..)) || secret.contains(['/', ' ']) {
        return Vec::new();
    }
    let written = written(kind, secret);
    vec![
        line(&format!("/mnt/cache/{written}/data.tfrecord")),
        line(&format!("No such file: '/home/me/run_{written}'")),
        line(&format!("File \"/srv/{written}/a.py\", line 3, in f")),
    ]
}

fn url(kind: &Kind, secret: &str) -> Vec<String> {
    // The way in which such a secret comes into a URL.
    let coded = secret
        .replace('#', "%23")
        .replace('+', "%2B")
        .replace(' ', "%20");
    let urls = match kind.form {
        Form::Shape => vec![
            format!("https://{coded}@example.com/a"),
            format!("https://example.com/a?x={coded}&y=1"),
            format!("https://me:{coded}@example.com/a"),
        ],
        Form::Named(name) => vec![
            format!("https://example.com/a?{name}={coded}&y=1"),
            format!("https://example.com/a?y=1&{name}={coded}"),
        ],
        Form::Phrase(before, _) if before.contains("://") => {
            vec![
                written(kind, secret),
                format!("GET {} 401", written(kind, secret)),
            ]
        }
        Form::Phrase(..) => return Vec::new(),
    };
    urls.iter().map(|url| line(url)).collect()
}

fn json_text(kind: &Kind, secret: &str) -> Vec<String> {
    let value = match kind.form {
        Form::Named(name) => json!({"user": "me", name: secret, "port": 1}),
        _ => json!({"user": "me", "x": written(kind, secret), "port": 1}),
    };
    vec![
        line(&value.to_string()),
        mask_value(&serde_json::to_string_pretty(&value).unwrap()).into_owned(),
    ]
}

fn header(kind: &Kind, secret: &str) -> Vec<String> {
    let text = match kind.form {
        Form::Shape => format!("X-Custom: {secret}"),
        Form::Named(name) => format!("{name}: {secret}"),
        Form::Phrase(..) => written(kind, secret),
    };
    vec![line(&text), line(&format!("> {text}\\r\\n"))]
}

fn pasted_log(kind: &Kind, secret: &str) -> Vec<String> {
    let text = format!(
        "INFO start\n{}\nFatal Python error: Segmentation fault\nSegmentation fault (core dumped)\n",
        written(kind, secret)
    );
    let capture = pasted::read(text.as_bytes()).unwrap();
    vec![serde_json::to_string(&capture).unwrap()]
}

fn escaped(kind: &Kind, secret: &str) -> Vec<String> {
    let value = match kind.form {
        Form::Named(name) => json!({ name: secret }),
        _ => json!({"x": written(kind, secret)}),
    };
    let once = json!(value.to_string()).to_string();
    let written = written(kind, secret);
    vec![
        line(&json!({"body": value.to_string()}).to_string()),
        line(&json!(once).to_string()),
        line(&format!("b'\\n{written}\\n'")),
        line(&format!("'\\x1b[31m{written}\\x1b[0m'")),
    ]
}
