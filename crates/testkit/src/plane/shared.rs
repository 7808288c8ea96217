//! One control plane for all tests of a test binary.

use tokio::sync::OnceCell;

use super::ControlPlane;

/// The control plane (controllers, no nodes, no audit log) that the tests of this process share, each in namespaces
/// of its own. The first call starts it. Statics are never dropped: the guards end it with the process.
pub async fn shared() -> anyhow::Result<&'static ControlPlane> {
    static SHARED: OnceCell<ControlPlane> = OnceCell::const_new();
    SHARED.get_or_try_init(|| ControlPlane::builder().start()).await
}
