"""The page for a browser: whole in itself, its data the events, and texts nothing but texts."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from cribbage_env.cards import parse_card
from cribbage_env.game import Game
from cribbage_env.replay import as_seen, judge, make_frames, make_page
from cribbage_env.replay.page import DATA_ID, page_data
from cribbage_env.replay.words import event_in_words
from tests.replay.recorded import HOSTILE, games

VOID = {"meta", "input", "br", "link", "img"}


class Reader(HTMLParser):
    """Takes a page apart, and sees to it that every element is closed."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        name = self._open[-1] if self._open else ""
        if name == "script":
            name = self.elements[-1][1].get("id") or name
        self.texts.setdefault(name, []).append(data)

    def text(self, name: str) -> str:
        return "".join(self.texts[name])


def data_of(page: str) -> Any:
    return json.loads(Reader(page).text(DATA_ID))


@pytest.fixture(scope="module")
def page() -> str:
    return make_page(games(), judge_frame=None)


def test_the_data_are_the_events(page: str) -> None:
    data = data_of(page)
    assert data["viewer"] is None
    assert len(data["games"]) == len(games())
    for shown, game in zip(data["games"], games(), strict=True):
        assert (int(shown["seed"]), int(shown["number"])) == (game.seed, game.number)
        assert shown["target"] == game.target
        found = [
            (
                one["kind"],
                one["player"],
                tuple(parse_card(card) for card in one["cards"]),
                one["points"],
                tuple(one["scores"]),
            )
            for one in shown["frames"]
        ]
        assert found == [
            (one.kind, one.player, one.cards, one.points, one.scores) for one in game.events
        ]


def test_each_step_has_its_table(page: str) -> None:
    for shown, game in zip(data_of(page)["games"], games(), strict=True):
        for one, frame in zip(shown["frames"], make_frames(game), strict=True):
            scene = frame.scene
            assert (one["deal"], one["dealer"], one["count"]) == (
                scene.deals,
                scene.dealer,
                scene.count,
            )
            assert one["words"] == event_in_words(scene)
            assert one["pegs"] == [list(pegs) for pegs in scene.pegs]
            for name in ("hands", "laid"):
                expected = [list(cards) for cards in getattr(scene, name)]
                assert [[parse_card(card) for card in cards] for cards in one[name]] == expected
            for name in ("crib", "pile"):
                assert [parse_card(card) for card in one[name]] == list(getattr(scene, name))
            for seat in (0, 1):
                seen = as_seen(scene, seat)
                crib = [
                    None if card is None else parse_card(card) for card in one["crib_seen"][seat]
                ]
                assert crib == list(seen.crib)
                if one["kind"] == "discard" and one["player"] != seat:
                    assert one["hidden_words"] == event_in_words(seen)
                    assert "two cards" in one["hidden_words"]


def test_each_decision_has_its_analysis() -> None:
    game = games()[4]
    (shown,) = page_data([game], 1)["games"]
    for one, frame in zip(shown["frames"], make_frames(game), strict=True):
        decision = judge(frame)
        if decision is None:
            assert one["decision"] is None
            continue
        found = one["decision"]
        assert (found["seat"], found["chosen"]) == (decision.seat, decision.rank - 1)
        assert found["is_mistake"] == decision.is_mistake
        assert found["win_lost"] == pytest.approx(decision.win_lost, abs=1e-5)
        for choice, expected in zip(found["choices"], decision.choices, strict=True):
            assert tuple(map(parse_card, choice["cards"])) == expected.cards
            assert choice["points"] == pytest.approx(expected.points, abs=1e-5)
            assert choice["win"] == pytest.approx(expected.win, abs=1e-5)
            assert ("hand" in choice) == decision.is_discard
    assert len(shown["losses"]) == 2
    assert page_data([game], 1)["viewer"] == 1


def test_without_analysis_there_is_none(page: str) -> None:
    for shown in data_of(page)["games"]:
        assert shown["losses"] is None
        assert all(one["decision"] is None for one in shown["frames"])


def test_the_page_asks_for_nothing(page: str) -> None:
    reader = Reader(page)
    for tag, attributes in reader.elements:
        assert tag not in ("link", "img", "iframe", "object", "form", "base")
        assert not {"src", "href", "style", "action"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    for sign in ("http:", "https:", "//cdn", "url(", "@import", "@font-face", "eval(", "innerHTML"):
        assert sign not in page


def test_its_policy_allows_its_own_style_and_script_alone(page: str) -> None:
    reader = Reader(page)
    policies = [
        attributes["content"] or ""
        for tag, attributes in reader.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (policy,) = policies
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))

    def hash_of(name: str) -> str:
        digest = sha256(reader.text(name).encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'"

    assert allowed == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "style-src": hash_of("style"),
        "script-src": hash_of("script"),
    }


def test_hostile_names_are_texts() -> None:
    plain = make_page([replace_names(games()[1], ("a", "b"))], judge_frame=None)
    page = make_page([games()[1]], judge_frame=None)
    assert [tag for tag, _ in Reader(page).elements] == [tag for tag, _ in Reader(plain).elements]
    assert HOSTILE not in page
    assert data_of(page)["games"][0]["names"] == [f"{HOSTILE} (0)", f"{HOSTILE} (1)"]
    assert Reader(page).text("title") == f"{HOSTILE} (0) against {HOSTILE} (1), to 31"


def replace_names(game: Game, names: tuple[str, str]) -> Game:
    return Game.replay(replace(game.beginning, names=names), game.actions)


@pytest.mark.parametrize("name", ["{data}", "{0}", "%s", "\\u003c", "]]>", "\\", '"', "-->", "é♥"])
def test_any_name_comes_through(name: str) -> None:
    page = make_page([replace_names(Game(seed=1), (name, "b"))], judge_frame=None)
    assert data_of(page)["games"][0]["names"] == [name, "b"]


def test_the_same_games_make_the_same_page(page: str) -> None:
    assert make_page(games(), judge_frame=None) == page


def test_progress_is_told_game_by_game() -> None:
    told: list[int] = []
    make_page(games(), judge_frame=None, progress=told.append)
    assert told == list(range(1, len(games()) + 1))


def test_a_page_without_games_is_refused() -> None:
    with pytest.raises(ValueError, match="a page shows one game or more, not none"):
        make_page([])
