"""Tests of `tests/pages/play-test`: games of the reader's own file on the page."""

import json
import urllib.parse

from page_games import fail, says

FILE = """[cleric-chess:chess]
bishop = -
customPiece1 = c:NF
startFen = rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1
promotionPieceTypes = qrcn

[bad:chess]
castlng = false
stalemateValue = maybe
"""
RULES = "my.ini#cleric-chess@7ff019c0"
# What a reader does who drops a file on the page.
DROP = """(() => {
  const data = new DataTransfer();
  data.items.add(new File([%s], %s, { type: "text/plain" }));
  for (const type of ["dragover", "drop"])
    document.querySelector("#board").dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
})()"""


def drop(page, name, text):
    page.browser.run(DROP % (json.dumps(text), json.dumps(name)))


def texts_of(page, selector):
    return page.browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((element) => element.textContent)")


def close(page):
    page.browser.click("#new-game [data-do=close]")
    page.browser.wait("!document.querySelector('#new-game[open]')")


def own_files(page):
    """A file is dropped, its problems are listed, its game is played, kept, in the address, and removed."""
    browser = page.browser
    browser.screen(1200, 900)
    page.open("rules=fusion-2020&side=both")
    browser.run("localStorage.clear()")
    page.open("rules=fusion-2020&side=both")
    drop(page, "my.ini", FILE)
    browser.wait("document.querySelector('#new-game[open]')")
    says(page, "1 game of my.ini can be played", "own-status")
    problems = texts_of(page, "#own-problems li")
    if len(problems) != 2 or not problems[0].startswith("my.ini:8: [bad] castlng: ") or "my.ini:9: [bad] stalemateValue: " not in problems[1]:
        fail(f"the problems of a file are {problems}")
    page.browser.wait("document.querySelector('#preset').value === 'my.ini#cleric-chess'")
    says(page, "no network", "summary")
    browser.run("document.querySelector('#new-sides').value = 'first'")
    browser.click("#begin")
    browser.wait(f"document.querySelector('#rules-name').textContent === '{RULES}'")
    # The Clerics, which no player knows, are letters.
    if browser.run("document.querySelectorAll('#board .piece').length") != 32 or browser.run("document.querySelectorAll('#board [href=\"#figure-c\"]').length") != 4:
        fail("the pieces of the file's game are not drawn")
    page.move("c1d3")
    page.settled(2)
    first, reply = page.moves()
    if first != "c1d3" or len(reply) != 4:
        fail(f"the engine answers {first} by {reply}")
    browser.click('[data-do="rules"]')
    browser.wait("document.querySelector('#rules .lesson li')")
    browser.click("#rules .primary")
    link = browser.run("location.hash")
    if "definition=" not in link:
        fail(f"the address has no definition: {link}")
    kept_or_linked(page, link, [first, reply])
    removed(page)
    pasted(page)


def kept_or_linked(page, link, moves):
    """The file stays after the page is closed; the address opens the game where no file is kept."""
    browser = page.browser
    page.open(f"rules={urllib.parse.quote('my.ini#cleric-chess')}&side=both")
    if browser.run("document.querySelector('#rules-name').textContent") != RULES:
        fail("a file is not kept")
    browser.run("localStorage.clear()")
    page.open(f"rules={urllib.parse.quote('kept.ini#cleric-chess')}&side=both")
    says(page, "is no file that this page knows")
    page.open(link.lstrip("#"))
    if page.moves()[:2] != moves or browser.run("document.querySelector('#rules-name').textContent") != RULES:
        fail(f"the address {link} opens {page.moves()}")
    # A definition of other rules is not believed.
    page.open(link.lstrip("#").replace("my.ini", "other.ini").replace("c%3ANF", "c%3AN"))
    says(page, "does not define")


def removed(page):
    browser = page.browser
    page.open("rules=fusion-2020&side=both")
    drop(page, "my.ini", FILE)
    says(page, "1 game of my.ini", "own-status")
    if browser.run("document.querySelectorAll('#preset optgroup').length") != 1:
        fail("the list of games has no group for a file")
    browser.click("#own-files button")
    says(page, "my.ini was removed", "own-status")
    left = browser.run("document.querySelectorAll('#preset optgroup').length + JSON.parse(localStorage.getItem('fusion-chess-lab-files')).length")
    if left:
        fail("a file that was removed is still there")
    close(page)


def pasted(page):
    """A text that is pasted is read; one without a game says why, and is not kept."""
    browser = page.browser
    browser.screen(390, 844, touch=True)
    browser.click('[data-do="new"]')
    browser.wait("document.querySelector('#new-game[open]')")
    browser.run("document.querySelector('#own').open = true")
    for text, status, problem in [
        ("[a:nosuch]\n", "has no game that can be played", "pasted.ini:1: [a] no section"),
        ("nonsense", "has no game that can be played", "pasted.ini:1: "),
        ("", "has no game that can be played", "pasted.ini: the file has no section"),
        ("[large:grand]\nstalemateValue = loss\n", "1 game of pasted.ini can be played", None),
        ("[other:chess]\n", "1 game of pasted-2.ini can be played", None),
    ]:
        browser.run(f"document.querySelector('#own-text').value = {json.dumps(text)}")
        browser.click("#own-read")
        says(page, status, "own-status")
        if problem:
            browser.wait(f"document.querySelector('#own-problems').textContent.includes({json.dumps(problem)})", 20)
        elif texts_of(page, "#own-problems li"):
            fail(f"the text {text!r} has problems")
    if browser.run("document.documentElement.scrollWidth") > 390:
        fail("the dialog is wider than the screen")
    browser.wait("document.querySelector('#preset').value === 'pasted-2.ini#other'")
    # Rules that are too long for the address are not in it, which is said.
    pieces = "".join(f"customPiece{number} = {letter}:{'NFDAHGCZWR3B3' * 12}\n" for number, letter in enumerate("acdefghijlmostuvwxyz", 1))
    browser.run(f"document.querySelector('#own-text').value = {json.dumps('[long:chess]' + chr(10) + pieces)}")
    browser.click("#own-read")
    browser.wait("document.querySelector('#preset').value === 'pasted-3.ini#long'")
    browser.click("#begin")
    says(page, "too long for the address")
    if "definition=" in browser.run("location.hash"):
        fail("a long definition is in the address")
    browser.run("localStorage.clear()")
    print("play-test: games of a file are played, kept and removed")
