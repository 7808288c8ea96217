//! Two configs as one.

use std::sync::Arc;

use super::{BackReference, Config, FieldSpec};
use crate::error::{Error, Within};

impl Config {
    /// All tables but the one of name references, in a fixed order.
    pub(super) fn tables(&mut self) -> [&mut Vec<FieldSpec>; 10] {
        [
            &mut self.name_prefix,
            &mut self.name_suffix,
            &mut self.namespace,
            &mut self.common_annotations,
            &mut self.common_labels,
            &mut self.labels,
            &mut self.template_labels,
            &mut self.var_reference,
            &mut self.images,
            &mut self.replicas,
        ]
    }

    /// This config with another one merged into it. Nothing is copied where one of them adds nothing.
    pub fn merged(self: &Arc<Self>, other: &Arc<Self>) -> Result<Arc<Self>, Error> {
        if Arc::ptr_eq(self, other) || **other == Self::default() {
            return Ok(Arc::clone(self));
        }
        // The built-in tables come out of a merge as they are. Others may not: a field of any object gives way to
        // the same field of a certain kind that is sorted before it.
        if **self == Self::default() && Arc::ptr_eq(other, Self::built_in()) {
            return Ok(Arc::clone(other));
        }
        let names = [
            "NamePrefix",
            "NameSuffix",
            "NameSpace",
            "CommonAnnotations",
            "CommonLabels",
            "Labels",
            "TemplateLabels",
            "VarReference",
            "Images",
            "Replicas",
        ];
        let (mut merged, mut more) = (Self::clone(self), Self::clone(other));
        for ((name, to), from) in names.into_iter().zip(merged.tables()).zip(more.tables()) {
            merge_specs(to, std::mem::take(from)).within(|| format!("failed to merge {name} fieldSpec"))?;
        }
        for reference in more.name_reference {
            merged.add_reference(reference).within(|| "failed to merge NameReference fieldSpec")?;
        }
        merged.sort();
        Ok(Arc::new(merged))
    }

    /// Adds a field that holds names.
    pub(super) fn add_reference(&mut self, more: BackReference) -> Result<(), Error> {
        let same: Vec<_> = self.name_reference.iter_mut().filter(|one| one.gvk == more.gvk).collect();
        if same.is_empty() {
            self.name_reference.push(more);
            return Ok(());
        }
        same.into_iter().try_for_each(|one| merge_specs(&mut one.referrers, more.referrers.clone()))
    }
}

/// Adds fields that are not there yet.
pub fn merge_specs(specs: &mut Vec<FieldSpec>, more: Vec<FieldSpec>) -> Result<(), Error> {
    more.into_iter().try_for_each(|one| merge_spec(specs, one))
}

/// Adds a field that is not there yet.
pub fn merge_spec(specs: &mut Vec<FieldSpec>, more: FieldSpec) -> Result<(), Error> {
    let same = specs.iter().find(|one| one.path == more.path && one.gvk().is_selected_by(more.gvk()));
    match same {
        Some(one) if one.create != more.create => Err(Error::invalid("conflicting fieldspecs")),
        Some(_) => Ok(()),
        None => {
            specs.push(more);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_with_oneself_or_nothing_shares() {
        let built_in = Config::built_in();
        let empty = Arc::new(Config::default());
        assert!(Arc::ptr_eq(&built_in.merged(built_in).unwrap(), built_in));
        assert!(Arc::ptr_eq(&built_in.merged(&empty).unwrap(), built_in));
        assert!(Arc::ptr_eq(&empty.merged(built_in).unwrap(), built_in));
        let copy = Arc::new(Config::clone(built_in));
        assert_eq!(*built_in.merged(&copy).unwrap(), **built_in);
        assert_eq!(*empty.merged(&copy).unwrap(), **built_in);
    }

    #[test]
    fn fields_with_different_create_conflict() {
        let mut specs = vec![FieldSpec::anywhere("a/b", true)];
        merge_spec(&mut specs, FieldSpec::anywhere("a/b", true)).unwrap();
        assert_eq!(specs.len(), 1);
        assert!(merge_spec(&mut specs, FieldSpec::anywhere("a/b", false)).is_err());
    }
}
