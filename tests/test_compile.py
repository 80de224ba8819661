"""The cache of compiled kernels: an edit anywhere is noticed, and every kind of folder will do."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numba
import pytest

from cribbage_env.engine.compile import KERNEL_FOLDERS, kernel_source_digest
from tests.envs.processes import PACKAGE, run_python

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled, nothing is cached"
)

# One small kernel that calls a kernel of another file: may a king be laid at a count of 21?
PROGRAM = """
import logging, sys, warnings
logging.basicConfig(stream=sys.stdout, format="%(name)s: %(message)s")
import numpy as np
from cribbage_env.engine.flow import is_legal
from cribbage_env.engine.layout import PLAY, STATE
lane = np.zeros(1, STATE)[0]
lane.phase, lane.count, lane.kept[:], lane.held[:] = PLAY, 21, 51, 1
print(is_legal(lane, 15), sum(is_legal.stats.cache_hits.values()))
print(is_legal._cache.cache_path if hasattr(is_legal._cache, "cache_path") else None)
"""
ANNOUNCEMENT = "compiling the engine for this machine"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a copy of the package without anything compiled."""
    copy = tmp_path / "site" / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy.resolve()


def run(package: Path, **environment: str) -> tuple[bool, bool, bool, str]:
    """Return whether it was announced, whether the king may be laid, if cached, and the folder."""
    lines = run_python(PROGRAM, package, NUMBA_DISABLE_JIT="0", **environment).splitlines()
    assert len(lines) <= 3
    is_announced = len(lines) == 3
    if is_announced:
        assert lines[0].startswith("cribbage_env: ")
        assert ANNOUNCEMENT in lines[0]
    legal, hits = lines[-2].split()
    return is_announced, legal == "True", int(hits) > 0, lines[-1]


def edit(source: Path, old: str, new: str) -> None:
    text = source.read_text(encoding="utf-8")
    assert text.count(old) == 1
    source.write_text(text.replace(old, new), encoding="utf-8")


def test_an_edit_of_a_kernel_outside_the_package_is_recompiled(tmp_path: Path) -> None:
    """Such as that of `agents.habits`: no folder of the package tells of it."""
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import mine; print(mine.number())"
    )
    source = tmp_path / "mine.py"
    head = "from cribbage_env.engine.compile import kernel\n\n@kernel\ndef number():\n    "
    for number in ("1", "1", "23"):
        source.write_text(f"{head}return {number}\n", encoding="utf-8")
        assert run_python(program, NUMBA_DISABLE_JIT="0").strip() == number


def test_an_edit_of_another_file_is_recompiled(package: Path) -> None:
    own = str(package / "engine" / "__pycache__")
    assert run(package, NUMBA_CACHE_DIR="") == (True, True, False, own)
    assert run(package, NUMBA_CACHE_DIR="") == (False, True, True, own)
    # A king counts 11 now; the file of the kernel that is called is not touched.
    edit(package / "engine" / "card.py", "min((card >> 2) + 1, 10)", "min((card >> 2) + 1, 11)")
    assert run(package, NUMBA_CACHE_DIR="") == (True, False, False, own)


def test_numbas_own_setting_of_the_folder_is_honoured(package: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    *found, used = run(package, NUMBA_CACHE_DIR=str(folder))
    assert found == [True, True, False]
    assert folder in Path(used).parents
    assert list(folder.rglob("*.nbi"))
    assert not list(package.rglob("*.nbi"))


def test_an_install_that_cannot_be_written_to_uses_the_users_folder(
    package: Path, tmp_path: Path
) -> None:
    block_cache_folders(package)
    home = str(tmp_path / "home")
    *_, used = run(package, HOME=home, XDG_CACHE_HOME=home, NUMBA_CACHE_DIR="")
    assert list(Path(used).glob("*.nbi"))
    assert package not in Path(used).parents


@pytest.mark.skipif(sys.platform == "win32", reason="its user's folder is not in the environment")
def test_where_no_folder_can_be_written_to_kernels_are_compiled_in_the_process(
    package: Path, tmp_path: Path
) -> None:
    block_cache_folders(package)
    file = tmp_path / "file"
    file.touch()
    found = run(package, HOME=str(file), XDG_CACHE_HOME=str(file), NUMBA_CACHE_DIR="")
    assert found == (False, True, False, "None")


def block_cache_folders(package: Path) -> None:
    """Put a file where each cache folder would be: not even an administrator can write there."""
    for folder in {source.parent for source in package.rglob("*.py")}:
        (folder / "__pycache__").touch()


def test_the_digest_covers_every_file_with_a_kernel(package: Path) -> None:
    for source in package.rglob("*.py"):
        if "@kernel" in source.read_text(encoding="utf-8"):
            place = source.relative_to(package)
            assert place.parts[0].removesuffix(".py") in KERNEL_FOLDERS, place


def test_the_digest_changes_with_any_source_and_with_nothing_else(package: Path) -> None:
    digest = kernel_source_digest(package)
    assert digest == kernel_source_digest(PACKAGE)
    (package / "cards.py").write_text("# another\n", encoding="utf-8")
    (package / "engine" / "notes.txt").write_text("a note\n", encoding="utf-8")
    assert kernel_source_digest(package) == digest
    seen = {digest}
    for name in ("engine/play.py", "lanes.py", "bots/random.py"):
        with (package / name).open("a", encoding="utf-8") as file:
            file.write("\n")
        seen.add(kernel_source_digest(package))
    (package / "bots" / "newcomer.py").touch()
    seen.add(kernel_source_digest(package))
    (package / "bots" / "newcomer.py").rename(package / "bots" / "renamed.py")
    seen.add(kernel_source_digest(package))
    assert len(seen) == 6
