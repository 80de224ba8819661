"""The crib table: against published tables, made anew, and step by step."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path

import numba
import numpy as np
import pytest

from cribbage_env.cards import NUM_CARDS, RANKS, parse_card
from cribbage_env.engine import crib_values
from cribbage_env.engine.chance import shuffle, stream_of
from cribbage_env.engine.crib_values import build_crib_values, estimate_crib, main
from cribbage_env.engine.tables import DATA
from cribbage_env.scoring import score_hand
from tests.positions import BOOK

GOLDEN = Path(__file__).parent / "golden"
AUTHORS = ("hessel", "colvert", "rasmussen", "schell")
ROLES = ("pone", "dealer")
TABLE = BOOK.crib_value
PROVENANCE = json.loads((DATA / "crib_values.json").read_text(encoding="utf-8"))


def published() -> list[tuple[int, tuple[int, int], str, list[float]]]:
    """Return role, ranks, pair in words and the four authors' points, 182 rows."""
    with (GOLDEN / "crib_tables.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        (
            role,
            (RANKS.index(row["pair"][0]), RANKS.index(row["pair"][1])),
            f"{row['pair']} {name}",
            [float(row[f"{author}_{name}"]) for author in AUTHORS],
        )
        for role, name in enumerate(ROLES)
        for row in rows
    ]


def of_any_suits(role: int, ranks: tuple[int, int]) -> float:
    """Return the table's points for two ranks, 4 of the 16 pairs of cards being of one suit."""
    unsuited, suited = TABLE[role][ranks]
    return float((3 * unsuited + suited) / 4)


def test_table_lies_within_a_quarter_of_a_point_of_the_published_ones() -> None:
    rows = published()
    assert len(rows) == 2 * 91
    far = {
        pair: round(of_any_suits(role, ranks) - float(np.mean(points)), 2)
        for role, ranks, pair, points in rows
        if abs(of_any_suits(role, ranks) - np.mean(points)) > 0.25
    }
    # Pone hardly ever throws two eights: Rasmussen, who counted the games he played, has 7.91 from
    # few of them; the others have 6.6 to 6.82, within a quarter of a point of the table.
    assert far.keys() <= {"88 pone"}
    eights = next(points for _, _, pair, points in rows if pair == "88 pone")
    assert abs(of_any_suits(0, (7, 7)) - np.mean(sorted(eights)[:3])) < 0.25


def test_table_agrees_with_each_author_on_the_whole() -> None:
    for place, author in enumerate(AUTHORS):
        differences = [
            of_any_suits(role, ranks) - points[place] for role, ranks, _, points in published()
        ]
        assert abs(np.mean(differences)) < 0.1, author
        # Rasmussen counted real games, in which rare throws are few; the others calculated.
        assert np.std(differences) < (0.3 if author == "rasmussen" else 0.1), author


def test_table_is_symmetric_and_complete() -> None:
    assert TABLE.shape == (2, 13, 13, 2)
    assert (TABLE.transpose(0, 2, 1, 3) == TABLE).all()
    assert (TABLE > 2).all()
    assert (TABLE < 10).all()
    for rank in range(13):
        assert (TABLE[:, rank, rank, 0] == TABLE[:, rank, rank, 1]).all()


def test_a_crib_is_worth_more_to_give_away_than_to_keep_and_more_in_one_suit() -> None:
    assert (TABLE[0] > TABLE[1]).all()  # the dealer throws into the own crib what helps it
    low, high = np.triu_indices(13, 1)
    gain = TABLE[:, low, high, 1] - TABLE[:, low, high, 0]
    assert 0.0 < gain.mean() < 0.15


def test_a_cheap_new_run_gives_nearly_the_same_table() -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("takes minutes uncompiled")
    first = build_crib_values(deals=250, rounds=4, seed=2)
    assert np.abs(first.values - TABLE).mean() < 0.15
    assert np.abs(first.values - TABLE).max() < 1.0
    assert 0.05 < first.largest_error < 0.4
    assert first.last_change < 0.2
    again = build_crib_values(deals=250, rounds=4, seed=2)
    assert (first.values == again.values).all()
    assert (build_crib_values(deals=250, rounds=1, seed=3).values != first.values).any()


@pytest.mark.slow
def test_the_recorded_command_makes_the_table() -> None:
    made = {name: PROVENANCE[name] for name in ("deals", "rounds", "seed")}
    # Not to the last bit: another machine may round a sum differently.
    np.testing.assert_allclose(build_crib_values(**made).values, TABLE, atol=0.01)


