//! The two streams to a person or a program: stdout is the result, stderr is everything else.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::{Global, Output};

/// Colours have one meaning each, and the text says the same without them.
pub mod style {
    use super::{AnsiColor, Style};

    /// New or well.
    pub const GOOD: Style = AnsiColor::Green.on_default();
    /// Changing or on its way.
    pub const CHANGE: Style = AnsiColor::Yellow.on_default();
    /// Going or broken.
    pub const BAD: Style = AnsiColor::Red.on_default();
    /// Less important.
    pub const DIM: Style = Style::new().dimmed();
    /// Headings.
    pub const HEAD: Style = Style::new().bold();
    /// Advice.
    pub const HINT: Style = AnsiColor::Cyan.on_default();
}

/// The terminal or pipe we write to.
pub struct Screen {
    out: AutoStream<std::io::Stdout>,
    err: Mutex<AutoStream<std::io::Stderr>>,
    progress: ProgressBar,
    pub output: Option<Output>,
    /// Somebody is there to answer a question.
    pub can_ask: bool,
    /// Progress is redrawn in place; otherwise each step is a line.
    pub live: bool,
}

impl Screen {
    pub fn new(global: &Global) -> Self {
        let choice = if global.no_color { ColorChoice::Never } else { ColorChoice::Auto };
        let live = std::io::stderr().is_terminal();
        let can_ask = live && std::io::stdin().is_terminal();
        Self {
            out: AutoStream::new(std::io::stdout(), choice),
            err: Mutex::new(AutoStream::new(std::io::stderr(), choice)),
            progress: ProgressBar::hidden(),
            output: global.output,
            can_ask,
            live,
        }
    }

    /// A part of the result. If the reader has gone away the work goes on.
    pub fn print(&mut self, text: &str) {
        // In one piece: a stream that looks for colours writes each of them and each text between them by itself.
        let mut whole = AutoStream::new(Vec::new(), self.out.current_choice());
        let _ = whole.write_all(text.as_bytes());
        let out = self.out.as_inner();
        let _ = out.lock().write_all(&whole.into_inner()).and_then(|()| out.lock().flush());
    }

    /// The result as it is: a rendered document has no colours, and may be large.
    pub fn raw(&mut self, text: &str) {
        let out = self.out.as_inner();
        let _ = out.lock().write_all(text.as_bytes()).and_then(|()| out.lock().flush());
    }

    /// A line beside the result.
    pub fn note(&self, line: &str) {
        self.progress.suspend(|| {
            if let Ok(mut err) = self.err.lock() {
                let _ = writeln!(err, "{line}");
            }
        });
    }

    /// What went wrong.
    pub fn error(&self, message: &str) {
        self.note(&format!("{bad}error:{bad:#} {message}", bad = style::BAD.bold()));
    }

    /// What the person may do about it.
    pub fn hint(&self, message: &str) {
        self.note(&format!("{hint}hint:{hint:#} {message}", hint = style::HINT));
    }

    /// What the person should know.
    pub fn warning(&self, message: &str) {
        self.note(&format!("{warn}warning:{warn:#} {message}", warn = style::CHANGE.bold()));
    }

    /// Begins a count of steps, shown live on a terminal.
    pub fn begin(&mut self, steps: usize, what: &str) {
        if self.live {
            self.progress = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {prefix} {pos}/{len} {wide_msg}");
            self.progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.progress.set_prefix(what.to_string());
            self.progress.enable_steady_tick(std::time::Duration::from_millis(120));
        }
    }

    /// One step further.
    pub fn step(&self, what: &str) {
        self.progress.set_message(what.to_string());
        self.progress.inc(1);
    }

    /// What is going on, without a step.
    pub fn now(&self, what: &str) {
        self.progress.set_message(what.to_string());
    }

    /// Ends the count.
    pub fn end(&mut self) {
        self.progress.finish_and_clear();
        self.progress = ProgressBar::hidden();
    }

    /// Asks a question; only an explicit yes is one.
    pub fn ask(&self, question: &str) -> bool {
        if let Ok(mut err) = self.err.lock() {
            let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        }
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer).is_ok();
        read && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
    }

    /// The last words after Ctrl-C.
    pub fn interrupted(&mut self) {
        self.end();
        self.note("interrupted; what was done is recorded, run it again to go on");
    }
}
