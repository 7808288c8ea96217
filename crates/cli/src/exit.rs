//! Exit codes: stable, documented in `docs/design/verbs.md`.

use std::process::ExitCode;

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success; also when there was nothing to change.
    Success,
    /// It failed on the cluster.
    Failed,
    /// There are changes, or changes were made; only with `--exit-code`.
    Changes,
    /// The arguments or manifests are wrong; nothing was sent.
    BadInput,
    /// The cluster cannot be reached or refuses us.
    ClosedDoor,
    /// Time was up before everything was ready.
    TimedOut,
    /// Ctrl-C, or the answer "no".
    Interrupted,
}

impl Exit {
    /// The number for the shell.
    pub fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Changes => 2,
            Self::BadInput => 3,
            Self::ClosedDoor => 4,
            Self::TimedOut => 5,
            Self::Interrupted => 130,
        }
    }

    /// For `main`.
    pub fn code(self) -> ExitCode {
        ExitCode::from(self.number())
    }
}
