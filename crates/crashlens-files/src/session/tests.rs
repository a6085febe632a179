//! Whole scans of small folders.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A folder that is scanned again and again.
struct Place(tempfile::TempDir);

struct Nobody;

impl Progress for Nobody {
    fn found(&self, _size: u64) {}
    fn read(&self, _size: u64) {}
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            fs::write(place.at(name), text).unwrap();
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The files and flaws that a scan hands on, until there are `most`.
    fn scanned(&self, plan: &Plan<'_>, most: usize) -> Vec<String> {
        let paths = [self.0.path().display().to_string()];
        let plan = Plan {
            paths: &paths,
            ..plan.clone()
        };
        let stores = Stores::default();
        let mut seen = Vec::new();
        let session = Session::open(&plan, &stores).unwrap();
        let ended = session.run(&Nobody, |it| {
            let (when, facts) = match it {
                Seen::File(facts) => ("", facts),
                Seen::Later(facts) => ("later ", facts),
                Seen::Unentered(_) => return true,
            };
            let name = facts.path.rsplit('/').next().unwrap_or_default();
            let kinds: Vec<FlawKind> = facts.flaws.iter().map(|flaw| flaw.kind).collect();
            seen.push(format!("{when}{name} {kinds:?}"));
            seen.len() < most
        });
        ended.unwrap();
        seen
    }
}

const TABLE: &str = "x,y\n1,2\n3,4\n";
const OTHER: &str = "x,y\n5,6\n7,8\n";

#[test]
fn a_copy_is_noticed_when_all_files_were_read() {
    let place = Place::with(&[("a.csv", TABLE), ("b.csv", OTHER), ("c.csv", TABLE)]);
    let seen = place.scanned(&Plan::default(), 100);
    assert_eq!(
        seen,
        [
            "a.csv []",
            "b.csv []",
            "c.csv []",
            "later c.csv [Duplicate]"
        ]
    );
}

#[test]
fn a_manifest_shows_what_was_changed_added_and_removed() {
    let place = Place::with(&[("a.csv", TABLE), ("b.csv", OTHER)]);
    let manifest = place.at("manifest");
    let plan = Plan {
        manifest: Some(&manifest),
        written: vec![&manifest],
        ..Plan::default()
    };
    assert_eq!(place.scanned(&plan, 100), ["a.csv []", "b.csv []"]);
    fs::write(place.at("a.csv"), "x,y\n9,9\n9,9\n").unwrap();
    fs::write(place.at("c.csv"), "z\n1\n").unwrap();
    fs::remove_file(place.at("b.csv")).unwrap();
    assert_eq!(
        place.scanned(&plan, 100),
        [
            "a.csv [OffManifest]",
            "c.csv [Unlisted]",
            "later b.csv [Missing]"
        ]
    );
}

#[test]
fn a_scan_that_was_ended_early_goes_on_with_its_manifest() {
    let place = Place::with(&[("a.csv", TABLE), ("b.csv", OTHER)]);
    let manifest = place.at("manifest");
    let plan = Plan {
        manifest: Some(&manifest),
        written: vec![&manifest],
        ..Plan::default()
    };
    assert_eq!(place.scanned(&plan, 1), ["a.csv []"]);
    let lines = |text: String| text.lines().count();
    assert_eq!(lines(fs::read_to_string(&manifest).unwrap()), 1);
    let stores = Stores::default();
    let compares = || Session::open(&plan, &stores).unwrap().compares();
    assert!(
        !compares(),
        "half a manifest says nothing of the other files"
    );
    assert_eq!(place.scanned(&plan, 100), ["a.csv []", "b.csv []"]);
    // Two files and the line that closes it: the first was not written a second time.
    assert_eq!(lines(fs::read_to_string(&manifest).unwrap()), 3);
    assert!(compares());
}

#[test]
fn files_that_the_caller_writes_or_has_moved_away_are_not_scanned() {
    let place = Place::with(&[("a.csv", TABLE), ("report.json", "{}")]);
    fs::create_dir(place.at("bad")).unwrap();
    fs::write(place.at("bad/old.csv"), OTHER).unwrap();
    let (report, bad) = (place.at("report.json"), place.at("bad"));
    let plan = Plan {
        written: vec![&report],
        moved_to: Some(&bad),
        ..Plan::default()
    };
    assert_eq!(place.scanned(&plan, 100), ["a.csv []"]);
}

#[test]
fn a_manifest_that_cannot_be_read_ends_the_scan_before_it_begins() {
    let place = Place::with(&[("manifest", "import os\n")]);
    let manifest = place.at("manifest");
    let plan = Plan {
        manifest: Some(&manifest),
        ..Plan::default()
    };
    let error = Session::open(&plan, &Stores::default()).err().unwrap();
    assert!(matches!(error, ManifestError::Read { .. }), "{error}");
}
