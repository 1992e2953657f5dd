"""Headless Chromium, driven by the WebDriver protocol over plain HTTP. Needs chromium and chromedriver, and nothing else."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import Skip  # noqa: E402

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "End": "\ue010", "Home": "\ue011", "Tab": "\ue004"}
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
           "--force-device-scale-factor=1", "--no-first-run", "--disable-background-networking",
           "--disable-component-update"]


def screenshot_folder():
    folder = Path(os.environ.get("MPSAN_SCREENSHOTS") or tempfile.gettempdir()) / "mpsan-screenshots"
    if os.environ.get("MPSAN_SCREENSHOTS"):
        folder = Path(os.environ["MPSAN_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Driver:
    """chromedriver, and one window at a time."""

    def __init__(self):
        program = shutil.which("chromedriver")
        if not program or not (shutil.which("chromium") or shutil.which("chromium-browser")):
            raise Skip("no chromium and chromedriver: tools/dev/bootstrap --browser")
        self.folder = tempfile.mkdtemp(prefix="mpsan-chromium-")
        self.process = subprocess.Popen([program, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env={**os.environ, "HOME": self.folder})
        for line in self.process.stdout:
            match = re.search(r"started successfully on port (\d+)", line)
            if match:
                break
        self.base = f"http://127.0.0.1:{match[1]}"
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.session = None

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with self.opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()[:600]}") from None

    def start(self, width=1440, height=1000):
        wish = {"browserName": "chrome",
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "goog:chromeOptions": {"args": [*OPTIONS, f"--window-size={width},{height}",
                                                f"--user-data-dir={self.folder}/profile"]}}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wish}})["sessionId"]
        self.size(width, height)

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def close(self):
        if self.session:
            self.do("DELETE", "")
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cdp(self, command, **parameters):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, file):
        self.do("POST", "/url", {"url": Path(file).resolve().as_uri()})

    def js(self, code, *arguments):
        return self.do("POST", "/execute/sync", {"script": code, "args": list(arguments)})

    def later(self, code, *arguments):
        """Code that calls its last argument when it is done."""
        return self.do("POST", "/execute/async", {"script": code, "args": list(arguments)})

    def keys(self, text):
        actions = [{"type": kind, "value": KEYS.get(text, text)} for kind in ("keyDown", "keyUp")] if text in KEYS else \
            [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def theme(self, name):
        self.cdp("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": name}])

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def requests(self):
        """Addresses that the page asked for since the last look."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def settle(self):
        """Two frames drawn: what the last act caused is on the screen."""
        self.later("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))")

    def until(self, code, what, seconds=10):
        end = time.monotonic() + seconds
        while not self.js(f"return Boolean({code})"):
            assert time.monotonic() < end, f"never came: {what}"
            time.sleep(0.02)

    def shot(self, name, full=False):
        self.settle()
        picture = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        file = screenshot_folder() / f"{name}.png"
        file.write_bytes(base64.b64decode(picture["data"]))
        return file

    def pdf(self, name):
        file = screenshot_folder() / f"{name}.pdf"
        file.write_bytes(base64.b64decode(self.cdp("Page.printToPDF", printBackground=True)["data"]))
        return file
