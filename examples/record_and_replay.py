"""Record a game as text, read it again, go through it move by move, and play on from the middle."""

from __future__ import annotations

import tempfile
from pathlib import Path

import gymnasium as gym

from cribbage_env import Game
from cribbage_env.rendering import render_text

env = gym.make("cribbage_env:Cribbage-v0", opponent="club")
observation, info = env.reset(seed=5)
while info["phase"] != "over":
    *_, info = env.step(int(info["action_mask"].argmax()))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "game.txt"
    path.write_text(env.unwrapped.game.to_record(), encoding="utf-8")
    record = path.read_text(encoding="utf-8")
print(record)

# A record that was cut short or edited is refused.
try:
    Game.from_record(record.replace("target 121", "target 120"))
except ValueError as error:
    print("edited:", error)

# The same cards and the same moves; `actions` are those of both seats.
game = Game.from_record(record)
replay = Game(game.seed, number=game.number)
for action in game.actions[:20]:
    replay.step(action)
print()
print(render_text(replay, viewer=0))

# From here on another way: the cards to come are still those of the seed.
while replay.turn is not None:
    replay.step(replay.legal_actions()[-1])
recorded, other = ("-".join(map(str, one.scores)) for one in (game, replay))
print(f"\nthe recorded game ended {recorded}, the other one {other}")
