//! How the binary is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    // At a fixed address, as Go's binaries are: 64,000 relocations less at each start, which is more than half
    // of the time that a small command takes. Libraries, stack and heap stay where the system puts them by chance.
    if target("OS") == "linux" && target("ENV") == "gnu" && !target("FEATURE").contains("crt-static") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
