"""What others have published of the points that cribbage brings, to compare matches with."""

from __future__ import annotations

from typing import Final

__all__ = ["ANY_CRIB", "ANY_HAND", "DEALS", "MEANS"]


def _counts(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


ANY_HAND: Final = _counts(
    """
    1009008 99792 2813796 505008 2855676 697508 1800268 751324 1137236 361224 388740 51680
    317340 19656 90100 9168 58248 11196 2708 0 8068 2496 444 356 3680 0 0 0 76 4
    """
)
"""Of all hands of four cards with a starter, those that count 0, 1, 2, …: what no choice of cards
brings (S. Lumetta, http://lumetta.web.engr.illinois.edu/humor/cribbage.html)."""

ANY_CRIB: Final = _counts(
    """
    1022208 99792 2839800 508908 2868960 703496 1787176 755320 1118336 358368 378240 43880
    310956 16548 88132 9072 57288 11196 2264 0 7828 2472 444 356 3680 0 0 0 76 4
    """
)
"""The same cards as cribs, whose flushes need the starter (R16)."""

DEALS: Final = {
    "dealer": _counts(
        """
        0 0 1 18 25 90 147 301 348 640 746 1109 1123 1448 1450 1563 1438 1435 1338 1214 1041 971
        748 606 543 413 328 253 171 138 97 62 57 38 34 19 12 13 4 3 3 3 1 5 2 0 0 0 0 0 0 0 1
        """
    ),
    "pone": _counts(
        """
        11 26 138 358 641 1098 1127 1663 1588 2208 1743 1648 1442 1449 907 927 676 602 482 326
        250 175 142 102 89 62 37 17 22 10 7 13 7 3 1 1 1 0 1
        """
    ),
}
"""Of 20,000 deals, those that brought 0, 1, 2, … points in all by role: computer players of full
strength against themselves (https://github.com/ghug/cribbage-zero, `src/winprob.js`)."""

MEANS: Final = {
    ("dealer", "total"): (16.0, 16.7),
    ("dealer", "hand"): (7.8, 8.2),
    ("dealer", "crib"): (4.6, 4.9),
    ("dealer", "play"): (3.2, 3.8),
    ("pone", "total"): (10.0, 10.8),
    ("pone", "hand"): (7.9, 8.3),
    ("pone", "play"): (1.8, 2.4),
}
"""Ranges of strong players' mean points a deal, by role and source (docs/ladder.md); what is
"about" a number of points is taken as within 0.2 of it in the show and 0.3 in the play."""
