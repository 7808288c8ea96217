//! The binary `towpath`.
fn main() {}
