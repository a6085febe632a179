use super::*;
use crate::report::example;

fn log(inspection: Inspection) -> Value {
    let mut bytes = Vec::new();
    write(&Report::of_inspections(vec![inspection]), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn a_path_becomes_a_uri_whatever_it_holds() {
    assert_eq!(
        uri("/home/ada/it's a+b\u{1b}.so"),
        "file:///home/ada/it%27s%20a%2Bb%1B.so"
    );
    assert_eq!(uri("liboops.so"), "liboops.so");
}

#[test]
fn severities_are_levels_and_every_result_has_its_rule_and_a_place() {
    let log = log(example::inspection(3));
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    let levels: Vec<&str> = results
        .iter()
        .filter_map(|it| it["level"].as_str())
        .collect();
    assert_eq!(levels, ["error", "warning", "note"]);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap();
        assert_eq!(rules[index as usize]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(place.as_str().unwrap().starts_with("file:///home/ada/"));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    }
    let notes = &run["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notes.as_array().unwrap().len(), 1);
}

#[test]
fn names_that_were_chosen_to_harm_do_not() {
    let log = log(example::hostile());
    let result = &log["runs"][0]["results"][0];
    let text = result["message"]["text"].as_str().unwrap();
    assert!(!text.contains(char::is_control));
    assert_eq!(
        result["locations"].as_array().unwrap().len(),
        MOST_LOCATIONS
    );
}
