//! Differential runs against the real tools.
