//! Packages and their versions, as tools list them and people write them.

use std::sync::LazyLock;

use regex::Regex;

use crate::capture::Package;
use crate::embedded;

/// Packages that are kept.
const MOST: usize = 2048;

/// Names after which a version may follow without more; what else is listed needs the form of a list.
const WELL_KNOWN: &str = concat!(
    r"(?:tensorflow|tf)(?:[-_](?:cpu|gpu|intel|macos|metal|text|io|addons|nightly(?:[-_](?:cpu|gpu))?|probability|hub|datasets|estimator|serving-api|io-gcs-filesystem|cloud))*",
    r"|keras(?:-nightly|-cv|-tuner)?|tf[-_]keras|numpy|scipy|pandas|torch(?:vision|audio)?|pytorch|jax|jaxlib|flax|protobuf|pyarrow",
    r"|grpcio|h5py|opencv[-_]python(?:[-_]headless)?|onnx(?:runtime(?:[-_]gpu)?)?|horovod|mxnet(?:[-_]cu\d+)?|paddlepaddle(?:[-_]gpu)?",
    r"|scikit[-_]learn|numba|llvmlite|xgboost|lightgbm|ray|joblib|pillow|matplotlib|gensim|faiss(?:[-_](?:cpu|gpu))?|nvidia-[a-z0-9-]+",
    r"|pybind11|cython|tensorrt|mkl|openblas|intel-openmp|ml[-_]dtypes|tensorboard|transformers|ortools|tvm|dlib",
);

const VERSION: &str = r"v?(\d+(?:\.\d+)+(?:[-.]?(?:a|b|rc|dev|post)\.?\d*)*(?:\+[\w.]+)?)";

/// `numpy==1.19.5` alone on a line.
static FROZEN: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^\s*([A-Za-z0-9][\w.-]*)==([0-9][\w.!+-]*)\s*(?:;.*)?$"));
/// `numpy    1.19.5` or, with a build and a channel behind it, conda's list.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^\s*([A-Za-z][\w.-]*)\s{2,}(\d+(?:\.\w+)+(?:\+\w+)?)(?:\s{2,}\S+(?:\s+\S+)?)?\s*$",
    )
});
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(&format!(
        r"(?i)^\s*[-*•]?\s*({WELL_KNOWN})\s*(?:version)?\s*[:=]?\s*{VERSION}\s*$"
    ))
});
/// `TensorFlow version (use command below): v2.4.0-rc4-71-g582c8d236cb 2.4.0`
static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(&format!(
        r"(?i)^(?:\d+[.)])?\W*({WELL_KNOWN})\W*version\b[^:]*:\W*(?:v\S+-g[0-9a-f]+\s+|unknown\s+|[a-z]+[- ])?{VERSION}"
    ))
});
/// `Name: numpy`, `Version: 1.19.5` of `pip show`.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^Name: ([A-Za-z0-9][\w.-]*)\s*$"));
static BARE_VERSION: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(&format!(
        r#"^(?:Version: |v\S+-g[0-9a-f]+ )?['"]?{VERSION}['"]?\s*$"#
    ))
});
/// A heading of a form to fill in, whose answer stands below.
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(&format!(r"(?i)^#+\s*({WELL_KNOWN}) version\s*$")));
/// `- TensorFlow installed from (source or binary): tensorflow-gpu==1.12.0`
static ANSWERED: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(&format!(
        r"(?i)^\s*(?:[-*]|\d+[.)]).*: ?({WELL_KNOWN})=={VERSION}"
    ))
});
/// What was asked: `pip show numpy`, `print(tf.__version__)`.
static ASKED: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"pip3? show ([A-Za-z0-9][\w.-]*)|\b([a-z_][\w]*)\.(?:__version__|version\.VERSION|VERSION)",
    )
});
static INSTALLED: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"([A-Za-z][\w.-]*?)-(\d+(?:\.\w+)+)(?:\s|$)"));

