//! Set-up, tests, checks, demo and benchmarks.
fn main() {}
