"""Run the Python examples of the README one after the other, as a reader would paste them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def main() -> None:
    """Run every block, with warnings as errors."""
    warnings.simplefilter("error")
    text = README.read_text(encoding="utf-8")
    examples = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    if not examples:
        raise SystemExit(f"{README} has no Python example")
    for example in examples:
        # Empty lines in front make a traceback point to the line of the README.
        source = "\n" * text.count("\n", 0, example.start(1)) + example[1]
        exec(compile(source, README, "exec"), {"__name__": "__main__"})
    print(f"{len(examples)} examples ran")


if __name__ == "__main__":
    main()
