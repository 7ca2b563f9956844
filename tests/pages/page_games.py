"""Tests of `tests/pages/play-test`: games as text, variations, addresses, rules in words, sizes and menus of the page."""

import json
import sys

# A game with every kind of move. Both sides are played by clicks.
GAME = """e2e4 a7a5 d2d4 a5a4 g1f3 a4a3 f1e2 a3b2 e1g1 b2a1n e2f3 h7h6 f1e1 h6h5 e1g1 h5h4 d1d3r h4h3 f3e2b g7g6"""


def fail(message):
    sys.exit(f"play-test: {message}")


def move_list(page):
    return page.browser.run("[...document.querySelectorAll('#moves button')].map((move) => move.textContent)")


def texts(page, pgn):
    """Reads a game from a text, and returns how the page writes it."""
    browser = page.browser
    browser.click('[data-do="texts"]')
    browser.wait("document.querySelector('#texts[open]')")
    browser.run(f"document.querySelector('#game-text').value = {json.dumps(pgn)}")
    browser.click('[data-do="set-game"]')
    browser.wait("!document.querySelector('#texts[open]')")
    return written(page)


def written(page):
    """The game as the page writes it."""
    browser = page.browser
    browser.run("document.querySelector('#game-text').value = ''")
    browser.click('[data-do="texts"]')
    browser.wait("document.querySelector('#game-text').value")
    text = browser.run("document.querySelector('#game-text').value")
    browser.click("#texts .primary")
    return text


def says(page, text, where="message"):
    page.browser.wait(f"document.querySelector('#{where}').textContent.includes({json.dumps(text)})", 20)


def games_as_text(page):
    """What is read of a game is shown and written again; other notations are read; unfinished games have no ending."""
    page.browser.screen(1200, 900)
    page.open("rules=orthodox&side=both")
    pgn = '[White "Ann"]\n[Black "Bob"]\n\n{begin} 1. e4! {good} (1. d4 d5 (1... Nf6)) 1... e5 $2 2. Nf3 1-0\n'
    text = texts(page, pgn)
    for part in ['"Ann"', '"Bob"', '[Result "1-0"]', "{begin} 1. e4 $1 {good}", "d4 d5", "Nf6", "e5 $2", "1-0\n"]:
        if part not in text:
            fail(f"the game is written without {part}:\n{text}")
    says(page, "White wins, as the text of the game has it", "status")
    if move_list(page) != ["e4!", "e5?", "d4", "d5", "Nf6", "Nf3"]:
        fail(f"the list of a game with variations is {move_list(page)}")
    # A variation is shown on the board, reached by keys, and can become the main line.
    page.browser.run("document.querySelector('#moves .variation .variation button').focus()")
    page.browser.key("ArrowUp")
    page.browser.key("Enter", "\r")
    page.browser.wait("document.body.dataset.moves === 'd2d4 d7d5'")
    page.browser.click("#promote")
    page.browser.wait("document.querySelector('#promote').hidden && document.querySelector('#moves button').textContent === 'd4'")
    for pgn, moves in [
        ("1. e4 e5 2. Nf3", "e2e4 e7e5 g1f3"),
        ("\ufeff1. e4 e5\r\n2. \u2658f3 \u00bd-\u00bd\r\n", "e2e4 e7e5 g1f3"),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 1\u20130", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1"),
        ("1. e4 Nf6 2. e5 d5 3. exd6ep *", "e2e4 g8f6 e4e5 d7d5 e5d6"),
    ]:
        text = texts(page, pgn)
        if " ".join(page.moves()) != moves:
            fail(f"{pgn!r} is read as {page.moves()}")
        if "cap" in text:
            fail(f"an unfinished game is written as one that met a cap:\n{text}")
    # What comes before a bad move is read, and the bad move is named.
    texts(page, "1. e4 e5 2. Nf3 Ke4 3. Bb5 1-0")
    says(page, "read up to here. game 1, line 1: move 2 (Black): no legal move is 'Ke4'")
    if " ".join(page.moves()) != "e2e4 e7e5 g1f3":
        fail(f"of a text with a bad move {page.moves()} is read")
    for rules in ["chesimal-small", "freechess-7"]:
        page.open(f"rules={rules}&side=both")
        if "cap" in written(page):
            fail(f"an unfinished game of {rules} met a cap")


