//! What this build of the extension is.

use pyo3::prelude::*;

/// What this build of the extension is: for bug reports, benches and the warning at import.
#[pyclass(frozen, get_all, module = "octavo._core")]
pub(crate) struct BuildInfo {
    /// Octavo's version.
    version: &'static str,
    /// Cargo's family of the profile: `debug` or `release`.
    profile: &'static str,
    /// Cargo's `opt-level`: `0` to `3`, `s` or `z`.
    opt_level: &'static str,
    /// The platform that it was compiled for, as Rust names it.
    target: &'static str,
    /// Whether the stable interface of `CPython` is used, so that one wheel serves every later version.
    abi3: bool,
}

impl BuildInfo {
    const THIS: Self = Self {
        version: env!("CARGO_PKG_VERSION"),
        profile: env!("OCTAVO_PROFILE"),
        opt_level: env!("OCTAVO_OPT_LEVEL"),
        target: env!("OCTAVO_TARGET"),
        abi3: cfg!(feature = "abi3"),
    };
}

#[pymethods]
impl BuildInfo {
    /// Whether the code was optimised. Times measured on any other build mean nothing.
    #[getter]
    fn optimised(&self) -> bool {
        self.opt_level != "0"
    }

    fn __repr__(&self) -> String {
        format!(
            "BuildInfo(version={:?}, profile={:?}, opt_level={:?}, target={:?}, abi3={})",
            self.version,
            self.profile,
            self.opt_level,
            self.target,
            if self.abi3 { "True" } else { "False" },
        )
    }
}

/// Says what this build of the extension is.
#[pyfunction]
pub(crate) fn build_info() -> BuildInfo {
    BuildInfo::THIS
}
