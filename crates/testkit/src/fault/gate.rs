//! Stop points as a pure state machine.
//!
//! ```text
//! open --(the n-th write arrives)--> closed: that write is held before or after the server, all later
//!                                            requests before it
//! closed --(the writes under way have been answered)--> settled
//! any --(reset)--> open, of the next epoch; what was held is cut
//! ```

/// Where to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Before the server sees the write with this number (from 1).
    Before(usize),
    /// After the server has carried out the write with this number (from 1).
    After(usize),
}

/// What a request may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Go to the server and back.
    Through,
    /// Go to the server; the answer is held.
    ThroughThenHold,
    /// Not even go to the server.
    Hold,
}

/// The gate that every request passes.
#[derive(Debug, Default)]
pub(super) struct Gate {
    stop: Option<Stop>,
    writes: usize,
    under_way: usize,
    closed: bool,
    epoch: usize,
}

impl Gate {
    /// A request arrives. A write that is let through must be reported with [`Gate::answered`].
    pub(super) fn arrive(&mut self, is_write: bool) -> Pass {
        if self.closed {
            return Pass::Hold;
        }
        if !is_write {
            return Pass::Through;
        }
        self.writes += 1;
        if self.stop == Some(Stop::Before(self.writes)) {
            self.closed = true;
            return Pass::Hold;
        }
        self.under_way += 1;
        if self.stop == Some(Stop::After(self.writes)) {
            self.closed = true;
            return Pass::ThroughThenHold;
        }
        Pass::Through
    }

    /// The server has answered a write, or the attempt failed.
    pub(super) fn answered(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// Sets the stop point.
    pub(super) fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// Whether the stop point was reached and no write is under way any more.
    pub(super) fn settled(&self) -> bool {
        self.closed && self.under_way == 0
    }

    /// Opens the gate, forgets stop point and count.
    pub(super) fn reset(&mut self) {
        *self = Self { under_way: self.under_way, epoch: self.epoch + 1, ..Self::default() };
    }

    /// Changes with every reset.
    pub(super) fn epoch(&self) -> usize {
        self.epoch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopping_before_a_write_holds_it_and_all_that_follows() {
        let mut gate = Gate::default();
        gate.stop(Stop::Before(2));
        assert_eq!(gate.arrive(true), Pass::Through);
        assert_eq!(gate.arrive(false), Pass::Through);
        assert_eq!(gate.arrive(true), Pass::Hold);
        assert!(!gate.settled(), "the first write has not been answered");
        gate.answered();
        assert!(gate.settled());
        assert_eq!(gate.arrive(false), Pass::Hold);
    }

    #[test]
    fn stopping_after_a_write_settles_when_the_server_has_carried_it_out() {
        let mut gate = Gate::default();
        gate.stop(Stop::After(1));
        assert_eq!(gate.arrive(true), Pass::ThroughThenHold);
        assert_eq!(gate.arrive(true), Pass::Hold);
        assert!(!gate.settled());
        gate.answered();
        assert!(gate.settled());
    }

    #[test]
    fn a_reset_opens_the_gate_and_counts_anew() {
        let mut gate = Gate::default();
        gate.stop(Stop::Before(1));
        assert_eq!(gate.arrive(true), Pass::Hold);
        gate.reset();
        assert_eq!(gate.arrive(true), Pass::Through);
        assert_eq!(gate.epoch(), 1);
    }
}
