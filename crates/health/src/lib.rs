//! An object to its health: kstatus' built-in rules.
