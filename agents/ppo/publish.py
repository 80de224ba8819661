"""Ship a run's policy with the package: ``python -m agents.ppo.publish RUN``.

The two files of the policy become ``cribbage_env/data/champion.npz`` and ``champion.json``; the
latter is also the model card in numbers: it says where the policy comes from and, once the champion
has played, with ``--results`` how strong it is by what ``evaluate.py --json`` wrote.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.ppo.checkpoint import find_checkpoint
from cribbage_env.bots.network import POLICY_ARRAYS, POLICY_FACTS, load_policy
from cribbage_env.command_line import OneLineParser, one_line
from cribbage_env.files import DataFiles, parse_json

__all__ = ["main", "publish"]

DATA = Path(__file__).resolve().parents[2] / "cribbage_env" / "data"
MOST_BYTES = 3_000_000
RESULTS = ("games", "wins", "win_rate", "interval", "margin", "seed")


def publish(run: Path, results: Path | None = None, folder: Path = DATA) -> Path:
    """Write the champion's two files from a run's newest checkpoint, or from one checkpoint.

    Returns the path of the description.

    Raises:
        ValueError: the run has no sound checkpoint, the policy is too large to ship, or the results
            are of no champion.
    """
    checkpoint, _ = find_checkpoint(run)
    arrays = checkpoint.folder.joinpath(POLICY_ARRAYS).read_bytes()
    if len(arrays) > MOST_BYTES:
        raise ValueError(f"the policy takes {len(arrays)} bytes; {MOST_BYTES} may be shipped")
    load_policy(checkpoint.folder)  # refuses what can't be played
    facts = json.loads(checkpoint.folder.joinpath(POLICY_FACTS).read_text(encoding="utf-8"))
    facts["seconds"] = checkpoint.facts["seconds"]
    facts["results"] = {} if results is None else read_results(results)
    files = DataFiles(folder / "champion.npz", overwrite=True)
    files.write(arrays, facts)
    return files.description


def read_results(file: Path) -> dict[str, dict[str, Any]]:
    """Return how the player named ``champion`` did, by opponent.

    Raises:
        ValueError: the file can't be read, holds no results, or no match of such a player.
    """
    try:
        found = _champions_results(parse_json(file.read_bytes())["matches"])
    except OSError as error:
        raise ValueError(f"{file} can't be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} holds no results of evaluate.py --json") from error
    if not found:
        raise ValueError(f"{file} has no match of a champion")
    return found


def _champions_results(matches: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for match in matches:
        a, b = (match[side] == "champion" for side in ("a", "b"))
        if a == b:
            continue
        low, high = match["interval"]
        rate, margin, wins = match["win_rate_a"], match["margin_a"], match["wins_a"]
        if b:
            low, high, rate, margin = 1 - high, 1 - low, 1 - rate, -margin
            wins = match["games"] - wins
        values = (match["games"], wins, rate, [low, high], margin, match["seed"])
        found[match["a" if b else "b"]] = dict(zip(RESULTS, values, strict=True))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Publish as the command line says."""
    parser = OneLineParser(
        prog="python -m agents.ppo.publish", description="Ship a run's policy as the champion."
    )
    parser.add_argument("run", type=Path, help="the run, whose newest checkpoint is shipped")
    parser.add_argument(
        "--results", type=Path, help="what evaluate.py --json wrote of the champion's matches"
    )
    given = parser.parse_args(arguments)
    try:
        publish(given.run, given.results)
    except (OSError, ValueError) as error:
        parser.error(one_line(error))


if __name__ == "__main__":
    main()
