//! Time as a seam: the system's clock, and one that tests can move.
