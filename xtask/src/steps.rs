//! Steps in a row: each says its name when it starts, the first that fails ends the row, and a table of times
//! comes last.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

/// A step: its name and what it does.
pub struct Step {
    name: &'static str,
    work: Box<dyn FnOnce() -> Result<()>>,
}

/// A step with this name.
pub fn step(name: &'static str, work: impl FnOnce() -> Result<()> + 'static) -> Step {
    Step { name, work: Box::new(work) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Ok(Duration),
    Failed(Duration),
    NotRun,
}

/// Runs the steps; the error names the step that failed and why.
pub fn run(steps: Vec<Step>) -> Result<()> {
    let mut rows = Vec::new();
    let mut failure = None;
    for step in steps {
        if failure.is_some() {
            rows.push((step.name, Outcome::NotRun));
            continue;
        }
        println!("\n=== {} ===", step.name);
        let start = Instant::now();
        let result = (step.work)();
        let time = start.elapsed();
        match result {
            Ok(()) => rows.push((step.name, Outcome::Ok(time))),
            Err(error) => {
                rows.push((step.name, Outcome::Failed(time)));
                failure = Some(anyhow!("step {} failed: {error:#}", step.name));
            }
        }
    }
    println!("\n{}", table(&rows));
    failure.map_or(Ok(()), Err)
}

fn table(rows: &[(&str, Outcome)]) -> String {
    let mut total = Duration::ZERO;
    let mut lines = Vec::new();
    for (name, outcome) in rows {
        let (word, time) = match outcome {
            Outcome::Ok(time) => ("ok", Some(*time)),
            Outcome::Failed(time) => ("FAILED", Some(*time)),
            Outcome::NotRun => ("not run", None),
        };
        total += time.unwrap_or_default();
        let time = time.map(seconds).unwrap_or_default();
        lines.push(format!("  {name:<14} {time:>9}  {word}"));
    }
    lines.push(format!("  {:<14} {:>9}", "total", seconds(total)));
    lines.join("\n")
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_times_and_what_was_not_run() {
        let rows = [
            ("fmt", Outcome::Ok(Duration::from_millis(1500))),
            ("clippy", Outcome::Failed(Duration::from_secs(20))),
            ("tests", Outcome::NotRun),
        ];
        let expected = "  fmt                1.5 s  ok\n  clippy            20.0 s  FAILED\n  \
                        tests                     not run\n  total             21.5 s";
        assert_eq!(table(&rows), expected);
    }

    #[test]
    fn the_first_red_step_ends_the_row() {
        let rest = step("never", || anyhow::bail!("this step must not run"));
        let error = run(vec![step("a", || Ok(())), step("b", || anyhow::bail!("no")), rest]).unwrap_err();
        assert_eq!(error.to_string(), "step b failed: no");
    }
}
