"""The two files of versions agree."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def pins(name: str) -> dict[str, set[str]]:
    """Return the lines of a file by the name of the package."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            found.setdefault(line.split("==")[0], set()).add(line)
    return found


def test_what_needs_ray_has_the_versions_of_the_rest() -> None:
    ours, rays = pins("constraints.txt"), pins("constraints-ray.txt")
    assert {"numba", "numpy", "pytest", "torch"} <= ours.keys() & rays.keys()
    different = {name for name in ours.keys() & rays.keys() if ours[name] != rays[name]}
    # Ray pins Gymnasium; six and pytz come with its pandas for Python 3.10.
    assert different == {"gymnasium"}
