"""The tests tested: does any of them fail when the code is changed in one place?

``python -m tests.mutants`` changes `scoring.py` and the kernels in memory, one small change at a
time (a mutant), and runs tests of the changed module, uncompiled, until one fails (`mutated` says
which). The changes are Cosmic Ray's (``pip install cosmic-ray==8.7.0``), and a few that it lacks:
a statement left out, ``+=`` turned round, ``min`` and ``max`` swapped.

A mutant that no test kills must stand in `golden/equivalent_mutants.tsv` with the reason why it
changes nothing. The exit status is 0 when all others are killed, else 1. No file is changed.

Cosmic Ray's own runner starts Python anew for each mutant, which takes far longer than the tests.
Here each is a fork of one process that has imported all that stays the same (so it needs Unix).
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import importlib.abc
import importlib.util
import inspect
import os
import re
import resource
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import product
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tests.mutated import TESTS

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "golden" / "equivalent_mutants.tsv"
PATIENCE = 4
"""A mutant that takes so many times as long as the module itself, by the processor's time, and two
seconds more, counts as killed: it is in a loop without an end."""
LONGEST = 60
"""Seconds that the tests of a module may take where nothing is changed."""


@dataclass(frozen=True)
class Mutant:
    """A module changed in one place."""

    path: str
    function: str
    operator: str
    line: int
    before: str
    after: str
    code: str
    place: int = 1
    """Which of the lines it is that read alike in the function."""

    @property
    def module(self) -> str:
        return module_name(self.path)

    @property
    def keys(self) -> set[tuple[str, ...]]:
        """What it may be called in the table of those that change nothing."""
        functions = self.function, f"{self.function} {self.place}"
        return {(self.path, function, self.before, self.after) for function in functions}

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def function_of(node: Any) -> tuple[str, int]:
    """Return the name of the function in whose body a place lies, and its first line."""
    while node.parent is not None:
        if node.type == "suite" and node.parent.type == "funcdef":
            return str(node.parent.name.value), node.parent.start_pos[0]
        node = node.parent
    return "", 1


class LeaveOut:
    """Puts ``pass`` in the place of a statement in a function."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        is_said = node.type == "simple_stmt" and node.children[0].type not in ("string", "pass")
        if is_said and function_of(node)[0]:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, _: int) -> Any:
        from parso.python.tree import Keyword

        first = node.get_first_leaf()
        node.children[0] = Keyword("pass", node.start_pos, first.prefix)
        return node


class Swap:
    """Puts one word or sign in the place of another."""

    def __init__(self, before: str, after: str, kinds: tuple[str, ...]) -> None:
        self.before, self.after, self.kinds = before, after, kinds

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if node.type in self.kinds and node.value == self.before:
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, _: int) -> Any:
        node.value = self.after
        return node


# What Cosmic Ray puts in the place of a sign is all others; here those that lie near.
NEAR = {
    "Add": ("Sub", "Mul", "BitOr"),
    "Sub": ("Add", "Mul"),
    "Mul": ("Add", "FloorDiv"),
    "Div": ("Mul", "FloorDiv"),
    "FloorDiv": ("Mul", "Div"),
    "Mod": ("FloorDiv",),
    "RShift": ("LShift", "BitAnd"),
    "LShift": ("RShift", "Mul"),
    "BitAnd": ("BitOr", "BitXor"),
    "BitOr": ("BitAnd", "BitXor"),
    "BitXor": ("BitAnd", "BitOr"),
}


def is_used(name: str) -> bool:
    """Tell whether a change of Cosmic Ray's is made here."""
    kind, *places = name.removeprefix("core/").split("_")
    if kind == "ReplaceBinaryOperator":
        return places[1] in NEAR.get(places[0], ())
    if kind == "ReplaceComparisonOperator":  # numbers can't be told by `is`
        return "Is" not in places and "IsNot" not in places
    # A decorator makes no difference without compilation.
    return kind not in ("RemoveDecorator", "VariableReplacer", "VariableInserter")


