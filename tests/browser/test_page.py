#!/usr/bin/env python3
"""The HTML report in headless Chromium: what it shows, how it is searched, and whether everybody can use it."""
# cases
# limit: 120

import re
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "lib")]

import reports  # noqa: E402
from chromium import Driver  # noqa: E402
from mpsantest import MPSAN, ROOT, main, run_bare, system_python  # noqa: E402

CONTRAST = 4.5  # WCAG AA for text
CONTRAST_CODE = (Path(__file__).parent / "contrast.js").read_text()
FOCUSED = """const one = document.activeElement, box = one.getBoundingClientRect(), style = getComputedStyle(one);
    const all = [...document.querySelectorAll('*')], label = one.closest('label');
    return {what: one.id || one.className || one.tagName, place: all.indexOf(one), size: box.width * box.height,
            outlined: [style, label && getComputedStyle(label)].some((each) => each?.outlineStyle !== 'none' && each?.outlineWidth !== '0px')};"""
UNSOUND = """const found = [], ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
    ids.filter((id, i) => ids.indexOf(id) < i).forEach((id) => found.push(`id ${id} twice`));
    for (const name of ['aria-labelledby', 'aria-describedby', 'aria-activedescendant', 'aria-controls', 'for'])
        for (const one of document.querySelectorAll(`[${name}]`))
            one.getAttribute(name).split(' ').filter((id) => !document.getElementById(id)).forEach((id) => found.push(`${name} ${id}`));
    const levels = [...document.querySelectorAll('h1, h2, h3, h4')].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]));
    levels.forEach((level, i) => { if (level > (levels[i - 1] || 0) + 1) found.push(`h${level} below h${levels[i - 1]}`); });
    if (levels.filter((level) => level === 1).length !== 1 || !document.documentElement.lang)
        found.push('one h1 and a language');
    return found;"""


def with_page(report, check, width=1440, height=1000):
    """Opens the page of a report, lets `check` look at it, and insists that it asked for nothing and complained of nothing."""
    driver = Driver()
    try:
        driver.start(width, height)
        with tempfile.TemporaryDirectory() as place:
            file = reports.write_page(report, f"{place}/page.html")
            driver.requests()
            driver.open(file)
            driver.settle()
            driver.settle()
            check(driver)
            asked = [one for one in driver.requests() if one != file.as_uri() and not one.startswith(f"{file.as_uri()}#")]
            assert not [one for one in asked if not one.startswith("data:,")], asked
            complaints = [entry["message"] for entry in driver.log("browser")]
            assert not complaints, complaints
    finally:
        driver.close()


def text_of(driver, selector):
    return driver.js("return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", selector)


def count_of(driver, selector):
    return driver.js("return document.querySelectorAll(arguments[0]).length", selector)


def press(driver, *keys):
    for key in keys:
        driver.keys(key)
    driver.settle()


def check_top():
    def look(driver):
        assert text_of(driver, "h1") == ["2 proven errors."], text_of(driver, "h1")
        assert text_of(driver, "#rest") == ["1 warning, 1 note, 1 suppressed"], text_of(driver, "#rest")
        assert text_of(driver, "#command") == ["python3 train.py --epochs 3"]
        facts = dict(zip(text_of(driver, "#facts dt"), text_of(driver, "#facts dd")))
        assert facts["Ended"] == "exit code 0" and facts["Lasted"] == "1 s" and facts["Processes"] == "4", facts
        assert text_of(driver, "#story .frames .source") == [f"20{name}(<lock>)  # {role}\n" for name, role in (
            ("refresh", "holder"), ("start", "fork"), ("look_up", "wait"))]
        tops = driver.js("return ['.desk', '#overview', '#folds'].map((part) => document.querySelector(part).getBoundingClientRect().top)")
        assert tops == sorted(tops), "the findings come first"
        assert text_of(driver, ".fold h2") == ["1 limit: what could not be observed", "Best practices: 1 violated, 1 kept"]
        driver.shot("story-light")
        driver.theme("dark")
        driver.shot("story-dark")
    with_page(reports.stories(), look)


