//! The result of a differential run.

use std::collections::BTreeMap;
use std::process::ExitCode;

/// How many misses are shown in full.
const SHOWN: usize = 25;

/// What became of one case.
pub enum Verdict {
    /// Both say the same.
    Agreed,
    /// They differ in a way that was declared beforehand; the name of the class.
    Declared(&'static str),
    /// They differ; what each says.
    Missed(String),
}

/// Counts verdicts.
pub struct Score {
    name: &'static str,
    total: usize,
    missed: usize,
    declared: BTreeMap<&'static str, usize>,
}

impl Score {
    pub fn new(name: &'static str) -> Self {
        Self { name, total: 0, missed: 0, declared: BTreeMap::new() }
    }

    /// Counts a case, and shows it if it was missed.
    pub fn add(&mut self, case: &str, verdict: Verdict) {
        self.total += 1;
        match verdict {
            Verdict::Agreed => {}
            Verdict::Declared(class) => *self.declared.entry(class).or_default() += 1,
            Verdict::Missed(difference) => {
                self.missed += 1;
                if self.missed <= SHOWN {
                    println!("MISS {case}\n{difference}\n");
                }
            }
        }
    }

    /// Prints the declared classes and the last line.
    pub fn print(&self) -> ExitCode {
        if self.missed > SHOWN {
            println!("… and {} more misses", self.missed - SHOWN);
        }
        for (class, count) in &self.declared {
            println!("declared: {class}: {count}");
        }
        println!("{} {}/{}", self.name, self.total - self.missed, self.total);
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
