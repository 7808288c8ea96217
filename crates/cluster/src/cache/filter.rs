//! Which of all kinds are worth watching.

use towpath_object::Gvk;

/// Rules by group and kind. Exclusion beats inclusion, and where anything is included only that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// What is watched; nothing here means everything.
    pub include: Vec<Rule>,
    /// What is not.
    pub exclude: Vec<Rule>,
}

/// Some groups and kinds, by patterns in which `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Patterns of groups; nothing here means any.
    pub groups: Vec<String>,
    /// Patterns of kinds; nothing here means any.
    pub kinds: Vec<String>,
}

/// Never watched: too many and too short-lived to be anybody's manifests.
const NEVER: [(&str, &str); 4] =
    [("events.k8s.io", "*"), ("metrics.k8s.io", "*"), ("", "Event"), ("coordination.k8s.io", "Lease")];

/// Not watched unless somebody says otherwise: what controllers write in masses.
const NOISE: [(&str, &[&str]); 9] = [
    ("", &["Endpoints"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("authentication.k8s.io", &["*"]),
    ("authorization.k8s.io", &["*"]),
    ("certificates.k8s.io", &["CertificateSigningRequest"]),
    ("cert-manager.io", &["CertificateRequest"]),
    ("cilium.io", &["CiliumIdentity", "CiliumEndpoint", "CiliumEndpointSlice"]),
    (
        "kyverno.io",
        &[
            "AdmissionReport",
            "BackgroundScanReport",
            "ClusterAdmissionReport",
            "ClusterBackgroundScanReport",
            "PolicyReport",
            "ClusterPolicyReport",
            "UpdateRequest",
        ],
    ),
    ("*", &["EphemeralReport", "ClusterEphemeralReport", "PolicyReport", "ClusterPolicyReport"]),
];

impl Default for Filter {
    fn default() -> Self {
        let rule = |(group, kinds): (&str, &[&str])| Rule::new([group], kinds.iter().copied());
        Self { include: Vec::new(), exclude: NOISE.into_iter().map(rule).collect() }
    }
}

impl Filter {
    /// Everything but what never is watched.
    pub fn everything() -> Self {
        Self { include: Vec::new(), exclude: Vec::new() }
    }

    /// Whether the kind is watched.
    pub fn passes(&self, gvk: &Gvk) -> bool {
        let never = NEVER.iter().any(|(group, kind)| matches(group, &gvk.group) && matches(kind, &gvk.kind));
        let excluded = self.exclude.iter().any(|rule| rule.covers(gvk));
        let included = self.include.is_empty() || self.include.iter().any(|rule| rule.covers(gvk));
        !never && !excluded && included
    }
}

impl Rule {
    /// These groups and kinds.
    pub fn new<'a>(
        groups: impl IntoIterator<Item = &'a str>,
        kinds: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let texts = |texts: Vec<&str>| texts.into_iter().map(Into::into).collect();
        Self { groups: texts(groups.into_iter().collect()), kinds: texts(kinds.into_iter().collect()) }
    }

    fn covers(&self, gvk: &Gvk) -> bool {
        let any = |patterns: &[String], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text))
        };
        any(&self.groups, &gvk.group) && any(&self.kinds, &gvk.kind)
    }
}

/// Whether the pattern, in which `*` stands for any text, is the whole of `text`.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let mut rest = rest.split('*').collect::<Vec<_>>();
    let end = rest.pop().unwrap_or_default();
    let Some(mut text) = text.strip_suffix(end) else {
        return false;
    };
    rest.into_iter().all(|part| match text.find(part) {
        Some(at) => {
            text = text.get(at + part.len()..).unwrap_or_default();
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let cases = [
            ("*", "", true),
            ("*.example.com", "shop.example.com", true),
            ("*.example.com", "example.com", false),
            ("a*b*c", "abxbc", true),
            ("a*b", "ab", true),
            ("ab*ba", "aba", false),
            ("Pod", "Pods", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn exclusion_beats_inclusion_and_inclusion_denies_the_rest() {
        let pods = Gvk::new("v1", "Pod");
        let filter =
            Filter { include: vec![Rule::new(["apps"], [])], exclude: vec![Rule::new([], ["ReplicaSet"])] };
        assert!(filter.passes(&Gvk::new("apps/v1", "Deployment")));
        assert!(!filter.passes(&Gvk::new("apps/v1", "ReplicaSet")));
        assert!(!filter.passes(&pods));
        assert!(Filter::default().passes(&pods));
    }

    #[test]
    fn noise_is_left_out_and_events_always_are() {
        for gvk in [
            Gvk::new("v1", "Endpoints"),
            Gvk::new("discovery.k8s.io/v1", "EndpointSlice"),
            Gvk::new("wgpolicyk8s.io/v1alpha2", "PolicyReport"),
            Gvk::new("cert-manager.io/v1", "CertificateRequest"),
        ] {
            assert!(!Filter::default().passes(&gvk) && Filter::everything().passes(&gvk), "{gvk}");
        }
        for gvk in [
            Gvk::new("v1", "Event"),
            Gvk::new("events.k8s.io/v1", "Event"),
            Gvk::new("metrics.k8s.io/v1", "X"),
        ] {
            assert!(!Filter::everything().passes(&gvk), "{gvk}");
        }
    }
}
