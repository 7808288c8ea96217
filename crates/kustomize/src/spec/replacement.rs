//! Values that are copied from one object to others.

use super::selector::{ResId, Selector};
use crate::decode::record;

record! {
    /// How a value is cut out or put in.
    FieldOptions = "FieldOptions" {
        delimiter: String = "delimiter",
        index: isize = "index",
        encoding: String = "encoding",
        create: bool = "create",
    }
}

record! {
    /// Where a value comes from.
    SourceSelector = "SourceSelector" {
        field_path: String = "fieldPath",
        options: Option<FieldOptions> = "options",
        @ id: ResId = "ResId",
    }
}

record! {
    /// Where a value goes.
    TargetSelector = "TargetSelector" {
        select: Option<Selector> = "select",
        reject: Vec<Option<Selector>> = "reject",
        field_paths: Vec<String> = "fieldPaths",
        options: Option<FieldOptions> = "options",
    }
}

record! {
    /// One value and its targets.
    Replacement = "Replacement" {
        source: Option<SourceSelector> = "source",
        targets: Option<Vec<TargetSelector>> = "targets",
        source_value: Option<String> = "sourceValue",
    }
}

record! {
    /// A replacement, in a file or inline.
    ReplacementField = "ReplacementField" {
        path: String = "path",
        @ replacement: Replacement = "Replacement",
    }
}