def check_nothing():
    def look(driver):
        assert text_of(driver, "h1.good") == ["No findings."]
        assert "No findings" in text_of(driver, "#story")[0]
        driver.shot("nothing")
    with_page(reports.document([], [reports.process(1, 0, "ok", 0, 5)]), look)
    with_page({"findings": [], "processes": [], "command": []}, look)


def check_pictures():
    """Each kind of story has its picture, with the parts that explain it and the same facts as a table."""
    parts = {
        "fork-orphaned-lock": {".mark.hold": 1, ".mark.wait": 1, ".mark.ghost": 1, ".fork": 1, ".badge": 3, ".node": 3,
                               ".node.thing": 1, ".node.gone": 1, ".edge.wait": 1, ".edge.hold": 1},
        "deadlock-cycle": {".node": 4, ".node.thing": 2, ".node.gone": 0, ".edge.wait": 2, ".edge.hold": 2, ".mark.wait": 2},
        "ipc-freed-while-open": {".mark.memory": 1, ".mark.use": 2, ".mark.beyond": 2, ".badge": 3},
        "lock-order-inversion": {".node": 4, ".node.thing": 2, ".edge.wait": 2, ".edge.hold": 2, ".badge": 2},
    }

    def look(driver):
        for rule, wanted in parts.items():
            assert text_of(driver, "#story .kind code") == [rule]
            found = {part: count_of(driver, f"#story {part}") for part in wanted}
            assert found == wanted, (rule, found)
            assert driver.js("return [...document.querySelectorAll('#story .figure')].every((box) => box.scrollWidth <= box.clientWidth)"), rule
            assert all(text_of(driver, "#story .picture > title")) and all(text_of(driver, "#story .picture > desc"))
            driver.js("document.querySelectorAll('#story .as-table').forEach((fold) => { fold.open = true; })")
            driver.until("[...document.querySelectorAll('#story .as-table')].every((fold) => fold.querySelector('tbody tr'))", "tables")
            driver.js("document.querySelectorAll('#story .as-table').forEach((fold) => { fold.open = false; })")
            driver.js("scrollTo({top: document.querySelector('.desk').offsetTop, behavior: 'instant'})")
            driver.shot(f"picture-{rule}")
            press(driver, "j")
    with_page(reports.stories(), look)


def check_nobody_left():
    """An arrow leads to the process whose end is waited for; none from that which nobody could end."""
    def look(driver):
        counts = [count_of(driver, f"#story .{part}") for part in ("node", "node.gone", "edge.wait", "edge.hold")]
        assert counts == [4, 0, 2, 1], counts
    processes = [reports.process(100, 0, "train.py", 0, 900), reports.process(102, 100, "worker", 100, 900)]
    with_page(reports.document([reports.starved()], processes), look)


def check_time():
    """In the picture of a fork the hold begins before it, the wait after it, and the arrow leads down to the child."""
    def look(driver):
        box = """const box = (name) => document.querySelector('#story ' + name).getBoundingClientRect();
            const [hold, fork, wait, ghost] = ['.mark.hold', '.fork', '.mark.wait', '.mark.ghost'].map(box);"""
        assert driver.js(box + "return hold.left < fork.left && fork.left < wait.left && Math.abs(ghost.left - fork.left) < 4")
        assert driver.js(box + "return fork.top < wait.top && fork.bottom <= wait.bottom && ghost.top > wait.top")
    with_page(reports.stories(), look)


