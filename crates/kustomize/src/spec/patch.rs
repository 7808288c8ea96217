//! Patches, images and replicas.

use super::selector::Selector;
use crate::decode::record;

record! {
    /// What a strategic merge patch may change beside content.
    PatchArgs = "PatchArgs" {
        allow_name_change: bool = "allowNameChange",
        allow_kind_change: bool = "allowKindChange",
    }
}

record! {
    /// A patch, in a file or inline.
    Patch = "Patch" {
        path: String = "path",
        inline: String = "patch",
        target: Option<Selector> = "target",
        options: Option<PatchArgs> = "options",
    }
}

record! {
    /// What becomes of an image.
    Image = "Image" {
        name: String = "name",
        new_name: String = "newName",
        tag_suffix: String = "tagSuffix",
        new_tag: String = "newTag",
        digest: String = "digest",
    }
}

record! {
    /// A number of replicas for a workload.
    Replica = "Replica" {
        name: String = "name",
        count: i64 = "count",
    }
}
