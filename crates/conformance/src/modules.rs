//! Go modules whose test data we run: pinned, downloaded by Go into its module cache, never committed.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// A module at a version, with the checksum that `go.sum` files have for it.
pub struct Module {
    path: &'static str,
    version: &'static str,
    sum: &'static str,
}

/// Argo CD: its health scripts and resource actions, with their test data.
pub const ARGO_CD: Module = Module {
    path: "github.com/argoproj/argo-cd/v3",
    version: "v3.5.6",
    sum: "h1:twzdsPiPufKLRtEqD1Jg3FqtuZmSHLTIxs7t6fSkjlk=",
};

/// Argo CD's engine as a library.
pub const GITOPS_ENGINE: Module = Module {
    path: "github.com/argoproj/gitops-engine",
    version: "v0.7.1-0.20250908182407-97ad5b59a627",
    sum: "h1:yntvA+uaFz62HRfWGGwlvs4ErdxoLQjCpDXufdEt2FI=",
};

/// Flux's substitution library, with the tables of its tests.
pub const ENVSUBST: Module = Module {
    path: "github.com/fluxcd/pkg/envsubst",
    version: "v1.8.0",
    sum: "h1:++pY6RUuLDPJAJ9cS7/oD69TCT8BzGF5njz0hkQ3RZY=",
};

/// kustomize as a library, of the version that kustomize 5.8.1 uses.
pub const KUSTOMIZE_API: Module = Module {
    path: "sigs.k8s.io/kustomize/api",
    version: "v0.21.1",
    sum: "h1:lzqbzvz2CSvsjIUZUBNFKtIMsEw7hVLJp0JeSIVmuJs=",
};

/// kustomize's library for YAML, of the same version.
pub const KYAML: Module = Module {
    path: "sigs.k8s.io/kustomize/kyaml",
    version: "v0.21.1",
    sum: "h1:IVlbmhC076nf6foyL6Taw4BkrLuEsXUXNpsE+ScX7fI=",
};

/// Projects with kustomizations of their own.
pub const TREES: &[Module] = &[
    Module {
        path: "github.com/argoproj/argo-rollouts",
        version: "v1.8.3",
        sum: "h1:blbtQva4IK9r6gFh+dWkCrLnFdPOWiv9ubQYu36qeaA=",
    },
    Module {
        path: "github.com/argoproj/argo-workflows/v3",
        version: "v3.7.1",
        sum: "h1:8xynztGc+tUuUq/SB9dHGp5EDI6UkSmuJeQPhHQrbek=",
    },
    Module {
        path: "github.com/cert-manager/cert-manager",
        version: "v1.18.2",
        sum: "h1:H2P75ycGcTMauV3gvpkDqLdS3RSXonWF2S49QGA1PZE=",
    },
    Module {
        path: "github.com/external-secrets/external-secrets",
        version: "v0.19.2",
        sum: "h1:bdOpEt9Pww2e8QGh4apX7M0nehwNOVAQJLd8z6hAXWI=",
    },
    Module {
        path: "github.com/fluxcd/flagger",
        version: "v1.36.1",
        sum: "h1:X2PumtNwZz9YSGaOtZLFm2zAKLgHhFkbNv8beg7ifyc=",
    },
    Module {
        path: "github.com/fluxcd/flux2/v2",
        version: "v2.6.4",
        sum: "h1:RHv3fZclZRMh9Szok4tmN2/aLOOkkKcr7S8//BfF4zg=",
    },
    Module {
        path: "github.com/kedacore/keda/v2",
        version: "v2.17.2",
        sum: "h1:xlrcK5TKABJF9PebK79sgL07s/csGjL3H4m72OkZXxk=",
    },
    Module {
        path: "github.com/kubernetes-sigs/aws-load-balancer-controller",
        version: "v0.0.0-20260423195125-93ff3b5fdaad",
        sum: "h1:sttxR+rS5X6cS1ldieB5JKVucs61EHq8XO7VKySyU5w=",
    },
    Module {
        path: "github.com/prometheus-operator/prometheus-operator",
        version: "v0.85.0",
        sum: "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
    },
    Module {
        path: "github.com/stefanprodan/podinfo",
        version: "v1.8.1-0.20250910200901-e86405a8674e",
        sum: "h1:ikpMMm5HbQT/1DehrPM+Lpwk3WAw/1Hg540eR+jsXus=",
    },
    Module {
        path: "github.com/vmware-tanzu/velero",
        version: "v1.16.2",
        sum: "h1:Zhve1mKtX4n0oVhHwbEOsgB9fjKKwm96HJK4WaV/28o=",
    },
    Module {
        path: "k8s.io/ingress-nginx",
        version: "v0.0.0-20240708192948-52c50467d67d",
        sum: "h1:tZui5g6S4GO1hxLm6yrEoIXLkl4QfeGytlmZqZ+DmdQ=",
    },
    Module {
        path: "sigs.k8s.io/cluster-api",
        version: "v1.11.1",
        sum: "h1:7CyGCTxv1p3Y2kRe1ljTj/w4TcdIdWNj0CTBc4i1aBo=",
    },
    Module {
        path: "sigs.k8s.io/cluster-api-provider-aws/v2",
        version: "v2.13.0",
        sum: "h1:yQz7GBrIkPLuEJ5MXNuZ/6eUssTJK8reUnZ6t5QIPnU=",
    },
    Module {
        path: "sigs.k8s.io/descheduler",
        version: "v0.36.0",
        sum: "h1:fBemfJD1RhmbsdH94lKwGMOwQcbsrw67A5IK2c2fANA=",
    },
    Module {
        path: "sigs.k8s.io/gateway-api",
        version: "v1.3.0",
        sum: "h1:q6okN+/UKDATola4JY7zXzx40WO4VISk7i9DIfOvr9M=",
    },
    Module {
        path: "sigs.k8s.io/metrics-server",
        version: "v0.9.0",
        sum: "h1:nlqqZ2H0Xfko8eJC/1qaNVVT17hu4rxndkOi22KTZ4w=",
    },
];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[derive(Default)]
struct Answer {
    dir: PathBuf,
    sum: String,
    error: String,
}

impl Module {
    /// Its path.
    pub fn name(&self) -> &'static str {
        self.path
    }

    /// The version.
    pub fn version(&self) -> &'static str {
        self.version
    }

    /// Where its files are; downloads them first when needed.
    pub fn folder(&self) -> Result<PathBuf> {
        let module = format!("{}@{}", self.path, self.version);
        let go = towpath_toolbox::on_path("go").context("this run needs Go, to download test data")?;
        let output = Command::new(go)
            .args(["mod", "download", "-json", &module])
            .current_dir(std::env::temp_dir())
            .env("GOWORK", "off")
            .output()
            .context("start go")?;
        let answer: Answer = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        if !answer.error.is_empty() {
            bail!("download {module}: {}", answer.error);
        }
        if answer.sum != self.sum {
            bail!("{module} has the checksum {}, not {}", answer.sum, self.sum);
        }
        Ok(answer.dir)
    }
}
