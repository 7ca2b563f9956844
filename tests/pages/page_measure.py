"""Tests of `tests/pages/play-test`: a study on the page has the games of the same study by the program."""

import re
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

from page_files import FILE, RULES as OWN, drop
from page_games import fail

ROOT = Path(__file__).resolve().parents[2]
RULES = ["fusion-2020", "fusion-1999", "orthodox", "orthodox,castling=no"]
OPENINGS = 50
FIRST_OPENINGS = 40
QUESTION = f"measure={';'.join(RULES)}&openings={FIRST_OPENINGS}&nodes=50&player=network&seed=3"
# Seconds from the start to the first interval.
FIRST_INTERVAL = 20


def text(browser, name):
    return browser.run(f"document.getElementById('{name}').textContent")


def played(browser):
    return int(browser.run("document.body.dataset.played ?? 0"))


def study_of_200_games(page, fusion):
    """A study from an address to its verdict, with a pause, the page closed in the middle, and more openings at the end."""
    browser = page.browser
    browser.screen(1200, 900)
    page.open(QUESTION)
    if text(browser, "asked-question") != "Which of these is the least drawish?":
        fail("the address is not the question")
    browser.run("document.getElementById('asked-workers').value = 2")
    browser.click("#start")
    started = time.monotonic()
    browser.wait("document.querySelector('#lab-arms .interval')", 120)
    took = time.monotonic() - started
    print(f"play-test: the first interval came after {took:.1f} s")
    if took > FIRST_INTERVAL:
        fail(f"the first interval came only after {took:.1f} s")
    browser.wait("document.body.dataset.played >= 40", 300)
    browser.click("#lab-pause")
    browser.wait("document.getElementById('lab-pause').textContent === 'Go on'")
    before = played(browser)
    time.sleep(1)
    if played(browser) != before:
        fail("games went on after the pause")
    # The closed page.
    browser.open("about:blank")
    page.open(QUESTION)
    if played(browser) != before or "Paused" in text(browser, "lab-status"):
        fail(f"of {before} games {played(browser)} were kept: {text(browser, 'lab-status')}")
    browser.run("document.getElementById('asked-workers').value = 2")
    browser.click("#lab-pause")
    browser.wait(f"document.body.dataset.openings === '{FIRST_OPENINGS}'", 600)
    more_openings(browser)
    if text(browser, "lab-status") != "All 200 games are played.":
        fail(f"the status at the end is {text(browser, 'lab-status')}")
    if not text(browser, "lab-sentence"):
        fail("there is no verdict")
    compare(browser, fusion)
    game_on_the_board(page)
    wide(page)
    another_version(page)
    browser.click("#lab-discard")
    browser.wait("document.getElementById('lab-study').hidden")


def more_openings(browser):
    """A larger number of openings goes on with the games that are there."""
    before = played(browser)
    if before != FIRST_OPENINGS * len(RULES):
        fail(f"{before} games are all")
    browser.run(f"document.getElementById('asked-openings').value = {OPENINGS}")
    browser.click("#start")
    browser.wait(f"document.getElementById('lab-status').textContent.includes('{OPENINGS * len(RULES)} games')")
    if played(browser) < before:
        fail(f"of {before} games {played(browser)} were kept")
    browser.wait(f"document.body.dataset.openings === '{OPENINGS}'", 600)


def another_version(page):
    """A study whose games are of another program does not go on."""
    browser = page.browser
    browser.run("""(() => {
      indexedDB.open('fusion-chess-lab').onsuccess = ({ target }) => {
        const transaction = target.result.transaction(['study', 'games'], 'readwrite');
        const studies = transaction.objectStore('study');
        studies.get('study').onsuccess = ({ target }) => studies.put({ ...target.result, behaviour: 'another' }, 'study');
        transaction.objectStore('games').delete(0);
        transaction.oncomplete = () => { document.body.dataset.changed = 'yes'; };
      };
    })()""")
    browser.wait("document.body.dataset.changed === 'yes'")
    browser.open("about:blank")
    page.open(QUESTION)
    browser.click("#lab-pause")
    browser.wait("document.getElementById('lab-message').textContent.includes('another version of this page')")
    if played(browser) != OPENINGS * len(RULES) - 1:
        fail(f"{played(browser)} games are there after the study was rejected")


