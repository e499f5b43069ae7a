"""Says at import when the engine was built without optimisation."""

import warnings

from octavo._core import BuildInfo


def warn_unless_optimised(build: BuildInfo) -> None:
    """Warn that times measured on this build mean nothing: the engine is some twenty times slower than a release."""
    if not build.optimised:
        warnings.warn(
            f"octavo was built without optimisation (opt-level {build.opt_level}): use `maturin develop --release`",
            RuntimeWarning,
            stacklevel=3,
        )