def operators() -> dict[str, Any]:
    """Return all changes by name."""
    from cosmic_ray.plugins import get_operator, operator_names

    used = [name for name in operator_names() if is_used(name)]
    found = {name.removeprefix("core/"): get_operator(name)() for name in used}
    found["LeaveOut"] = LeaveOut()
    for before, after in (("+=", "-="), ("+=", "="), ("-=", "+="), ("|=", "&="), ("|=", "^=")):
        found[f"Swap {before} {after}"] = Swap(before, after, ("operator",))
    for before, after in (("min", "max"), ("max", "min")):
        found[f"Swap {before} {after}"] = Swap(before, after, ("name",))
    return found


def mutants_of(path: str, lines: Container[int]) -> Iterator[Mutant]:
    """Yield every mutant of some lines of a module, each once."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    source = (ROOT / path).read_text(encoding="utf-8")
    seen = {meaning(source)}
    nodes = [*ast_nodes(get_ast(source))]
    for name, operator in operators().items():
        places = [(node, at) for node in nodes for at in operator.mutation_positions(node)]
        for occurrence, (node, ((line, _), _)) in enumerate(places):
            if line not in lines:
                continue
            code = mutate_code(source, operator, occurrence)
            if (means := meaning(code)) not in seen:
                seen.add(means)
                before, after = changed_lines(source, code)
                function, first = function_of(node)
                alike = [text.strip() for text in source.splitlines()[first - 1 : line]]
                place = alike.count(alike[-1])
                yield Mutant(path, function, name, line, before, after, code, place)


def meaning(code: str) -> str:
    """Return a module as Python reads it, without the types, which are never evaluated."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # Python refuses it, and so does the first test
        return code
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """Return the lines that differ, before and after, each as one line."""
    lines = [*difflib.unified_diff(before.splitlines(), after.splitlines(), n=0)][2:]
    gone, come = (
        " ".join(" ".join(line[1:] for line in lines if line.startswith(sign)).split())
        for sign in "-+"
    )
    return gone, come


class Import(importlib.abc.MetaPathFinder):
    """Imports the mutant in the place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name != self.mutant.module:
            return None
        path = str(ROOT / self.mutant.path)
        loader = Loader(name, path)
        loader.source = self.mutant.code
        return importlib.util.spec_from_file_location(name, path, loader=loader)


class Loader(SourceFileLoader):
    source: str

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source, self.path, "exec")


def put_in_place(mutant: Mutant) -> None:
    """Let everybody who imports the module, or has imported one of its functions, have the mutant.

    What is imported already stays, but runs the mutant's code.
    """
    if mutant.module not in sys.modules:
        sys.meta_path.insert(0, Import(mutant))
        return
    module = sys.modules[mutant.module]
    by_name = dict(codes_of(compile(mutant.code, str(module.__file__), "exec")))
    for function in functions_of(module):
        function.__code__ = by_name[function.__qualname__]


def codes_of(code: CodeType, above: str = "") -> Iterator[tuple[str, CodeType]]:
    """Yield the functions of a compiled module or class by name."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield above + inner.co_name, inner
            yield from codes_of(inner, f"{above}{inner.co_name}.")


def functions_of(place: Any) -> Iterator[FunctionType]:
    """Yield the functions that are written in a module or class, as they are without decorators."""
    module = place.__module__ if isinstance(place, type) else place.__name__
    for found in vars(place).values():
        function = inspect.unwrap(found.fget if isinstance(found, property) else found)
        if getattr(function, "__module__", None) != module:
            continue
        if isinstance(function, type):
            yield from functions_of(function)
        elif isinstance(function, FunctionType) and function.__code__.co_filename != "<string>":
            yield function


def cases(name: str) -> Iterator[Callable[[], Any]]:
    """Yield the tests of a module, or one test of it, with each of their parameters."""
    module, _, wanted = name.partition(":")
    for title, test in vars(importlib.import_module(f"tests.{module}")).items():
        if title == wanted or (not wanted and title.startswith("test_")):
            marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
            for some in product(*(parameters(*mark.args) for mark in marks)):
                yield partial(test, **{key: value for part in some for key, value in part.items()})


