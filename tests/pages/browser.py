"""Drives headless Chromium over its debugging pipe, with Python's own library only."""

import base64
import json
import os
import select
import shutil
import subprocess
import time


def find_chromium(name):
    """The path of the browser, or None. Installs it if that is possible without a question; `name` is the calling test's."""
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

    def found():
        return next(filter(None, map(shutil.which, names)), None)

    if found() is None and shutil.which("apt-get"):
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        if not sudo or (shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True).returncode == 0):
            print(f"{name}: installing chromium", flush=True)
            install = [*sudo, "apt-get", "install", "-y", "--no-install-recommends", "chromium"]
            if subprocess.run(install, stdout=subprocess.DEVNULL).returncode != 0:
                update = [*sudo, "apt-get", "update"]
                subprocess.run(update, stdout=subprocess.DEVNULL)
                subprocess.run(install, stdout=subprocess.DEVNULL)
    return found()


class Browser:
    """A browser with one page. Errors of the page's scripts are collected in `errors`."""

    def __init__(self, program, profile):
        request, self.out = os.pipe()
        self.into, reply = os.pipe()

        def connect():
            os.dup2(request, 103)
            os.dup2(reply, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        flags = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            [program, *flags], preexec_fn=connect, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        os.close(request)
        os.close(reply)
        self.number, self.buffer, self.session, self.errors = 0, b"", None, []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.send(f"{domain}.enable")

    def close(self):
        self.session = None
        self.send("Browser.close")
        self.process.wait(20)

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(120)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            if not select.select([self.into], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser did not answer")
            self.buffer += os.read(self.into, 1 << 20)
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.errors.append(message["params"]["entry"]["text"])
        if message.get("method") == "Runtime.consoleAPICalled" and message["params"]["type"] in ("error", "warning"):
            self.errors.append(str(message["params"]["args"]))
        return message

    def screen(self, width, height, dark=False, touch=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.send("Emulation.setTouchEmulationEnabled", enabled=touch)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, address):
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)

    def run(self, script):
        """The value of an expression, which may be a promise."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def wait(self, condition, seconds=60, every=0.05):
        """Waits until a condition holds in the page."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {condition}")
            time.sleep(every)

    def point(self, selector):
        """The middle of an element, which is scrolled to, once it has not moved for 0.1 s."""
        return self.run(
            f"(async () => {{ const middle = () => {{ const element = document.querySelector({json.dumps(selector)});"
            " element.scrollIntoView({ block: 'nearest' }); const box = element.getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; };"
            " let point = middle(); for (let still = 0, tries = 0; still < 4 && tries < 200; tries++) {"
            " await new Promise((done) => setTimeout(done, 25)); const now = middle();"
            " still = `${now}` === `${point}` ? still + 1 : 0; point = now; } return point; })()"
        )

    def click(self, selector):
        self.click_at(*self.point(selector))

    def click_at(self, x, y):
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"]:
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start, end):
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for share in [0.3, 0.7, 1]:
            x, y = (a + share * (b - a) for a, b in zip(start, end))
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def tap(self, selector):
        x, y = self.point(selector)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name, text=None):
        self.send("Input.dispatchKeyEvent", type="keyDown", key=name, code=name, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, code=name)

    def picture(self, path, whole=False):
        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