def compare(browser, fusion):
    """The files of the saved study are those of the program, and it reports on them."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        browser.click("#lab-save")
        end = time.monotonic() + 30
        while not (found := list(folder.glob("*.zip"))):
            if time.monotonic() > end:
                fail("the study was not saved")
            time.sleep(0.1)
        with zipfile.ZipFile(found[0]) as archive:
            if archive.testzip() is not None:
                fail("the archive is damaged")
            archive.extractall(folder)
        (run,) = (path.parent for path in folder.glob("*/study.toml"))

        def program(*arguments):
            done = subprocess.run([fusion, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)
            if done.returncode != 0:
                fail(f"{arguments}: {done.stderr}")
            return done.stdout

        own = folder / "own"
        own.mkdir()
        (own / "study.toml").write_text((run / "study.toml").read_text().replace("[study]\n", f"[study]\nout = '{own}'\n"))
        for step in ["openings", "measure"]:
            program(step, "--study", own / "study.toml")
        names = ["openings.csv", *(f"measure/{name}" for name in ["games.csv", "games.pgn", "measure.json", "SHA256SUMS"])]
        for name in names:
            if (run / name).read_bytes() != (own / name).read_bytes():
                fail(f"{name} of the page is not that of the program")
        rows = (run / "measure" / "games.csv").read_text().splitlines()
        if len(rows) != 1 + len(RULES) * OPENINGS:
            fail(f"games.csv has {len(rows)} lines")
        said = re.sub(r"\s+", " ", program("report", run))
        headline = text(browser, "lab-verdict")
        if headline not in said:
            fail(f"the report does not say {headline}: {said[:2000]}")


def game_on_the_board(page):
    """A game of the list is shown on the board, and the laboratory is as it was."""
    browser = page.browser
    browser.run("document.querySelector('#lab details').open = true")
    browser.run("document.querySelector('#lab-games button').click()")
    browser.wait("!document.getElementById('table').hidden && document.body.dataset.moves.split(' ').length > 8")
    browser.click("#to-lab")
    browser.wait("!document.getElementById('lab').hidden")


def wide(page):
    """Nothing is wider than a narrow screen."""
    browser = page.browser
    for dark in [False, True]:
        browser.screen(390, 844, dark=dark, touch=True)
        width = browser.run("document.documentElement.scrollWidth")
        if width > 390:
            fail(f"the laboratory is {width} pixels wide on a screen of 390")
    browser.screen(1200, 900)


def questions(page):
    """Wrong parts of an address are named; a mix of rules is one press away."""
    browser = page.browser
    page.open("measure=fusion-2020;nonsense&openings=1&nodes=x&what=1")
    said = text(browser, "lab-message")
    for part in ["“nonsense”", "“1” is no number of openings", "“x” is no number of nodes", "“what=1”"]:
        if part not in said:
            fail(f"the laboratory does not name {part}: {said}")
    if text(browser, "asked-question") != "How often is fusion-2020 drawn?":
        fail("the rest of the address is not the question")
    page.open("rules=fusion-2020,castling=no&side=both")
    browser.click("[data-do=new]")
    browser.wait("document.querySelector('#new-game[open]')")
    browser.click("#measure-this")
    browser.wait("!document.getElementById('lab').hidden")
    if text(browser, "asked-question") != "Is fusion-2020,castling=no less drawish than fusion-2020?":
        fail(f"the question is {text(browser, 'asked-question')}")
    if "#measure=fusion-2020,castling=no;fusion-2020&" not in browser.run("location.href"):
        fail(f"the address is {browser.run('location.href')}")
    browser.click("#to-lab")
    browser.wait("!document.getElementById('table').hidden && location.hash.startsWith('#rules=')")


def linked_files(page):
    """A question about a game of a file is in the address, and is measured where no file is kept."""
    browser = page.browser
    page.open("rules=fusion-2020&side=both")
    drop(page, "my.ini", FILE)
    browser.wait("document.querySelector('#new-game[open]') && document.querySelector('#preset').value === 'my.ini#cleric-chess'")
    browser.run(
        "(() => { const select = [...document.querySelectorAll('#toggles select')].find((select) => select.ariaLabel.includes('stalemate'));"
        " select.value = 'loss'; select.dispatchEvent(new Event('change')); })()"
    )
    changed = f"{OWN},stalemateValue=loss"
    browser.wait(f"document.querySelector('#summary').textContent.includes('stalemateValue=loss')")
    browser.click("#measure-this")
    browser.wait("!document.getElementById('lab').hidden")
    link = browser.run("location.hash")
    if f"measure={changed.replace('#', '%23').replace('@', '%40')};" not in link or link.count("definition=") != 1:
        fail(f"the address of a file's game is {link}")
    browser.run("localStorage.clear()")
    question = re.sub("openings=[0-9]+&nodes=[0-9]+", "openings=5&nodes=10", link).replace("player=network", "player=material")
    page.open(question.lstrip("#"))
    if text(browser, "lab-message") or text(browser, "asked-question") != "Is my.ini#cleric-chess,stalemateValue=loss less drawish than my.ini#cleric-chess?":
        fail(f"the address {link} asks {text(browser, 'asked-question')} {text(browser, 'lab-message')}")
    browser.click("#start")
    browser.wait("document.body.dataset.openings === '5'", 120)
    # The game of a kept study is shown, too.
    page.open(question.lstrip("#"))
    browser.wait("document.body.dataset.played === '10'")
    game_on_the_board(page)
    browser.click("#lab-discard")
    browser.wait("document.getElementById('lab-study').hidden")
    # A definition of other rules is not believed.
    page.open(question.lstrip("#").replace("c%3ANF", "c%3AN"))
    if "does not define" not in text(browser, "lab-message"):
        fail(f"a wrong definition is not named: {text(browser, 'lab-message')}")
    print("play-test: a question about a file's game is in the address")
