//! Absolute paths of the machine that a file was made on: they mean nothing on any other.

use std::path::Path;

/// The first line with one, as a fault.
pub fn find(path: &Path, text: &str) -> Option<String> {
    // Put together here, so that this file does not find itself.
    let folders = ["root", "work", "tmp/lab"].map(|folder| format!("/{folder}/"));
    let is_path = |line: &str, folder: &str| {
        let starts = line.match_indices(folder).map(|(start, _)| start);
        // `a/work/b` and `https://host/work/` are no absolute paths.
        starts.into_iter().any(|start| {
            !line[..start]
                .ends_with(|before: char| before.is_alphanumeric() || "./_-}".contains(before))
        })
    };
    let found = text
        .lines()
        .position(|line| folders.iter().any(|folder| is_path(line, folder)))?;
    Some(format!(
        "{}:{} has an absolute path of one machine",
        path.display(),
        found + 1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_path_is_found_and_a_relative_one_is_not() {
        let folder = "work";
        assert!(find(Path::new("x"), &format!("see /{folder}/x")).is_some());
        assert!(
            find(
                Path::new("x"),
                &format!("see ./{folder}/x and a/{folder}/x")
            )
            .is_none()
        );
    }
}
