//! Passes on what Cargo knows of this build, so that a bug report and the import warning can say it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["OPT_LEVEL", "PROFILE", "TARGET"] {
        println!("cargo::rerun-if-env-changed={name}");
        println!("cargo::rustc-env=OCTAVO_{name}={}", env::var(name).unwrap_or_default());
    }
}
