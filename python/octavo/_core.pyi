"""The compiled engine. Everything public is re-exported by `octavo`; this stub is checked against the extension."""

from typing import final

# ---- build_info ----

@final
class BuildInfo:
    """What this build of the extension is: for bug reports, benches and the warning at import."""

    @property
    def version(self) -> str:
        """Version of Octavo."""
    @property
    def profile(self) -> str:
        """Cargo's family of the profile: `debug` or `release`."""
    @property
    def opt_level(self) -> str:
        """Cargo's `opt-level`: `0` to `3`, `s` or `z`."""
    @property
    def target(self) -> str:
        """Target triple."""
    @property
    def abi3(self) -> bool:
        """Whether the stable interface of CPython is used."""
    @property
    def optimised(self) -> bool:
        """Whether the code was optimised. Times measured on any other build mean nothing."""

def build_info() -> BuildInfo:
    """Say what this build of the extension is."""
