//! Words for the person who waits, on stderr: stdout belongs to the command that needs the tool.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// One line.
pub(crate) fn say(text: &str) {
    // A closed stderr must not stop a build.
    let _ = writeln!(stderr(), "towpath-tools: {text}");
}

/// A line that changes while something runs: redrawn on a terminal, elsewhere repeated now and then.
pub(crate) struct Meter {
    subject: String,
    start: Instant,
    last: Instant,
    terminal: bool,
}

impl Meter {
    pub(crate) fn start(subject: &str) -> Self {
        say(subject);
        let now = Instant::now();
        Meter { subject: subject.to_owned(), start: now, last: now, terminal: stderr().is_terminal() }
    }

    pub(crate) fn show(&mut self, state: &str) {
        let pause = if self.terminal { Duration::from_millis(200) } else { Duration::from_secs(20) };
        if self.last.elapsed() < pause {
            return;
        }
        self.last = Instant::now();
        let seconds = self.start.elapsed().as_secs();
        let line = format!("{}: {state}, {seconds} s", self.subject);
        if self.terminal {
            let _ = write!(stderr(), "\rtowpath-tools: {line}\x1b[K");
        } else {
            say(&line);
        }
    }

    pub(crate) fn finish(self, state: &str) {
        if self.terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
        say(&format!("{}: {state}, {} s", self.subject, self.start.elapsed().as_secs()));
    }
}
