"""What the tests of the window share: a session to look at, and a display with a window on it, driven by keys and pointer.

SLUICE names the program. What the window shows is read from its title, which tells verdict, op and moment, and from its
pixels.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "app"))
from cli import DEADLINE, ROOT, SANITIZED, WAITING, CliTest, until  # noqa: E402, F401

RECORDED = ROOT / "tests" / "ui" / "photos.sluice"
BACKGROUNDS = {"dark": (0x12, 0x15, 0x1A), "light": (0xEE, 0xF1, 0xF4), "contrast": (0, 0, 0), "colourblind": (0x12, 0x15, 0x1A)}
PANEL = (0x1B, 0x20, 0x27)  # of the dark theme
TOOLS = [tool for tool in ("Xvfb", "xdotool", "import") if shutil.which(tool) is None]


class UiTest(CliTest):
    def setUp(self):
        super().setUp()
        self.session = shutil.copy(RECORDED, self.folder / "photos.sluice")
        if SANITIZED:  # Mesa's software OpenGL leaves some memory to the end of the process
            self.environment["ASAN_OPTIONS"] = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0")))


@unittest.skipIf(TOOLS, f"{TOOLS} missing")
class WindowTest(UiTest):
    def setUp(self):
        super().setUp()
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-noreset", "-nolisten", "tcp"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            display = ":" + pipe.readline().strip()
        self.environment |= {"DISPLAY": display, "LP_NUM_THREADS": "0", "XDG_STATE_HOME": str(self.folder / "state"),
                             "XDG_CONFIG_HOME": str(self.folder / "config")}
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.terminate)
        self.window = None

    def open(self, *arguments):
        self.window = self.start("ui", *arguments)
        self.id = until(self.found, "a window")
        return self.window

    def found(self):
        return self.x("search", "--onlyvisible", "--name", "Sluice").split("\n")[0]

    def x(self, *arguments):
        done = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True,
                              timeout=DEADLINE)
        return done.stdout.strip()

    def key(self, *keys):
        """Each tap is much shorter than a frame; GLFW takes two in the same millisecond for one."""
        self.x("windowfocus", "--sync", self.id, "key", "--delay", "3", *keys)

    def title(self):
        return self.x("getwindowname", self.id)

    def until_title(self, pattern):
        return until(lambda: re.search(pattern, self.title()), lambda: f"{pattern} in the title, not {self.title()}")

    def click(self, x, y):
        self.x("mousemove", "--window", self.id, x, y, "click", 1)

    def area(self, x, y, width, height):
        done = subprocess.run(["import", "-window", self.id, "-crop", f"{width}x{height}+{x}+{y}", "-depth", "8", "rgb:-"],
                              env=self.environment, capture_output=True, timeout=DEADLINE)
        return done.stdout

    def pixel(self, x, y):
        return tuple(self.area(x, y, 1, 1)[:3])

    def blank(self, *place):
        area = self.area(*place)
        return len({area[i:i + 3] for i in range(0, len(area), 3)}) == 1

    def kept(self):
        return self.folder / "state" / "sluice" / "ui.toml"

    def place(self):
        """Where the window is, and how large."""
        return re.findall(r"(?:X|Y|WIDTH|HEIGHT)=(-?\d+)", self.x("getwindowgeometry", "--shell", self.id))

    def configure(self, text):
        (self.folder / "config" / "sluice").mkdir(parents=True, exist_ok=True)
        (self.folder / "config" / "sluice" / "ui.toml").write_text(text)

    def until_ended(self):
        self.assertEqual(self.window.wait(), 0, self.window.errors())
