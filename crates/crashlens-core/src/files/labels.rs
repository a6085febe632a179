//! Which names are those of labels, and where labels could not be checked.

use std::fmt;

use super::holdings::Unseen;
use super::{Census, Class, Setting};
use crate::capture::Gap;
use crate::inspection::Check;

/// Name of the rule that looks at labels.
const CHECK: &str = "labels-out-of-range";
/// Names that labels have where none was told.
const USUAL_NAMES: [&str; 10] = [
    "label",
    "labels",
    "y",
    "y_train",
    "y_test",
    "y_val",
    "class",
    "target",
    "targets",
    "image/class/label",
];
/// So many names are told where the one that was asked for is not among them.
const NAMES_TOLD: usize = 10;
/// So many files.
const FILES_TOLD: usize = 2;

impl Setting {
    /// Names of features, arrays and columns that hold labels; none where labels are not to be checked.
    pub fn label_names(&self) -> Vec<String> {
        match (self.classes, &self.labels) {
            (None, _) => Vec::new(),
            (Some(_), Some(told)) => vec![told.clone()],
            (Some(_), None) => USUAL_NAMES.map(str::to_owned).to_vec(),
        }
    }
}

/// Labels that were to be checked and could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncheckedLabels {
    /// Which, and in which files; `None` where nothing has the name of labels.
    which: Option<String>,
    reason: String,
    remedy: Option<String>,
}

impl UncheckedLabels {
    fn gap(&self) -> Gap {
        Gap {
            part: match &self.which {
                Some(which) => format!("labels {which}"),
                None => "labels".to_owned(),
            },
            reason: self.reason.clone(),
            remedy: self.remedy.clone(),
        }
    }
}

impl fmt::Display for UncheckedLabels {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.which {
            Some(which) => write!(out, "{which}: {}", self.reason),
            None => out.write_str(&self.reason),
        }
    }
}

/// Where labels were to be checked and could not be.
pub(super) fn unchecked(census: &Census, setting: &Setting) -> Vec<UncheckedLabels> {
    let wanted = setting.label_names();
    if wanted.is_empty() {
        return Vec::new();
    }
    let holdings = census.holdings();
    let is_there = |name: &String| holdings.names().any(|other| other == name);
    if !wanted.iter().any(is_there) {
        return vec![nowhere(census, setting)];
    }
    let unseen = wanted.iter().flat_map(|name| {
        let reasons = holdings.unseen(name);
        reasons.map(move |(reason, files)| UncheckedLabels {
            which: Some(format!("`{name}` in {}", some(files))),
            reason: reason.to_string(),
            remedy: matches!(reason, Unseen::NotRead(_)).then(|| {
                "export them to a TFRecord, NumPy or CSV file, where they are read".to_owned()
            }),
        })
    });
    unseen.collect()
}

/// Whether the values of any label were seen.
pub(super) fn were_seen(census: &Census, setting: &Setting) -> bool {
    let wanted = setting.label_names();
    census
        .ranges()
        .any(|(name, _)| wanted.iter().any(|it| it == name))
}

/// What could not be looked at, as reports have it.
pub(super) fn gaps(unchecked: &[UncheckedLabels]) -> Vec<Gap> {
    unchecked.iter().map(UncheckedLabels::gap).collect()
}

/// Says of the check of labels what it could not look at; where it saw no label at all, that it looked at nothing.
pub(super) fn confess(checks: &mut [Check], gaps: &[Gap], were_seen: bool) {
    let check = checks.iter_mut().find(|check| check.name == CHECK);
    let Some(check) = check.filter(|_| !gaps.is_empty()) else {
        return;
    };
    let blind = gaps
        .iter()
        .map(|gap| format!("{}: {}", gap.part, gap.reason));
    check.blind.extend(blind);
    if !were_seen {
        check.scope.clear();
    }
}

fn nowhere(census: &Census, setting: &Setting) -> UncheckedLabels {
    let mut names = census.holdings().names();
    let told: Vec<String> = names
        .by_ref()
        .take(NAMES_TOLD)
        .map(|name| format!("`{name}`"))
        .collect();
    let there = match (told.as_slice(), names.count()) {
        ([], _) => "there is none of any name".to_owned(),
        (told, 0) => format!("there are {}", told.join(", ")),
        (told, more) => format!("there are {} and {more} more", told.join(", ")),
    };
    let (reason, remedy) = match &setting.labels {
        Some(name) => (
            format!("no file has a feature, array or column `{name}`; {there}"),
            None,
        ),
        None => (
            format!("no feature, array or column has a usual name of labels; {there}"),
            Some("`--labels NAME` says which holds them".to_owned()),
        ),
    };
    UncheckedLabels {
        which: None,
        reason,
        remedy,
    }
}

/// `a.h5, b.h5 and 3 more files`
fn some(class: &Class) -> String {
    let files = class.files.get(..FILES_TOLD).unwrap_or(&class.files);
    match class.count.saturating_sub(files.len() as u64) {
        0 => files.join(", "),
        1 => format!("{} and 1 more file", files.join(", ")),
        more => format!("{} and {more} more files", files.join(", ")),
    }
}