def check_search():
    def look(driver):
        def found(query):
            driver.js("document.getElementById('search').focus()")
            press(driver, "Escape", "/")
            driver.keys(query)
            driver.settle()
            return driver.js("return shownFindings().map((finding) => finding.rule)")
        assert found("mutex") == ["deadlock-cycle"], "a word of a step"
        assert text_of(driver, "#result") == ["1 of 4 findings"], text_of(driver, "#result")
        assert found("look_up refresher") == ["fork-orphaned-lock"], "a frame and a thread"
        assert found("NATIVE_3 lock_a") == ["lock-order-inversion"], "a native frame, in capitals"
        assert found("no such words") == [] and "No matching findings" in text_of(driver, "#story")[0]
        assert len(found("")) == 4
        press(driver, "Escape")
        driver.js("document.getElementById('grade-error').click()")
        driver.settle()
        assert text_of(driver, "#result") == ["2 of 4 findings"], text_of(driver, "#result")
        driver.js("document.getElementById('grade-error').click()")
        choose = "const pick = document.getElementById(arguments[0]); pick.value = arguments[1]; pick.dispatchEvent(new Event('change'))"
        driver.js(choose, "rule", "deadlock-cycle")
        assert text_of(driver, "#story .kind code") == ["deadlock-cycle"]
        driver.js(choose, "rule", "")
        driver.js(choose, "process", "103")
        assert driver.js("return shownFindings().map((one) => one.rule)") == ["ipc-freed-while-open"], "103 only had it open"
        driver.js(choose, "process", "102")
        assert driver.js("return shownFindings().map((one) => one.rule)") == ["deadlock-cycle", "ipc-freed-while-open"]
    with_page(reports.stories(), look)


def check_keys():
    def look(driver):
        chosen = "return chosen"
        press(driver, "j", "j")
        assert driver.js(chosen) == 2
        press(driver, "k")
        assert driver.js(chosen) == 1 and driver.js("return location.hash.slice(1) === shownFindings()[1].fingerprint")
        press(driver, "Enter")
        assert driver.js("return document.activeElement.id") == "story"
        press(driver, "Escape")
        assert driver.js("return document.activeElement.id") == "list"
        press(driver, "End")
        assert driver.js(chosen) == 3 and driver.js("return document.getElementById('list').getAttribute('aria-activedescendant')") == "item-3"
        press(driver, "Home", "Down")
        assert driver.js(chosen) == 1
        press(driver, "/")
        assert driver.js("return document.activeElement.id") == "search"
        press(driver, "j")
        assert driver.js("return document.getElementById('search').value") == "j", "letters belong to the search now"
        press(driver, "Escape", "?")
        assert driver.js("return document.getElementById('help').open")
        driver.shot("help")
        press(driver, "Escape", "e")
        assert driver.js("return document.getElementById('help').open") is False
        assert driver.js("return shownFindings().length") == 2, "e hides errors"
        outline = driver.js("const list = document.getElementById('list'); return getComputedStyle(list).outlineStyle")
        assert outline == "solid", "the focus is seen"
    with_page(reports.stories(), look)


def luminance(driver):
    return driver.js("return getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)")


def check_themes():
    def look(driver):
        assert luminance(driver) > 600
        driver.theme("dark")
        assert luminance(driver) < 150
        driver.js("document.getElementById('theme').click(); document.getElementById('theme').click()")
        assert text_of(driver, "#theme") == ["Theme: light"] and luminance(driver) > 600
    with_page(reports.stories(), look)