def parameters(names: Any, values: Any) -> list[dict[str, Any]]:
    """Return the arguments that a mark of pytest asks for."""
    from _pytest.mark import ParameterSet

    keys = names.split(",") if isinstance(names, str) else names
    rows = []
    for row in values:
        if isinstance(row, ParameterSet):
            rows.append(row.values)
        else:
            rows.append(row if len(keys) > 1 else (row,))
    return [dict(zip(keys, row, strict=True)) for row in rows]


def survives(mutant: Mutant, seconds: int) -> bool:
    """Run the tests of its module on a mutant, in a process of its own: did none fail in time?"""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            put_in_place(mutant)
            for name in TESTS[mutant.path]:
                for case in cases(name):
                    case()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def known_equivalent() -> dict[tuple[str, ...], str]:
    """Return the reasons why mutants change nothing, by module, function, and the lines."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(*key,): why for *key, why in rows}


def prepare() -> None:
    """Import all that the tests need but the project, for every mutant's process to share."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.chdir(ROOT)
    warnings.simplefilter("error")
    for name in ("gymnasium", "numba.core.caching", "numpy", "pytest"):
        importlib.import_module(name)
    from hypothesis import HealthCheck, settings

    # A slow machine is no fault of the mutant.
    settings.register_profile("mutants", derandomize=True, suppress_health_check=[*HealthCheck])
    settings.load_profile("mutants")
    loaded = [name for name in sys.modules if name.startswith("cribbage_env")]
    assert not loaded, f"{loaded} would not be mutated"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def chosen(paths: Sequence[str], again: str) -> list[Mutant]:
    """Return the mutants of modules: all, or those that an earlier output calls alive."""
    mutants: list[Mutant] = []
    for path in paths:
        lines = {int(line) for line in re.findall(rf"{path}:(\d+):", again)}
        found = mutants_of(path, lines if again else range(sys.maxsize))
        mutants += [mutant for mutant in found if not again or f" {mutant}\n" in again]
    return mutants


def time_limits(paths: Sequence[str]) -> dict[str, int]:
    """Return how many seconds each module's tests may take; stop if one fails without a change."""
    limits = {}
    for path in paths:
        source = (ROOT / path).read_text(encoding="utf-8")
        before = children_seconds()
        if not survives(Mutant(path, "", "", 0, "", "", source), LONGEST):
            raise SystemExit(f"the tests of {path} fail without a mutant, or take {LONGEST} s")
        limits[path] = 2 + round(PATIENCE * (children_seconds() - before))
    return limits


def children_seconds() -> float:
    """Return the processor's time that all processes of mutants have taken together."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants of the modules asked for, and print what became of them."""
    about, *_ = str(__doc__).split("\n")
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=about)
    parser.add_argument("paths", nargs="*", metavar="MODULE", help=f"of {', '.join(TESTS)}")
    parser.add_argument("--again", type=Path, help="an output: only what it says is alive")
    options = parser.parse_args(arguments)
    paths = options.paths or [*TESTS]
    if unknown := {*paths} - {*TESTS}:
        parser.error(f"{unknown} isn't among {[*TESTS]}")
    again = options.again.read_text(encoding="utf-8") if options.again else ""
    prepare()
    equivalent = known_equivalent()
    mutants = chosen(paths, again)
    say(f"{len(mutants)} mutants")
    fates = {path: Counter[str]() for path in paths}
    # What a module does when it is imported is tried before it is.
    for is_in_function in (False, True):
        if is_in_function:
            for name in {name for path in paths for name in TESTS[path]}:
                importlib.import_module(f"tests.{name.partition(':')[0]}")
        limits = time_limits(paths)
        for mutant in mutants:
            if bool(mutant.function) == is_in_function:
                fate = "equivalent"
                if not mutant.keys & equivalent.keys():
                    fate = "alive" if survives(mutant, limits[mutant.path]) else "killed"
                if fate == "alive":
                    say(f"alive after {mutant.operator}: {mutant}")
                fates[mutant.path][fate] += 1
    for path, tally in fates.items():
        say(f"{path}: {tally.total()} mutants, {dict(tally)}")
    return 1 if any(tally["alive"] for tally in fates.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
