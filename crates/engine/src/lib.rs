//! Runs a plan on a cluster, observes and reports.
