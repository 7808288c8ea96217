//! Which objects and fields are meant.

use crate::decode::record;

record! {
    /// Group, version and kind; empty means any.
    Gvk = "Gvk" {
        group: String = "group",
        version: String = "version",
        kind: String = "kind",
    }
}

record! {
    /// An object by kind, name and namespace.
    ResId = "ResId" {
        name: String = "name",
        namespace: String = "namespace",
        @ gvk: Gvk = "Gvk",
    }
}

record! {
    /// Objects by regular expressions and by label and annotation selectors.
    Selector = "Selector" {
        annotations: String = "annotationSelector",
        labels: String = "labelSelector",
        @ id: ResId = "ResId",
    }
}

record! {
    /// A path in objects of a kind.
    FieldSpecArgs = "FieldSpec" {
        path: String = "path",
        create: bool = "create",
        @ gvk: Gvk = "Gvk",
    }
}
