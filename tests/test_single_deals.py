"""The benchmark of single deals: who is ahead, by how much, and that threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.single_deals import compare, main


def test_the_stronger_player_makes_more_and_the_sides_only_change_the_sign() -> None:
    found = compare("club", "random", deals=300)
    play, everything = found.means
    assert everything > play > 0.5
    assert (found.means > found.half_widths).all()
    np.testing.assert_array_equal(compare("random", "club", deals=300).pairs, -found.pairs)
    np.testing.assert_array_equal(
        compare("club", "random", deals=300, threads=2).pairs, found.pairs
    )


def test_a_player_without_chance_is_level_with_itself() -> None:
    assert not compare("club", "club", deals=2100).pairs.any()


def test_a_line_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["club", "greedy", "--deals", "200"])
    line = capsys.readouterr().out
    assert line.startswith("club against greedy: play +")
    assert "points a deal (200 deals, both ways round)" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["club", "clubb"], "unknown player 'clubb'"),
        (["club", "club", "--deals", "1"], "not 1"),
        (["club", "club", "--seed", "-1"], "-1"),
        (["club", "club", "--threads", "0"], "threads must be 1 or more, not 0"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
