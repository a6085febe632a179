use super::*;

#[test]
fn the_folder_of_captures_follows_the_xdg_standard() {
    let folder = |state: &str, home: &str| state_folder(Some(state.into()), Some(home.into()));
    assert_eq!(
        folder("/state", "/home/me"),
        Some("/state/crashlens".into())
    );
    assert_eq!(
        folder("relative", "/home/me"),
        Some("/home/me/.local/state/crashlens".into())
    );
    assert_eq!(folder("", ""), None);
}

#[test]
fn further_captures_under_a_chosen_name_get_a_number() {
    let path = Path::new("/tmp/death.crashlens");
    assert_eq!(numbered(path, 1), path);
    assert_eq!(numbered(path, 3), Path::new("/tmp/death.crashlens.3"));
}

#[test]
fn captures_under_a_chosen_name_are_found_by_their_numbers_the_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (age, name) in ["death.2", "death", "death.10", "death.old", "death2"]
        .into_iter()
        .enumerate()
    {
        let file = File::create(path(name)).unwrap();
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 - age as u64);
        file.set_modified(time).unwrap();
    }
    let expected = ["death.2", "death", "death.10"].map(path);
    assert_eq!(newest_first(Some(&path("death"))), expected);
}

#[test]
fn a_file_is_replaced_in_one_step_and_through_its_link() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("report"), folder.path().join("link"));
    std::fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_atomically(&link, &mut |out| out.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
