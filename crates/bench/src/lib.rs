//! Benchmarks of Towpath beside its peers and the physical limit.
