"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("replay-data").textContent);
  const SVG = byId("board").namespaceURI;
  const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
  const SIGNS = { C: "\u2663", D: "\u2666", H: "\u2665", S: "\u2660" };
  const RANKS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
  const PATHS = {
    C: "M10 1a4 4 0 0 1 3.2 6.5a4.2 4.2 0 1 1-2.4 6.6C11 16 11.5 18 13 19H7c1.5-1 2-3 2.2-4.9a4.2 4.2 0 1 1-2.4-6.6A4 4 0 0 1 10 1Z",
    D: "M10 1L17.5 10L10 19L2.5 10Z",
    H: "M10 18.5C2 12 1 8.5 1 6.2A4.6 4.6 0 0 1 10 5A4.6 4.6 0 0 1 19 6.2C19 8.5 18 12 10 18.5Z",
    S: "M10 1C18 7 19 10 19 12A4.4 4.4 0 0 1 11 14C11 16 11.5 18 13 19H7C8.5 18 9 16 9 14A4.4 4.4 0 0 1 1 12C1 10 2 7 10 1Z",
  };
  const PLAY_EVERY = 1200;
  // The board: three lanes, 40 places in each, streets of five; seat 0's track is the upper one.
  const LANES = 3, LANE = 40, STEP = 14, STREET = 6, LEFT = 46, TOP = 22, APART = 52, TRACK = 16;

  const state = { game: 0, step: 0, viewer: data.viewer, timer: null };
  const game = () => data.games[state.game];
  const frame = () => game().frames[state.step];

  /* Texts are only ever set as text: names come from files of others. */
  function make(tag, className = "", text = "") {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== "") node.textContent = text;
    return node;
  }
  function draw(tag, attributes) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  }
  const isRed = (card) => card[1] === "D" || card[1] === "H";
  const rank = (card) => (card[0] === "T" ? "10" : card[0]);
  const percent = (share, digits = 2) => `${(100 * share).toFixed(digits)}\u2009%`;
  const signed = (number) => `${number < 0 ? "\u2212" : "+"}${Math.abs(number).toFixed(2)}`;

  function makeCard(card, className = "") {
    if (card === null) {
      const back = make("span", "card down");
      back.setAttribute("role", "img");
      back.setAttribute("aria-label", "face down");
      return back;
    }
    const node = make("span", `card ${isRed(card) ? "red" : ""} ${className}`);
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", `${RANKS[card[0]] || card[0]} of ${SUITS[card[1]]}`);
    node.dataset.card = card;
    const picture = draw("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" });
    picture.append(draw("path", { d: PATHS[card[1]] }));
    node.append(make("span", "", rank(card)), picture);
    return node;
  }
  function cardTexts(cards) {
    const node = make("span");
    cards.forEach((card, place) => {
      const text = (place ? "\u00a0" : "") + rank(card) + SIGNS[card[1]] + "\ufe0e";
      node.append(make("span", isRed(card) ? "red-text" : "", text));
    });
    return node;
  }

  /* The board */
  const holesAPlace = () => Math.max(1, Math.ceil((game().target - 1) / (LANES * LANE)));
  const places = () => Math.ceil((game().target - 1) / holesAPlace());
  function placeAt(place, seat) {
    const lane = Math.floor(place / LANE);
    const along = lane % 2 ? LANE - 1 - (place % LANE) : place % LANE;
    const x = LEFT + STEP * along + STREET * Math.floor(along / 5);
    const side = (seat + lane) % 2 ? TRACK : 0;
    return [x, TOP + APART * lane + side];
  }
  function holeAt(hole, seat, isRear) {
    if (hole >= game().target) return finishAt();
    if (hole <= 0) return [LEFT - (isRear ? 30 : 18), TOP + TRACK * seat];
    return placeAt(Math.floor((hole - 1) / holesAPlace()), seat);
  }
  function finishAt() {
    const place = Math.max(0, places() - 1);
    const lane = Math.floor(place / LANE);
    const [x] = placeAt(place, 0);
    return [x + (lane % 2 ? -1 : 1) * (STEP + STREET), TOP + APART * lane + TRACK / 2];
  }
  function drawBoard() {
    const board = byId("board");
    const width = LEFT + STEP * LANE + STREET * 8 + 34;
    const height = TOP + APART * (Math.max(1, Math.ceil(places() / LANE)) - 1) + TRACK + 22;
    board.setAttribute("viewBox", `0 0 ${width} ${height}`);
    board.replaceChildren(draw("rect", { class: "plank", width, height, rx: 10 }));
    for (const seat of [0, 1]) {
      if (places()) board.append(draw("path", { class: `track track-${seat}`, d: trackOf(seat) }));
      for (const isRear of [false, true]) addHole(...holeAt(0, seat, isRear));
      for (let place = 0; place < places(); place += 1) addHole(...placeAt(place, seat));
    }
    addHole(...finishAt());
    for (let place = 9; place < places(); place += 10) {
      const lane = Math.floor(place / LANE);
      const [x] = placeAt(place, 0);
      addText(x, TOP + APART * lane - 10, (place + 1) * holesAPlace());
    }
    for (const line of game().lines) {
      const place = Math.floor((line.hole - 1) / holesAPlace());
      const lane = Math.floor(place / LANE);
      const x = placeAt(place, 0)[0] + (lane % 2 ? -1 : 1) * (STEP / 2 + (place % 5 === 4 ? STREET / 2 : 0));
      const y = TOP + APART * lane;
      const mark = draw("line", { class: "skunk", x1: x, x2: x, y1: y - 8, y2: y + TRACK + 8 });
      const title = draw("title", {});
      title.textContent = line.name;
      mark.append(title);
      board.append(mark);
      addText(x, y + TRACK + 16, line.name);
    }
    for (const seat of [0, 1]) {
      for (const kind of ["rear", "front"]) {
        board.append(draw("circle", { class: `peg peg-${seat} ${kind}`, r: kind === "rear" ? 4.2 : 5, id: `${kind}-${seat}` }));
      }
    }
    function addHole(x, y) {
      board.append(draw("circle", { class: "hole", cx: x, cy: y, r: 2.6 }));
    }
    function addText(x, y, text) {
      const node = draw("text", { x, y, "text-anchor": "middle" });
      node.textContent = text;
      board.append(node);
    }
  }
  function trackOf(seat) {
    let path = "";
    for (let first = 0; first < places(); first += LANE) {
      const [x, y] = placeAt(first, seat);
      const [end] = placeAt(Math.min(first + LANE, places()) - 1, seat);
      const lane = first / LANE;
      const radius = lane ? Math.abs(y - placeAt(first - 1, seat)[1]) / 2 : 0;
      path += lane ? `A${radius} ${radius} 0 0 ${lane % 2} ${x} ${y}` : `M${x} ${y}`;
      path += `H${end}`;
    }
    return path;
  }
  function movePegs() {
    frame().pegs.forEach((holes, seat) => {
      ["rear", "front"].forEach((kind, index) => {
        const [x, y] = holeAt(holes[index], seat, kind === "rear");
        const peg = byId(`${kind}-${seat}`);
        peg.setAttribute("cx", x);
        peg.setAttribute("cy", y);
        peg.dataset.hole = holes[index];
      });
    });
    byId("board").setAttribute("aria-label", `Board: ${game().names[0]} ${frame().scores[0]}, ${game().names[1]} ${frame().scores[1]}`);
  }

  /* The table */
  const isHidden = (seat) => state.viewer !== null && state.viewer !== seat;
  function showSeat(node, seat) {
    const now = frame();
    node.className = `seat seat-${seat}`;
    const line = make("div", "line");
    line.append(make("span", "name", game().names[seat]));
    line.append(make("span", "role", now.deal ? (now.dealer === seat ? "dealer" : "pone") : ""));
    const score = make("span", "score", String(now.scores[seat]));
    score.id = `score-${seat}`;
    line.append(score);
    const cards = make("div", "cards");
    cards.id = `hand-${seat}`;
    const isNow = (card) => (now.cards.includes(card) ? "now" : "");
    for (const card of now.hands[seat]) cards.append(makeCard(isHidden(seat) ? null : card));
    if (now.laid[seat].length && now.hands[seat].length) cards.append(make("span", "gap"));
    for (const card of now.laid[seat]) cards.append(makeCard(card, `laid ${isNow(card)}`));
    node.replaceChildren(line, cards);
  }
  function showTable() {
    const now = frame();
    const top = state.viewer === 0 ? 1 : 0;
    showSeat(byId("top"), top);
    showSeat(byId("bottom"), 1 - top);
    const counted = ["hand", "crib"].includes(now.kind) || now.kind === "starter" ? "now" : "";
    byId("starter").replaceChildren(...(now.starter ? [makeCard(now.starter, counted)] : []));
    byId("count").textContent = String(now.count);
    byId("pile").replaceChildren(
      ...now.pile.map((card) => {
        const seat = now.laid[0].includes(card) ? 0 : 1;
        return makeCard(card, `by-${seat} ${now.kind === "play" && now.cards[0] === card ? "now" : ""}`);
      }),
    );
    byId("crib-title").textContent = now.deal ? `Crib of ${game().names[now.dealer]}` : "Crib";
    const crib = state.viewer === null ? now.crib : now.crib_seen[state.viewer];
    byId("crib").replaceChildren(
      ...crib.map((card) => makeCard(card, now.kind === "crib" || now.cards.includes(card) ? "now" : "")),
    );
    movePegs();
  }
  function wordsOf(one) {
    return one.hidden_words && isHidden(one.player) ? one.hidden_words : one.words;
  }
  function showEvent() {
    const now = frame();
    const node = byId("event");
    node.replaceChildren(make("span", "", wordsOf(now)));
    if (now.points) node.append(make("span", "points", `+${now.points}`));
  }

  /* The analysis */
  function showAnalysis() {
    const decision = frame().decision;
    const mayShow = decision && !isHidden(decision.seat);
    byId("choices").replaceChildren();
    byId("verdict").textContent = mayShow
      ? `${game().names[decision.seat]}: ${decision.words}`
      : decision
        ? "hidden in this view"
        : "nothing to choose here";
    if (!mayShow) return;
    const hasWin = decision.choices[0].win !== null;
    const heads = decision.is_discard
      ? ["throw", "hand", "crib", "pegging", "points"]
      : ["lay", "now", "points"];
    if (hasWin) heads.push("to win");
    if (!decision.is_discard) heads.push("");
    const head = make("tr");
    heads.forEach((text) => head.append(make("th", "", text)));
    byId("choices").append(head);
    decision.choices.forEach((choice, place) => {
      const row = make("tr", place === decision.chosen ? "chosen" : "");
      const first = make("td");
      first.append(cardTexts(choice.cards));
      row.append(first);
      const numbers = decision.is_discard
        ? [choice.hand.toFixed(2), signed(choice.crib), signed(choice.pegging), signed(choice.points)]
        : [String(choice.now), signed(choice.points)];
      if (hasWin) numbers.push(percent(choice.win));
      numbers.forEach((text) => row.append(make("td", "", text)));
      if (!decision.is_discard) row.append(make("td", "why", choice.why));
      byId("choices").append(row);
    });
  }
  function showLosses() {
    const losses = game().losses;
    byId("losses-box").hidden = !losses;
    byId("analysis").hidden = !losses;
    byId("mistake").hidden = !losses;
    byId("losses").replaceChildren();
    if (!losses) return;
    losses.forEach((text, seat) => {
      if (!isHidden(seat)) {
        byId("losses").append(make("dt", "", game().names[seat]), make("dd", "", text));
      }
    });
  }

  /* The history */
  function makeHistory() {
    const rows = game().frames.map((one, step) => {
      const row = make("li");
      const button = make("button", one.kind === "deal" ? "deal" : "");
      button.dataset.step = step;
      const words = one.kind === "deal" ? `Deal ${one.deal}: ${wordsOf(one)}` : wordsOf(one);
      button.append(make("span", "what", words));
      const decision = one.decision;
      if (decision && decision.is_mistake && !isHidden(decision.seat)) {
        const lost = decision.win_lost === null ? decision.points_lost.toFixed(2) : percent(decision.win_lost, 1);
        button.append(make("span", "lost", `\u2212${lost}`));
      }
      button.append(make("span", "score", one.scores.join("\u2013")));
      row.append(button);
      return row;
    });
    byId("history").replaceChildren(...rows);
  }
  function markHistory() {
    const list = byId("history");
    const before = list.querySelector("[aria-current]");
    if (before) before.removeAttribute("aria-current");
    const now = list.children[state.step].firstChild;
    now.setAttribute("aria-current", "step");
    const top = now.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) {
      list.scrollTop = top - list.clientHeight / 2;
    }
  }

  /* Steps */
  function show() {
    const last = game().frames.length - 1;
    showTable();
    showEvent();
    showAnalysis();
    markHistory();
    byId("slider").value = state.step;
    byId("slider").setAttribute("aria-valuetext", wordsOf(frame()));
    byId("place").textContent = `${state.step + 1} / ${last + 1}`;
    for (const id of ["first", "deal-back", "back"]) byId(id).disabled = state.step === 0;
    for (const id of ["last", "deal-forward", "forward"]) byId(id).disabled = state.step === last;
    remember();
  }
  function go(step) {
    state.step = Math.min(Math.max(step, 0), game().frames.length - 1);
    show();
  }
  function openGame(place, step = 0) {
    state.game = place;
    byId("title").textContent = game().title;
    byId("outcome").textContent = `${game().outcome} (seed ${game().seed}, game ${game().number})`;
    byId("game").value = String(place);
    byId("slider").max = game().frames.length - 1;
    byId("view").options[1].textContent = `of ${game().names[0]}`;
    byId("view").options[2].textContent = `of ${game().names[1]}`;
    drawBoard();
    setView(state.viewer, step);
  }
  function setView(viewer, step = state.step) {
    state.viewer = viewer;
    byId("view").value = viewer === null ? "" : String(viewer);
    showLosses();
    makeHistory();
    go(step);
  }
  function find(way, isWanted) {
    const frames = game().frames;
    for (let step = state.step + way; step >= 0 && step < frames.length; step += way) {
      if (isWanted(frames[step])) return step;
    }
    return null;
  }
  const isDeal = (one) => one.kind === "deal";
  const isMistake = (one) => one.decision && one.decision.is_mistake && !isHidden(one.decision.seat);
  const actions = {
    first: () => go(0),
    back: () => go(state.step - 1),
    forward: () => go(state.step + 1),
    last: () => go(game().frames.length - 1),
    "deal-back": () => go(find(-1, isDeal) ?? 0),
    "deal-forward": () => go(find(1, isDeal) ?? game().frames.length - 1),
    mistake: () => go(find(1, isMistake) ?? state.step),
    play: () => (state.timer === null ? startPlaying() : stopPlaying()),
  };
  function startPlaying() {
    if (state.step === game().frames.length - 1) go(0);
    state.timer = setInterval(() => {
      go(state.step + 1);
      if (state.step === game().frames.length - 1) stopPlaying();
    }, PLAY_EVERY);
    showPlaying();
  }
  function stopPlaying() {
    clearInterval(state.timer);
    state.timer = null;
    showPlaying();
  }
  function showPlaying() {
    byId("play").textContent = state.timer === null ? "\u25b6\ufe0e" : "\u275a\u275a";
    byId("play").title = `${state.timer === null ? "Play" : "Pause"} (space)`;
  }

  /* Where one is stays in the address, so that it can be gone back to. */
  function remember() {
    try {
      history.replaceState(null, "", `#game=${state.game + 1}&step=${state.step + 1}`);
    } catch {
      // Some viewers of files allow no address of its own.
    }
  }
  function recall() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const place = Number.parseInt(asked.get("game") ?? "1", 10) - 1;
    const step = Number.parseInt(asked.get("step") ?? "1", 10) - 1;
    openGame(data.games[place] ? place : 0, Number.isNaN(step) ? 0 : step);
  }

  /* Input */
  const KEYS = {
    ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last",
    PageUp: "deal-back", PageDown: "deal-forward", m: "mistake", " ": "play",
  };
  document.addEventListener("keydown", (event) => {
    const name = KEYS[event.key];
    const where = event.target.tagName;
    if (!name || event.ctrlKey || event.metaKey || event.altKey || where === "SELECT") return;
    if (event.key === " " && where === "BUTTON") return;
    event.preventDefault();
    if (name !== "play") stopPlaying();
    actions[name]();
  });
  for (const [name, action] of Object.entries(actions)) {
    byId(name).addEventListener("click", () => {
      if (name !== "play") stopPlaying();
      action();
    });
  }
  byId("slider").addEventListener("input", () => go(Number(byId("slider").value)));
  byId("game").addEventListener("change", () => openGame(Number(byId("game").value)));
  byId("view").addEventListener("change", () => {
    setView(byId("view").value === "" ? null : Number(byId("view").value));
  });
  byId("theme").addEventListener("change", () => {
    document.documentElement.dataset.theme = byId("theme").value;
  });
  byId("history").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) go(Number(button.dataset.step));
  });
  window.addEventListener("hashchange", recall);

  data.games.forEach((one, place) => {
    const option = make("option", "", `${place + 1}. ${one.title}: ${one.outcome}`);
    option.value = String(place);
    byId("game").append(option);
  });
  byId("chooser").hidden = data.games.length === 1;
  showPlaying();
  recall();
})();