/// Whether a name is one that TensorFlow itself is installed under.
pub(in crate::pasted) fn is_tensorflow(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    matches!(
        name.as_str(),
        "tensorflow"
            | "tensorflow-cpu"
            | "tensorflow-gpu"
            | "tensorflow-intel"
            | "tensorflow-macos"
            | "tf-nightly"
            | "tf-nightly-cpu"
            | "tf-nightly-gpu"
    )
}

/// The packages that the lines name with a version; of each the first.
pub(super) fn of(lines: &[String]) -> Vec<Package> {
    let mut found: Vec<Package> = Vec::new();
    let mut asked: Option<String> = None;
    for line in lines {
        let mut add = |name: &str, version: &str| add(&mut found, name, version);
        if let Some(name) = asked.take() {
            if let Some(version) = BARE_VERSION.captures(line).and_then(|groups| groups.get(1)) {
                add(&name, version.as_str());
                continue;
            }
            // Messages of an import may come between the question and the answer.
            asked = Some(name);
        }
        if let Some(name) = question(line) {
            asked = Some(name);
        } else if let Some(list) = line.trim_start().strip_prefix("Successfully installed ") {
            for groups in INSTALLED.captures_iter(list) {
                pair(&groups, &mut add);
            }
        } else {
            listed(line, &mut add);
        }
    }
    found
}

/// The package whose version the next bare number is.
fn question(line: &str) -> Option<String> {
    if !line.contains("ersion")
        && !line.contains("VERSION")
        && !line.contains(" show ")
        && !line.starts_with("Name: ")
    {
        return None;
    }
    if let Some(name) = NAME.captures(line).and_then(|groups| groups.get(1)) {
        return Some(name.as_str().to_owned());
    }
    if let Some(name) = HEADING.captures(line).and_then(|groups| groups.get(1)) {
        return Some(name.as_str().to_owned());
    }
    let groups = ASKED.captures(line)?;
    let name = groups.get(1).or_else(|| groups.get(2))?.as_str();
    Some(
        match name {
            "tf" | "tensorflow" => "tensorflow",
            "np" => "numpy",
            "pd" => "pandas",
            "sys" | "version" | "platform" => return None,
            other => other,
        }
        .to_owned(),
    )
}

/// A line of a list: of pip, of conda, of a form to fill in, or of a person.
fn listed(line: &str, add: &mut impl FnMut(&str, &str)) {
    if line.len() > 400 || !line.contains('.') {
        return;
    }
    let answered = || {
        ANSWERED
            .captures(line)
            .filter(|_| !line.contains(" install "))
    };
    let entry = FROZEN
        .captures(line)
        .or_else(|| TEMPLATE.captures(line))
        .or_else(|| LISTED.captures(line))
        .or_else(answered);
    if let Some(groups) = entry {
        return pair(&groups, add);
    }
    // A list in one line is one only if its first entry is.
    let mut entries = line.split([',', ';']).map(|entry| SPOKEN.captures(entry));
    if let Some(Some(first)) = entries.next() {
        pair(&first, add);
        entries.flatten().for_each(|groups| pair(&groups, add));
    }
}

fn pair(groups: &regex::Captures<'_>, add: &mut impl FnMut(&str, &str)) {
    if let (Some(name), Some(version)) = (groups.get(1), groups.get(2)) {
        add(name.as_str(), version.as_str());
    }
}

fn add(found: &mut Vec<Package>, name: &str, version: &str) {
    let normal = |name: &str| name.to_ascii_lowercase().replace(['_', '.'], "-");
    let name = match normal(name).as_str() {
        "tf" => "tensorflow".to_owned(),
        "pytorch" => "torch".to_owned(),
        _ => normal(name),
    };
    let is_new = found.iter().all(|known| known.name != name);
    if is_new && found.len() < MOST {
        let version = version.trim_start_matches('v').to_owned();
        found.push(Package { name, version });
    }
}
