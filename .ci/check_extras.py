"""Check that no extra but `ray` changes the versions of what the core needs.

pip is asked what it would install for the wheel alone and with each extra; nothing is installed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from email.parser import Parser


def main(wheel: str, constraints: str) -> None:
    """Compare what would come with each extra to what would come without.

    The constraints must not pin what the core needs, or there would be nothing to find.
    """
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (path for path in archive.namelist() if path.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    core = resolve(wheel, constraints)
    for extra in metadata.get_all("Provides-Extra", []):
        if extra == "ray":
            continue
        found = resolve(f"{wheel}[{extra}]", constraints)
        changed = {name: found.get(name) for name in core if found.get(name) != core[name]}
        if changed:
            raise SystemExit(f"the extra {extra} changes {core} to {changed}")
        print(
            f"{extra}: {len(found) - len(core)} packages more, the core's {len(core)} as they are"
        )


def resolve(requirement: str, constraints: str) -> dict[str, str]:
    """Return the name and version of each package that pip would install."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    done = subprocess.run(
        [*command, "--report", "-", "-c", constraints, requirement],
        check=True,
        capture_output=True,
        text=True,
    )
    packages = [package["metadata"] for package in json.loads(done.stdout)["install"]]
    return {re.sub(r"[-_.]+", "-", one["name"]).lower(): one["version"] for one in packages}


if __name__ == "__main__":
    main(*sys.argv[1:])
