//! Finds, builds or downloads the real tools that tests and benchmarks run beside us.
