//! Builds on a disk and in memory, as callers see them.

mod budget;
mod builds;
mod hostile;

#[test]
fn no_test_file_is_forgotten() {
    let this = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || this.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