def nothing_is_lost(page):
    """Another move keeps the rest as a variation; a bad part of an address is named, and the good ones stay."""
    page.browser.screen(1200, 900)
    page.open("rules=orthodox&side=both&moves=e2e4,e7e5,g1f3")
    page.browser.key("Home")
    page.browser.wait("document.querySelector('[data-do=first]').disabled")
    page.browser.click('[data-space="d2"]')
    page.browser.click('[data-space="d4"]')
    page.browser.wait("document.body.dataset.moves === 'd2d4'")
    says(page, "stay in the list as a variation")
    if move_list(page) != ["d4", "e4", "e5", "Nf3"]:
        fail(f"after another move the list is {move_list(page)}")
    # Loading again keeps the variation, and so does going to another game and back.
    page.browser.send("Page.reload")
    page.browser.wait("document.body?.dataset.ready && document.querySelectorAll('#moves button').length === 4")
    page.browser.click("#moves .variation button:last-of-type")
    page.browser.wait("document.body.dataset.moves === 'e2e4 e7e5 g1f3'")
    page.browser.click('[data-do="new"]')
    page.browser.wait("document.querySelector('#new-game[open]')")
    page.browser.click("#begin")
    page.browser.wait("document.body.dataset.moves === ''")
    page.browser.run("history.back()")
    page.browser.wait("document.querySelectorAll('#moves button').length === 4")
    for hash_, moves, words in [
        ("rules=orthodox&side=both&moves=e2e4,e7e5,e4e6,g1f3", ["e2e4", "e7e5"], "move 3: 'e4e6'"),
        ("rules=orthodox&side=first&moves=e2e4,e2e5", ["e2e4"], "move 2: 'e2e5'"),
        ("rules=orthodox&start=nonsense&side=both", [], "The start \u201cnonsense\u201d"),
        ("rules=fusion-2020,castling=no,fission=perhaps&side=both&moves=e2e4", ["e2e4"], "fission=perhaps"),
        ("rules=orthodox&level=99&moves=e2e4&side=both", ["e2e4"], "no level"),
    ]:
        page.open(hash_)
        says(page, words)
        if page.moves() != moves or page.browser.run("decodeURIComponent(location.hash)") != f"#{hash_}":
            fail(f"#{hash_} opens {page.moves()} at {page.browser.run('location.hash')}")
        rules = page.browser.run("document.querySelector('#rules-name').textContent")
        if not hash_.startswith(f"rules={rules}"):
            fail(f"#{hash_} opens the rules {rules}")


def rules_in_words(page):
    """Games that few readers know have their whole rules with pictures; a mix says what was changed."""
    page.browser.screen(1200, 900)
    for rules in ["freechess", "chesimal", "chesimal-restricted"]:
        page.open(f"rules={rules}&side=both")
        page.browser.click('[data-do="rules"]')
        page.browser.wait("document.querySelectorAll('.lesson').length >= 4 && document.querySelectorAll('.lesson svg').length >= 6")
        says(page, "the tree search with a network", "rules-about")
        page.browser.click("#rules .primary")
    page.open("rules=fusion-2020,castling=no,fission=no&side=both")
    words = page.browser.run("document.querySelector('#about').textContent")
    if "changed: " not in words or "castl" not in words.lower():
        fail(f"a mix of rules is called {words}")
    page.browser.click('[data-do="new"]')
    says(page, "You changed fusion-2020: ", "summary")
    page.browser.click("#new-game [data-do=close]")
    # A hint does not say what is nonsense in chess.
    page.open("rules=orthodox&side=both")
    page.browser.click('[data-do="hint"]')
    says(page, "Hint: ")
    if "as a whole" in page.browser.run("document.querySelector('#message').textContent"):
        fail("a hint in chess says that a piece moves as a whole")
    # A turn that has begun keeps its number.
    page.open("rules=chesimal&side=both&moves=f3o,f4f6")
    page.browser.click('[data-do="analyse"]')
    page.browser.wait("document.querySelectorAll('.lines li').length === 3")
    line = page.browser.run("document.querySelector('.lines button').textContent")
    if not line.startswith("1… "):
        fail(f"a turn that goes on is numbered {line}")


