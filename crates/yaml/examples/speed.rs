//! How fast files are read and written: `cargo run --release -p towpath-yaml --example speed -- FILE...`
#![expect(clippy::print_stdout, reason = "a measurement for people at a terminal")]

use std::time::{Duration, Instant};

use towpath_yaml::{Dialect, Limits, documents, read, write_to};

/// Runs a job for a second or so; megabytes per second.
fn rate(bytes: usize, mut job: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut runs = 0_u32;
    while start.elapsed() < Duration::from_secs(1) {
        job();
        runs += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let total = bytes as f64 * f64::from(runs);
    total / start.elapsed().as_secs_f64() / 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limits = Limits::default();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let nodes = read(&bytes, Dialect::V3, &limits)?;
        let mut text = String::new();
        for node in &nodes {
            write_to(node, &mut text)?;
        }
        let read_rate = rate(bytes.len(), || {
            let _ = std::hint::black_box(read(&bytes, Dialect::V3, &limits));
        });
        let documents_rate = rate(bytes.len(), || {
            let _ = std::hint::black_box(documents(&bytes, &limits));
        });
        let write_rate = rate(text.len(), || {
            let mut text = String::new();
            for node in &nodes {
                let _ = write_to(node, &mut text);
            }
            std::hint::black_box(text);
        });
        println!(
            "{path}: {} bytes, read {read_rate:.0} MB/s, documents {documents_rate:.0} MB/s, write {write_rate:.0} MB/s",
            bytes.len()
        );
    }
    Ok(())
}
