"""What is said where a library isn't installed: which, what needs it, and what installs it."""

from __future__ import annotations

import sys
from pathlib import Path

import gymnasium
import pytest

from cribbage_env import Game, open_spiel
from cribbage_env.command_line import imports_of
from cribbage_env.extras import NotInstalledError, needed, require
from tests.envs.processes import CHECKOUT, run_python

WITHOUT = """
import runpy, sys
sys.modules[{library!r}] = None
sys.argv = ["none.py", *{arguments!r}]
try:
    runpy.run_{how}({what!r}, run_name="__main__")
except (ImportError, SystemExit) as error:
    print(type(error).__name__, error)
"""


def outcome(what: str, library: str, *arguments: str) -> str:
    """Return the exception that running a module or a script ends with where a library lacks."""
    how = "path" if what.endswith(".py") else "module"
    place = str(CHECKOUT / what) if how == "path" else what
    return run_python(
        "import sys; sys.stderr = sys.stdout\n"
        + WITHOUT.format(library=library, how=how, what=place, arguments=arguments)
    )


@pytest.mark.parametrize(
    ("module", "library", "message"),
    [
        ("cribbage_env.cribbage_v0", "pettingzoo", "PettingZoo is not installed, .*[pettingzoo]'"),
        ("cribbage_env.sb3", "stable_baselines3", "Stable-Baselines3 is not .*-env[train]'"),
        ("cribbage_env.rllib", "ray", "Ray is not installed, .* pip install 'cribbage-env[ray]'"),
        ("agents.habits", "torch", "PyTorch is not installed, .* pip install '.[train]'"),
        ("examples/rllib_self_play.py", "ray", "Ray is not .* pip install 'cribbage-env[ray]'"),
    ],
)
def test_a_module_that_needs_more_says_what(module: str, library: str, message: str) -> None:
    said = outcome(module, library)
    first, _, last = message.partition(".*")
    assert said.startswith(f"NotInstalledError {first}")
    assert said.endswith(f"{last}\n")


@pytest.mark.parametrize(
    ("script", "library", "package"),
    [
        ("train.py", "tqdm", "tqdm"),
        ("train.py", "torch", "PyTorch"),
        ("evaluate.py", "tqdm", "tqdm"),
        ("evaluate.py", "rich", "rich"),
    ],
)
def test_a_command_that_needs_more_says_so_in_one_line(
    tmp_path: Path, script: str, library: str, package: str
) -> None:
    said = outcome(script, library, "--run-dir", str(tmp_path / "run")).splitlines()
    assert said[0].startswith(f"{script}: {package} is not installed, which ")
    assert said[0].endswith(" needs: pip install '.[train]'")
    assert said[1:] == ["SystemExit 2"]
    assert not list(tmp_path.iterdir())


def test_openspiel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(NotInstalledError, match=r"OpenSpiel is not .* pip install 'open-spiel'"):
        open_spiel.to_state(Game(seed=1))


def test_it_is_an_error_of_imports_and_of_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NotInstalledError) as refusal:
        require("this", "cribbage-env[ray]", "sys", "ray")
    assert isinstance(refusal.value, ModuleNotFoundError)
    assert isinstance(refusal.value, gymnasium.error.DependencyNotInstalled)
    assert refusal.value.name == "ray"


def test_what_a_library_itself_lacks_is_named() -> None:
    with (
        pytest.raises(NotInstalledError, match=r"^half_of_it is not installed, which this needs"),
        needed("this", "cribbage-env[ray]"),
    ):
        raise ModuleNotFoundError("No module named 'half_of_it'", name="half_of_it")


def test_a_library_that_is_there_but_broken_is_told_as_it_is() -> None:
    with pytest.raises(ImportError, match="cannot import"), imports_of("x.py", ".[train]"):
        raise ImportError("cannot import name 'x'")
