"""The app as people run it: in a terminal, where it is killed and resumed, and in a browser."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from cribbage_env.actions import DISCARDS, NUM_DISCARDS
from cribbage_env.game import Game
from cribbage_env.play.session import OPPONENT, PERSON, ask
from cribbage_env.policy import make_policy
from tests.browsers import new_page, open_browser
from tests.envs.processes import CHECKOUT, PACKAGE
from tests.games import check_events

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="has no pseudo-terminals, and other signals"
    ),
]

PATIENCE = 300.0
"""Seconds after which something is taken never to happen."""

Press = Callable[[str], None]


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(PACKAGE.parent), str(CHECKOUT)])
    return {**os.environ, "PYTHONPATH": path, "TERM": "xterm-256color"}


def wait_until(is_so: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := is_so():
            return found
        time.sleep(0.02)
    pytest.fail(f"{what} never happened")


def read(path: Path) -> Game:
    return Game.from_record(path.read_text(encoding="utf-8"))


def play_on(path: Path, press: Press, rng: random.Random, stop: int | None = None) -> None:
    """Play with keys alone until so many actions are taken; the file tells what to press."""
    seen = len(read(path).events)
    while True:
        game = wait_until(lambda: is_waiting(path), "the opponent's answer")
        if any(event.kind in ("hand", "crib") for event in game.events[seen:]):
            press("Enter")  # sends the show away
        seen = len(game.events)
        if game.is_over or (stop is not None and len(game.actions) >= stop):
            return
        if game.turn == OPPONENT:
            continue
        action = rng.choice(game.legal_actions())
        slots = DISCARDS[action] if action < NUM_DISCARDS else (action - NUM_DISCARDS,)
        for slot in slots:
            press(str(slot + 1))
        press("Enter")
        number = len(game.actions)
        wait_until(lambda: len(read(path).actions) > number, f"action {action}")  # noqa: B023


def is_waiting(path: Path) -> Game | None:
    """Return the game if it waits for the person or is over, or a show is to be sent away."""
    game = read(path)
    is_after_show = any(event.kind == "deal" for event in game.events[-1:]) and game.deals > 1
    return game if game.turn != OPPONENT or is_after_show else None


def expected(seed: int, target: int, opponent: str, rng: random.Random) -> Game:
    """Return the game as it goes without any screen."""
    game, policy = Game(seed, target=target), make_policy(opponent)
    while game.turn is not None:
        own = rng.choice(game.legal_actions()) if game.turn == PERSON else ask(policy, game)
        game.step(own)
    return game


class Terminal:
    """The app in a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        import fcntl
        import pty
        import termios

        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "cribbage_env.play", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(),
            start_new_session=True,
        )
        os.close(slave)
        os.set_blocking(self.master, False)
        self.screen = b""

    def look(self) -> bytes:
        with suppress(BlockingIOError, OSError):
            while part := os.read(self.master, 65536):
                self.screen += part
        return self.screen

    def press(self, key: str) -> None:
        self.look()
        os.write(self.master, b"\r" if key == "Enter" else key.encode())

    def end(self, sign: int) -> int:
        os.killpg(self.process.pid, sign)
        return self.process.wait(PATIENCE)


def test_a_killed_game_goes_on_in_the_terminal(tmp_path: Path) -> None:
    path, rng = tmp_path / "game.txt", random.Random(5)
    begun = ["--opponent", "club", "--target", "31", "--seed", "6", "--save", str(path)]
    for stop in (4, 11, 17, None):
        start = begun if stop == 4 else ["--resume", str(path)]
        terminal = Terminal(*start, "--pace", "0", "--coach", "off")
        wait_until(lambda: "seed 6" in terminal.look().decode(errors="replace"), "the table")  # noqa: B023
        play_on(path, terminal.press, rng, stop)
        if stop is None:
            terminal.press("q")
            wait_until(lambda: terminal.process.poll() is not None or terminal.look() is None, "q")  # noqa: B023
            assert terminal.process.returncode == 0
        else:
            assert terminal.end(signal.SIGKILL) == -signal.SIGKILL
        os.close(terminal.master)
    game = read(path)
    assert game.events == expected(6, 31, "club", random.Random(5)).events
    assert [path] == list(tmp_path.iterdir())


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Serve a new game; yield the page's address."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    arguments = ["--opponent", "club", "--seed", "6", "--save", str(path)]
    arguments += ["--serve", "--port", str(port), "--pace", "0", "--coach", "after"]
    process = subprocess.Popen(
        [sys.executable, "-m", "cribbage_env.play", *arguments],
        env=environment(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )

    def is_up() -> bool:
        assert process.poll() is None, "the server has ended"
        with suppress(OSError), socket.create_connection(("localhost", port), 1):
            return True
        return False

    try:
        wait_until(is_up, "the server's start")
        yield f"http://localhost:{port}/"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE)


def test_a_full_game_to_121_in_the_browser_score_by_score(tmp_path: Path) -> None:
    """The page is loaded anew in the middle; what it was sent tells every point of the game."""
    path, rng, frames = tmp_path / "game.txt", random.Random(7), []
    with open_browser() as browser, served(path) as address:
        page = new_page(browser, viewport={"width": 1280, "height": 760})
        page.route(re.compile("^https:"), lambda route: route.abort())  # a font from elsewhere

        def keep(frame: Any) -> None:  # Playwright takes no built-in method
            frames.append(frame)

        page.on("websocket", lambda socket: socket.on("framereceived", keep))

        def press(key: str) -> None:
            page.keyboard.press(key)

        def text() -> str:
            page.wait_for_timeout(20)  # lets frames come in
            whole = b"".join(
                frame if isinstance(frame, bytes) else frame.encode() for frame in frames
            )
            return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", whole.decode(errors="replace"))

        for stop in (20, None):
            number = text().count("seed 6")
            page.goto(address)
            wait_until(lambda: text().count("seed 6") > number, "the table")  # noqa: B023
            page.click("#terminal")
            page.mouse.move(5, 5)
            play_on(path, press, rng, stop)
            game = read(path)
            if game.is_over:
                wait_until(lambda: "Biggest mistakes" in text(), "the summary")
                press("Enter")  # the story is behind it
            wait_until(lambda: is_told(game, text()), "the last points")  # noqa: B023
    check_events(game)
    assert game.events == expected(6, 121, "club", random.Random(7)).events


def is_told(game: Game, text: str) -> bool:
    """Tell whether the story showed every event's points and the scores after it, in order."""
    place = 0
    for event in game.events:
        if event.points:
            own, other = event.scores  # they may stand in the next line
            told = re.compile(rf"\+{event.points}[^+()]{{1,200}}\({own}-{other}\)")
            match = told.search(text, place)
            if match is None:
                return False
            place = match.start()
    return True
