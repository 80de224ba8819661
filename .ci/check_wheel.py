"""Check that a wheel holds the package `cribbage_env` alone, and all of it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(wheel: str) -> None:
    """Compare the wheel with the files that git knows."""
    packed = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if not name.split("/")[0].endswith(".dist-info")
    }
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", "cribbage_env"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    tracked = set(listed.stdout.split("\0")) - {""}
    if packed != tracked:
        raise SystemExit(
            f"{wheel} lacks {sorted(tracked - packed)} "
            f"and should not hold {sorted(packed - tracked)}"
        )
    print(f"{Path(wheel).name} holds the {len(packed)} files of cribbage_env and nothing else")


if __name__ == "__main__":
    main(*sys.argv[1:])