def check_contrast():
    def look(driver):
        for theme in ("light", "dark"):
            driver.theme(theme)
            for _ in range(4):
                driver.js("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
                driver.settle()
                pairs = driver.js(CONTRAST_CODE)
                assert len(pairs) > 60, len(pairs)
                low = [pair for pair in pairs if pair["ratio"] < CONTRAST]
                assert not low, (theme, low[:8])
                press(driver, "j")
            press(driver, "k", "k", "k")
    with_page(reports.stories(), look)


def check_names():
    """What a screen reader gets: landmarks, headings, and a name for all that can be used or looked at."""
    def look(driver):
        nodes = [(node["role"]["value"], node.get("name", {}).get("value", ""), node.get("properties", []))
                 for node in driver.cdp("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
        roles = {role for role, _, _ in nodes}
        assert {"banner", "main", "search", "listbox", "option", "article", "status", "contentinfo", "heading"} <= roles, roles
        need = ("button", "link", "searchbox", "textbox", "combobox", "checkbox", "listbox", "option", "region", "article", "dialog", "image", "img",
                "graphics-document")
        nameless = [role for role, name, _ in nodes if role in need and not name.strip()]
        assert not nameless, nameless
        names = {name for _, name, _ in nodes}
        assert {"Processes over time", "Timeline of fork-orphaned-lock", "Search in findings", "The fix"} <= names, sorted(names)[:80]
        option = driver.js("const one = document.querySelector('[role=option]'); return [one.ariaPosInSet, one.ariaSetSize, one.ariaSelected]")
        assert option == ["1", "4", "true"], option
    with_page(reports.stories(), look)


def check_hostile():
    """Names that are markup, in every place: they are shown, and nothing of them runs or becomes an element."""
    def look(driver):
        press(driver, "j")
        for _ in reports.HOSTILE:
            driver.js("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
            driver.settle()
            assert count_of(driver, "img, iframe, object, embed, a[href^=javascript]") == 0
            press(driver, "j")
        driver.js("printStories()")
        assert driver.js("return window.hit === undefined && document.scripts.length === 2")
        driver.js("choose(0); scrollTo({top: 0, behavior: 'instant'})")
        assert text_of(driver, "#story h2") == [reports.HOSTILE[0]]
        assert not driver.js("return /[\u202a-\u202e\u001b]/.test(document.querySelector('main').innerText + document.querySelector('header').innerText)")
        driver.shot("hostile")
    with_page(reports.hostile(), look)


def check_hosts():
    """What a pid means depends on its host: in the pictures, the choice of processes and the facts."""
    def look(driver):
        facts = dict(zip(text_of(driver, "#facts dt"), text_of(driver, "#facts dd")))
        assert facts["Hosts"] == "node-a, node-b" and facts["Ranks"] == "2" and "250 ms" in facts["Clocks"], facts
        assert "on 1 of 2 ranks: 0" in text_of(driver, ".seen")[0] and "node-a" in text_of(driver, ".seen")[0], text_of(driver, ".seen")
        assert any("worker-a" in text for text in text_of(driver, "#story .group-name")), text_of(driver, "#story .group-name")
        assert len(text_of(driver, "#process option")) == 5 and any("worker-b (101 on node-b rank 1): 1" in text for text in text_of(driver, "#process option"))
        driver.js("chooseProcess(processKey(101, {host: 'node-b', rank: 1}))")
        assert driver.js("return shownFindings().map((one) => one.host)") == ["node-b"]
        assert any("worker-b" in text for text in text_of(driver, "#story .group-name"))
        driver.shot("hosts")
    with_page(reports.fleet(), look)


def check_suppression():
    """The line that the page offers for --suppressions silences that finding, and the page of a real run is whole."""
    driver = Driver()
    try:
        with tempfile.TemporaryDirectory() as place:
            run_bare([MPSAN, "run", "--on-deadlock=kill", "--dir", f"{place}/session", "--report", f"html={place}/page.html", "--",
                      system_python(), ROOT / "examples/lock-over-start/hazard.py"])
            driver.start()
            driver.open(f"{place}/page.html")
            driver.settle()
            assert text_of(driver, "#story .kind code") == ["fork-orphaned-lock"]
            assert count_of(driver, "#story .mark.ghost") == count_of(driver, "#story .fork") == 1
            lines = driver.js("return findings.map(suppressionOf)")
            Path(f"{place}/lines").write_text("\n".join(lines) + "\n")
            bare = run_bare([MPSAN, "report", "--report", "text=-", f"{place}/session"])
            run = run_bare([MPSAN, "report", "--report", "text=-", "--suppressions", f"{place}/lines", f"{place}/session"])
            assert "fork-orphaned-lock" in bare.out and f"{len(lines)} suppressed" in run.out, (lines, run.out)
            assert not [line for line in lines if f": {line.split(':')[0]}:" in run.out], (lines, run.out)
            driver.shot("real")
            driver.theme("light")
            driver.size(1240, 660)
            driver.do("POST", "/refresh", {})
            driver.until("document.querySelector('.desk')", "the page again")
            driver.js("scrollTo({top: document.querySelector('.desk').offsetTop - 12, behavior: 'instant'})")
            driver.shot("readme")  # examples/report.png
    finally:
        driver.close()


def check_copy():
    """The buttons put exactly what stands beside them into the clipboard, and the finding as Markdown; what the program has
    written stands between fences that it cannot close."""
    def look(driver):
        driver.js("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
        for i, wanted in enumerate(("fork-orphaned-lock:train.py:look_up", one["fingerprint"])):
            driver.js(f"document.querySelectorAll('#story .copy button')[{1 - i}].click()")
            driver.until(f"window.copied === '{wanted}'", wanted)
        press(driver, "c")
        driver.until("window.copied.startsWith('### mpsan: error: fork-orphaned-lock\\n')", "Markdown")
        text = driver.js("return window.copied")
        outside = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.M | re.S)
        assert outside.split() == "### mpsan: error: fork-orphaned-lock".split(), outside
        for part in (one["message"], one["fix"], one["fingerprint"], "python3 train.py --epochs 3", "3. the main thread of the child 101 waits",
                     "look_up (train.py:20): look_up(<lock>)"):
            assert part in text, (part, text)
        driver.js("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
        press(driver, "c")
        driver.until("document.querySelector('.copy-markdown').textContent === 'Copied'", "the old way to copy")
        assert driver.js("return document.activeElement.className") == "copy-markdown" and count_of(driver, "textarea") == 0
    report = reports.stories()
    one = report["findings"][0]
    one["message"] += " ```` @everyone <img src=x>"
    with_page(report, look)


def check_first_screen():
    """What waits where, why it never ends and what to do stand on the first screen, on a phone's as well, in both themes;
    a message that holds it all takes their place."""
    def look(driver):
        for width, theme in ((1400, "light"), (1400, "dark"), (500, "light"), (500, "dark")):
            driver.theme(theme)
            driver.size(width, 860)
            driver.settle()
            foot = driver.js("return document.querySelector('#story .fix').getBoundingClientRect().bottom")
            assert foot <= 860, (width, theme, foot)
            driver.shot(f"first-{width}-{theme}")

    def told(driver):
        look(driver)
        assert text_of(driver, "#story h2") == ['Worker "parse" (101) hangs at train.py:20'] and text_of(driver, "#story .why-never") == ["Its owner was not copied"]
        assert driver.js("return document.querySelector('.item-text').textContent") == 'worker "parse" (101) hangs at train.py:20'

    def long(driver):
        look(driver)
        assert text_of(driver, "#story .fix p") == ["Write with lock: there"] and text_of(driver, "#story .fix code") == ["with lock:"]
        assert text_of(driver, "#story h2.long") == [wordy["message"].capitalize()] and count_of(driver, "#story .why-never") == 0
    report = reports.stories()
    report["findings"][0].update(what='worker "parse" (101) hangs at train.py:20', why="its owner was not copied")
    with_page(report, told)
    report = reports.stories()
    wordy = report["findings"][0]
    wordy["fix"] = "write `with lock:` there"
    wordy["message"] = "process 101 waits " + "for lock 7 and " * 30
    with_page(report, long)


def check_alike():
    """Equal waits are one step, one lane and one card, which lead to the lock and on to its dead owner; they can be opened.
    Of the processes those alike and a wrapper's short commands share a lane."""
    def look(driver):
        assert text_of(driver, "#story .step .what") == ["Process 201 waits for the lock", "Process 100 waits for the end of process 201"]
        assert text_of(driver, "#story .alike summary") == ["and 22 alike"] and count_of(driver, "#story .alike li") == 23
        assert text_of(driver, "#story .node-name") == ["23 alike: worker-1 …", "train.py (100)", "worker-0 (200)", "the end of process 201", "the lock"]
        assert count_of(driver, "#story .node.gone") == 1 and text_of(driver, "#story .node.gone .node-sub") == ["exit code 3"]
        assert count_of(driver, "#story .edge.hold") == count_of(driver, "#story .edge.wait") == 2
        assert count_of(driver, "#story .mark.wait") == 2
        for lanes, expanded in ((24, "true"), (2, "false")):
            driver.js("document.querySelector('#story .unfold').click()")
            assert count_of(driver, "#story .mark.wait") == lanes
            assert driver.js("return [document.activeElement.className, document.activeElement.ariaExpanded]") == ["more unfold", expanded]
        assert text_of(driver, ".lane-name") == ["train.py (100)", "worker-0 (200)", "23 alike: worker-1 …", "40 short helpers"]
        driver.shot("alike")
        driver.js("document.getElementById('unfold').click()")
        assert driver.js("return [lanes.length, document.getElementById('unfold').ariaExpanded]") == [65, "true"]
    with_page(reports.alike(), look)


def check_code():
    """The program's line is marked among those around it, and the frames of libraries are folded, with their numbers kept."""
    def look(driver):
        assert text_of(driver, "#story .source mark") == ["20    with lock:\n"] and text_of(driver, "#story .source span.line-number") == ["18", "19", "20", "21"]
        assert text_of(driver, "#story .frames .folded") == ["2 frames of multiprocessing"]
        numbers = "return [...document.querySelectorAll('#story .frames li[data-number]')].map((one) => one.dataset.number).join('')"
        assert driver.js(numbers) == "03"
        driver.js("document.querySelector('#story .folded button').click()")
        assert driver.js(numbers) == "0123" and count_of(driver, "#story .folded") == 0
        driver.shot("code")
    one = reports.orphan()
    library = [reports.frame(name, "/usr/lib/python3.11/multiprocessing/process.py") for name in ("run", "_bootstrap")]
    own = {**reports.frame("look_up", line=20), "source": "with lock:", "around": {"first": 18, "lines": ["def look_up():", "    key = 1", "    with lock:", "        pass"]}}
    one["evidence"] = [{**one["evidence"][2], "stack": [], "at": own, "python": [own, *library, reports.frame("main")]}]
    with_page(reports.document([one], []), look)


def check_reach():
    """Tab reaches all that can be used, from top to bottom, each with its outline in sight; ids are unique, references lead to
    something, headings go down by one, and what is pressed is large enough."""
    def look(driver):
        for width in (1400, 500):
            driver.size(width, 860)
            driver.settle()
            driver.js("document.querySelector('.skip').focus()")
            wanted = driver.js("return [...document.querySelectorAll('a[href], button:not([disabled]), input, select, summary, [tabindex=\"0\"]')]"
                               ".filter((one) => one.checkVisibility()).length")
            seen = [driver.js(FOCUSED)]
            while len(seen) < wanted:
                press(driver, "Tab")
                seen.append(driver.js(FOCUSED))
            assert not [one for one in seen if not one["outlined"] or not one["size"]], seen
            places = [one["place"] for one in seen]
            assert places == sorted(set(places)), seen
            small = driver.js("return [...document.querySelectorAll('button, select, input[type=search]')].filter((one) => one.checkVisibility())"
                              ".filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.textContent)")
            assert not small, small
        assert driver.js(UNSOUND) == []
    with_page(reports.stories(), look)


def check_narrow():
    def look(driver):
        for width in (390, 320):
            driver.size(width, 844)
            driver.settle()
            assert driver.js("return document.documentElement.scrollWidth") <= width, "the page itself does not scroll sideways"
        driver.size(390, 844)
        driver.shot("narrow")
        driver.js("document.getElementById('story').scrollIntoView({behavior: 'instant'})")
        driver.shot("narrow-story")
    with_page(reports.stories(), look, 390, 844)


def check_print():
    def look(driver):
        pdf = driver.pdf("printed").read_bytes()
        assert pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") >= 4, "a page for each story"
        driver.js("printStories()")
        driver.cdp("Emulation.setEmulatedMedia", media="print")
        assert driver.js("return [...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).length") == 0
        assert count_of(driver, "#printed article") == 4
        assert driver.js("return document.querySelector('.desk').offsetHeight") == 0
        driver.size(794, 1123)
        driver.js("scrollTo({top: document.querySelector('#printed').offsetTop - 60, behavior: 'instant'})")
        driver.shot("printed")
    with_page(reports.stories(), look)


main({"top": check_top, "nothing": check_nothing, "pictures": check_pictures, "nobody_left": check_nobody_left, "time": check_time, "search": check_search, "keys": check_keys,
      "themes": check_themes, "contrast": check_contrast, "names": check_names, "hostile": check_hostile, "hosts": check_hosts, "suppression": check_suppression, "copy": check_copy, "first_screen": check_first_screen,
      "alike": check_alike, "code": check_code, "reach": check_reach, "narrow": check_narrow,
      "print": check_print})