@pytest.mark.kernels
@pytest.mark.parametrize("is_dealer", [False, True])
def test_an_estimate_is_the_mean_of_simulated_cribs(is_dealer: bool) -> None:
    first, second = parse_card("JD"), parse_card("5D")
    deals, seed = 3, np.uint64(34)
    others = np.array([card for card in range(NUM_CARDS) if card not in (first, second)], np.int16)
    cribs = []
    for deal in range(deals):
        pair = 2 * (NUM_CARDS * first + second) + is_dealer
        shuffle(np.uint64(stream_of(seed, pair, deal)), others, 6)
        hand = sorted(others[:6].tolist())
        crib = [
            first,
            second,
            *max(combinations(hand, 2), key=lambda c: best_for(hand, c, is_dealer)),
        ]
        starters = [c for c in range(NUM_CARDS) if c not in (first, second, *hand)]
        cribs.append(np.mean([score_hand(crib, card, is_crib=True).total for card in starters]))
    mean, error = estimate_crib(first, second, is_dealer, seed, deals, BOOK)
    assert mean == pytest.approx(np.mean(cribs))
    assert error == pytest.approx(np.std(cribs) / deals**0.5)


def best_for(hand: list[int], thrown: tuple[int, int], is_thrower_dealer: bool) -> float:
    """Return what a discard is worth to the thrower's opponent."""
    kept = [card for card in hand if card not in thrown]
    points = [score_hand(kept, card).total for card in range(NUM_CARDS) if card not in hand]
    ranks = sorted(card // 4 for card in thrown)
    is_suited = int(thrown[0] % 4 == thrown[1] % 4)
    crib = float(TABLE[0 if is_thrower_dealer else 1, ranks[0], ranks[1], is_suited])
    return sum(points) / 46 + (-crib if is_thrower_dealer else crib)


def test_the_command_writes_table_and_provenance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = crib_values.CribTable(np.ones((2, 13, 13, 2)), 0.125, 0.25)
    monkeypatch.setattr(crib_values, "build_crib_values", lambda **_: made)
    crib_values.main(["--deals", "7", "--rounds", "2", "--seed", "5", "--folder", str(tmp_path)])
    assert (np.load(tmp_path / "crib_values.npy") == 1).all()
    written = json.loads((tmp_path / "crib_values.json").read_text(encoding="utf-8"))
    assert written["command"].endswith("--deals 7 --rounds 2 --seed 5")
    assert (written["deals"], written["rounds"], written["seed"]) == (7, 2, 5)
    assert written["largest_standard_error"] == 0.125
    assert written.keys() == PROVENANCE.keys()
    with pytest.raises(SystemExit, match="2"):
        crib_values.main(["--folder", str(tmp_path)])
    assert "crib_values.npy exists already" in capsys.readouterr().err
    crib_values.main(["--folder", str(tmp_path), "--overwrite"])


def test_provenance_says_that_the_table_has_settled() -> None:
    assert PROVENANCE["largest_standard_error"] < 0.05
    assert PROVENANCE["largest_change_in_last_round"] < 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0, "rounds": 1, "seed": 1}, "deals must be 1 or more, not 0"),
        ({"deals": 1, "rounds": -2, "seed": 1}, "rounds must be 1 or more, not -2"),
        ({"deals": 1, "rounds": 1, "seed": -1}, "seed must be 0"),
    ],
)
def test_bad_numbers_are_refused(
    arguments: dict[str, int], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=message):
        build_crib_values(**arguments)
    options = [part for name, number in arguments.items() for part in (f"--{name}", str(number))]
    with pytest.raises(SystemExit, match="2"):
        crib_values.main(options)
    said = capsys.readouterr().err
    assert said.startswith("python -m cribbage_env.engine.crib_values: ")
    assert message in said
    assert said.count("\n") == 1


def test_the_command_writes_the_table_with_how_it_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--deals 2 --rounds 1 --seed 3"
    main([*options.split(), "--folder", str(tmp_path)])
    made = np.load(tmp_path / "crib_values.npy")
    assert (made == build_crib_values(deals=2, rounds=1, seed=3).values).all()
    written = json.loads((tmp_path / "crib_values.json").read_text(encoding="utf-8"))
    assert written["command"] == f"python -m cribbage_env.engine.crib_values {options}"
    assert set(written) == set(PROVENANCE)
    for line, words in (("--deals 0", "deals must be 1 or more, not 0"), ("--seed -1", "not -1")):
        with pytest.raises(SystemExit) as leaving:
            main([*line.split(), "--folder", str(tmp_path)])
        assert leaving.value.code == 2
        assert words in capsys.readouterr().err
