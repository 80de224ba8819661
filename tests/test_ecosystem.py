"""docs/ecosystem.md: its examples run and its links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "ecosystem.md"
TEXT = PAGE.read_text(encoding="utf-8")
TITLES = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)


def snippets(title: str) -> list[str]:
    section = TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


# `tests/ray` runs what needs Ray.
@pytest.mark.parametrize("title", [one for one in TITLES if snippets(one) and one != "RLlib"])
def test_the_examples_of_a_section_run(title: str) -> None:
    if title == "OpenSpiel":
        pytest.importorskip("pyspiel")
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for snippet in snippets(title):
            exec(snippet, names)  # our own page
    assert ("(0, 0)\n" if title == "OpenSpiel" else "") == printed.getvalue()


def test_links_lead_to_files_and_headings() -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", TEXT):
        path = PAGE.parent / target if target else PAGE
        assert path.exists(), target
        headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in {heading.lower().replace(" ", "-") for heading in headings}
