"""What pytest doesn't look for examples in where it is."""

from __future__ import annotations

from importlib.util import find_spec

# It needs Ray, which lives in an environment of its own; `.ci/run` runs its examples there.
collect_ignore = [] if find_spec("ray") else ["agents/rllib", "cribbage_env/rllib.py"]
