//! The `hdf5-reader` crate reads the same sound files and must agree about every dataset.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crashlens_core::files::{Contents, FileFacts};
use crashlens_files::{Options, Purpose, fuzzing};
use hdf5_reader::Hdf5File;
use hdf5_reader::group::Group;

/// Datasets by path: shape, and the least and greatest value where they are floats of 32 bits.
type Datasets = BTreeMap<String, (Vec<u64>, Option<(f64, f64)>)>;

/// Files that the crate does not open or read, with its reason.
const UNREAD: [(&str, &str); 1] = [(
    "committed.h5",
    "its attributes share a type that has a name of its own",
)];

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut files = vec![folder.join("keras/keras2.h5")];
    let entries = std::fs::read_dir(folder.join("hdf5")).expect("the folder of fixtures");
    files.extend(entries.map(|entry| entry.expect("a fixture").path()));
    files.retain(|file| file.extension().is_some_and(|it| it == "h5"));
    files.sort();
    files
}

fn ours(name: &str, bytes: &[u8]) -> Datasets {
    let options = Options {
        purpose: Purpose::Data,
        full: true,
        ..Options::default()
    };
    let facts: FileFacts = fuzzing::examine_bytes(name, bytes, &options);
    assert_eq!(facts.flaws, [], "{name}");
    match facts.contents {
        Contents::Arrays(arrays) => arrays
            .into_iter()
            .map(|it| {
                let range = it.range.filter(|_| it.dtype == "float32");
                (
                    it.name,
                    (it.shape, range.map(|range| (range.least, range.greatest))),
                )
            })
            .collect(),
        Contents::Model(model) => model
            .tensors
            .into_iter()
            .map(|it| (it.name, (it.shape, None)))
            .collect(),
        other => panic!("{name}: {other:?}"),
    }
}

fn collect(group: &Group, path: &str, datasets: &mut Datasets) -> hdf5_reader::error::Result<()> {
    let (groups, members) = group.member_names()?;
    for name in members {
        let dataset = group.dataset(&name)?;
        let floats = dataset.read_array::<f32>().ok();
        let range = floats.filter(|it| !it.is_empty()).map(|values| {
            let values = values
                .iter()
                .copied()
                .filter(|it| it.is_finite())
                .map(f64::from);
            values.fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(least, greatest), it| (least.min(it), greatest.max(it)),
            )
        });
        datasets.insert(format!("{path}{name}"), (dataset.shape().to_vec(), range));
    }
    for name in groups {
        collect(&group.group(&name)?, &format!("{path}{name}/"), datasets)?;
    }
    Ok(())
}

fn theirs(bytes: &[u8]) -> hdf5_reader::error::Result<Datasets> {
    let mut datasets = Datasets::new();
    collect(
        &Hdf5File::from_bytes(bytes)?.root_group()?,
        "",
        &mut datasets,
    )?;
    Ok(datasets)
}

#[test]
fn another_reader_finds_the_same_datasets_shapes_and_values() {
    let mut differences = Vec::new();
    for file in fixtures() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&file).unwrap();
        let unread = UNREAD.iter().any(|(unread, _)| *unread == name);
        match theirs(&bytes) {
            Ok(theirs) if !unread => {
                let mut ours = ours(&name, &bytes);
                // Values of weights are not kept by name.
                for (path, (_, range)) in &mut ours {
                    if range.is_none() {
                        *range = theirs.get(path).and_then(|it| it.1);
                    }
                }
                if ours != theirs {
                    differences.push(format!("{name}\n  ours   {ours:?}\n  theirs {theirs:?}"));
                }
            }
            Ok(_) => differences.push(format!("{name} is read by the crate now")),
            Err(_) if unread => {}
            Err(error) => differences.push(format!("{name}: the crate says: {error}")),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