def fits(page):
    """The board fills the window, on every screen; on phones the lines of the analysis and all controls are in sight."""
    for width, height, rules, least in [
        (1920, 1080, "fusion-2020", 860), (1920, 1080, "chesimal", 1100), (1200, 800, "fusion-2020", 590),
        (844, 390, "fusion-2020", 320), (390, 844, "fusion-2020", 360), (360, 740, "fusion-2020", 330),
    ]:  # fmt: skip
        page.browser.screen(width, height, touch=width < 900)
        page.open(f"rules={rules}&side=both")
        page.browser.click('[data-do="analyse"]')
        page.browser.wait("document.querySelectorAll('.lines li').length === 3")
        page.browser.run("scrollTo(0, 0)")
        box = "(name) => document.querySelector(name).getBoundingClientRect()"
        board = page.browser.run(f"(({box})('#board svg')).width")
        bottom = page.browser.run(f"Math.max(({box})('#board svg').bottom, ({box})('#lines li:last-child').bottom)")
        cut = page.browser.run("[...document.querySelectorAll('.words button')].some((button) => button.scrollWidth > button.clientWidth)")
        wide = page.browser.run("document.documentElement.scrollWidth")
        covered = page.browser.run(
            "((box) => { const { left, top, width, height } = box('#message');"
            " const seen = document.elementFromPoint(left + width / 4, top + height / 2);"
            f" return height > 0 && top < innerHeight && !seen?.closest('#message'); }})({box})"
        )
        if covered:
            fail(f"at {width}x{height} the message is covered")
        if board < least or bottom > height or cut or wide > width:
            fail(f"at {width}x{height} the board of {rules} is {board:.0f} wide, the lines end at {bottom:.0f}, the page is {wide} wide, a button is cut: {cut}")
    page.browser.screen(844, 390, touch=True)
    page.open("rules=chesimal&side=both&moves=f3o,f4f6")
    end, foot = (page.browser.run(f"document.querySelector('{name}').getBoundingClientRect().{edge}") for name, edge in [("#choices", "top"), (".right", "bottom")])
    if end < foot:
        fail(f"the choices cover {foot - end:.0f} pixels of what stands beside the board")


def menus(page):
    """A menu takes arrow keys, and gives the focus back to the board."""
    page.browser.screen(1200, 900)
    moves = ",".join(GAME.split()[:16])
    page.open(f"rules=fusion-2020&side=both&moves={moves}")
    page.browser.run("document.querySelector('#board svg').focus()")
    for end in ["Escape", "Tab"]:
        page.browser.click('[data-space="d1"]')
        page.browser.run("document.querySelector('#board svg').focus()")
        page.browser.click('[data-space="d3"]')
        page.browser.wait("document.activeElement.closest('#menu')")
        first = page.browser.run("document.activeElement.dataset.move")
        page.browser.key("ArrowDown")
        second = page.browser.run("document.activeElement.dataset.move")
        if first == second:
            fail("an arrow key does not move in a menu")
        page.browser.key(end)
        if page.browser.run("document.activeElement.closest('#board') === null || !document.querySelector('#menu').hidden"):
            fail(f"{end} does not give the focus back from a menu")
        page.browser.key("Escape")
