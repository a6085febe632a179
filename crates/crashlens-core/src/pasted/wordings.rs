//! Single wordings, of which each must lead to the cause that it means.

use serde::Deserialize;

use crate::cause::Cause;
use crate::diagnosis::Confidence;
use crate::fixtures;
use crate::graded::first;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    wording: Vec<Wording>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wording {
    /// Causes of which one must be named first.
    first: Vec<Cause>,
    at_most: Option<Confidence>,
    text: String,
}

impl Wording {
    /// What is wrong with the answer.
    fn fault(&self) -> Option<String> {
        let named = first(&super::read(self.text.as_bytes()).unwrap());
        let is_right = self.first.contains(&named.cause)
            && self.at_most.is_none_or(|most| named.confidence <= most);
        let (cause, confidence) = (named.cause, named.confidence);
        (!is_right).then(|| format!("{cause} ({confidence:?}) for\n{}", self.text))
    }
}

#[test]
fn every_wording_leads_to_the_cause_that_it_means() {
    let path = fixtures::folder().join("wordings.toml");
    let table: Table = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let faults: Vec<String> = table.wording.iter().filter_map(Wording::fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
