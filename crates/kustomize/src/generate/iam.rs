//! A ServiceAccount that stands for one of Google's.

use crate::decode::record;
use crate::error::Error;
use crate::loader::Loader;
use crate::resource::Resource;

record! {
    /// The account in Kubernetes.
    KubernetesService = "KubernetesService" {
        name: String = "name",
        namespace: String = "namespace",
    }
}

record! {
    /// The account at Google.
    ServiceAccount = "ServiceAccount" {
        name: String = "name",
        project_id: String = "projectId",
    }
}

record! {
    /// Both.
    IamPolicy = "IAMPolicyGeneratorArgs" {
        cloud: String = "cloud",
        kubernetes_service: KubernetesService = "kubernetesService",
        service_account: ServiceAccount = "serviceAccount",
    }
}

impl IamPolicy {
    /// The account in Kubernetes, with the other one's name on it.
    pub fn objects(&self, loader: &Loader<'_>) -> Result<Vec<Resource>, Error> {
        if self.cloud != "gke" {
            return Err(Error::invalid(format!("cloud provider {} not supported yet", self.cloud)));
        }
        let (account, service) = (&self.service_account, &self.kubernetes_service);
        let mut text = format!(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    \
             iam.gke.io/gcp-service-account: {}@{}.iam.gserviceaccount.com\n  name: {}\n",
            account.name, account.project_id, service.name
        );
        if !service.namespace.is_empty() {
            text.push_str("  namespace: ");
            text.push_str(&service.namespace);
        }
        loader.objects(text.as_bytes())
    }
}
