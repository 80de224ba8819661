"""``python -m cribbage_env.rendering table.png``: a picture of a game after some moves."""

from __future__ import annotations

import io
from collections.abc import Sequence

from cribbage_env.policy import make_policy
from cribbage_env.rendering.libraries import require
from cribbage_env.rendering.moment import PictureParser, play
from cribbage_env.rendering.scene import see
from cribbage_env.rendering.size import MAX_SCALE


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the picture into a file."""
    parser = PictureParser(
        "python -m cribbage_env.rendering",
        "Draw the table of a game between two equal players.",
        ".png",
        seed=0,
        moves=9,
    )
    parser.add_argument("--player", default="club", help="who plays both sides")
    parser.add_argument("--viewer", type=int, choices=(0, 1), help="the seat that looks on, or all")
    parser.add_argument(
        "--scale", type=int, default=2, choices=range(1, MAX_SCALE + 1), help="times 960 by 640"
    )
    given = parser.parse_args(arguments)
    try:
        file = parser.file_of(given)
        require("PIL")
        player = make_policy(given.player)
        game = play((player, player), given.seed, given.moves)
    except (ImportError, TypeError, ValueError) as error:
        parser.error(str(error))
    from cribbage_env.rendering.picture import draw_table

    content = io.BytesIO()
    draw_table(see(game, given.viewer), given.scale).save(content, "png", optimize=True)
    parser.write(file, content.getvalue())


if __name__ == "__main__":
    main()
