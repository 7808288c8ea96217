//! Field sets and field-by-field differences between two objects.
