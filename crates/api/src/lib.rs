//! The words Towpath shares with a cluster: labels, annotations, conditions, reasons.
