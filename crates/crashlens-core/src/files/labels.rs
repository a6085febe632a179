//! Which names are those of labels, and where labels could not be checked.

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

/// Where labels were to be checked and could not be.
pub(super) fn gaps(census: &Census, setting: &Setting) -> Vec<Gap> {
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
        reasons.map(move |(reason, files)| Gap {
            part: format!("labels `{name}` in {}", some(files)),
            reason: reason.to_owned(),
            remedy: reason.ends_with("are not read").then(|| {
                "export them to a TFRecord, NumPy or CSV file, where they are read".to_owned()
            }),
        })
    });
    unseen.collect()
}

/// Says of the check of labels what it could not look at; where it saw no label at all, that it looked at nothing.
pub(super) fn confess(checks: &mut [Check], gaps: &[Gap], census: &Census, setting: &Setting) {
    let check = checks.iter_mut().find(|check| check.name == CHECK);
    let Some(check) = check.filter(|_| !gaps.is_empty()) else {
        return;
    };
    let blind = gaps
        .iter()
        .map(|gap| format!("{}: {}", gap.part, gap.reason));
    check.blind.extend(blind);
    let wanted = setting.label_names();
    if !census
        .ranges()
        .any(|(name, _)| wanted.iter().any(|it| it == name))
    {
        check.scope.clear();
    }
}

fn nowhere(census: &Census, setting: &Setting) -> Gap {
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
    match &setting.labels {
        Some(name) => Gap {
            part: "labels".to_owned(),
            reason: format!("no file has a feature, array or column `{name}`; {there}"),
            remedy: None,
        },
        None => Gap {
            part: "labels".to_owned(),
            reason: format!("no feature, array or column has a usual name of labels; {there}"),
            remedy: Some("`--labels NAME` says which holds them".to_owned()),
        },
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
