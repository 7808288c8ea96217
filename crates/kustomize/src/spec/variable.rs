//! Variables.

use super::selector::Gvk;
use crate::decode::record;

record! {
    /// The object that a variable takes its value from.
    Target = "Target" {
        api_version: String = "apiVersion",
        name: String = "name",
        namespace: String = "namespace",
        @ gvk: Gvk = "Gvk",
    }
}

record! {
    /// The field that a variable takes its value from.
    FieldSelector = "FieldSelector" {
        field_path: String = "fieldPath",
    }
}

record! {
    /// A variable.
    Var = "Var" {
        name: String = "name",
        objref: Target = "objref",
        fieldref: FieldSelector = "fieldref",
    }
}

impl Var {
    /// The variable with what it leaves out filled in.
    pub fn with_defaults(mut self) -> Self {
        if self.fieldref.field_path.is_empty() {
            "metadata.name".clone_into(&mut self.fieldref.field_path);
        }
        let api_version = self.objref.api_version.clone();
        match api_version.split('/').collect::<Vec<_>>().as_slice() {
            [version] if !version.is_empty() => (*version).clone_into(&mut self.objref.gvk.version),
            [group, version] => {
                (*group).clone_into(&mut self.objref.gvk.group);
                (*version).clone_into(&mut self.objref.gvk.version);
            }
            _ => {}
        }
        self
    }
}
