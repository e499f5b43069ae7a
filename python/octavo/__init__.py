"""Assembles the context of LLM agents: exact, valid for the provider, stable for the prompt cache."""

from octavo import _build
from octavo._core import BuildInfo, build_info

__all__ = ["BuildInfo", "__version__", "build_info"]

__version__: str = build_info().version
"""Version of Octavo, the same as of the engine."""

_build.warn_unless_optimised(build_info())
