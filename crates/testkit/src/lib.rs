//! A real control plane, registry, Git servers, faults and a clock for tests.
