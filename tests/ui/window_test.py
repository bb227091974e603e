"""The window of `sluice ui`: pictures of it without a display, and a real one under Xvfb, driven by keys and pointer.

The golden pictures are made anew with SLUICE_RERECORD=1; look at them before they are committed.

SLUICE names the program. What the window shows is read from its title, which tells verdict, op and moment, and from its
pixels.
"""
import hashlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "app"))
from cli import DEADLINE, ROOT, CliTest, until  # noqa: E402

RECORDED = ROOT / "tests" / "ui" / "photos.sluice"
GOLDENS = ROOT / "tests" / "ui" / "goldens"
BACKGROUNDS = {"dark": (0x12, 0x15, 0x1A), "light": (0xEE, 0xF1, 0xF4), "contrast": (0, 0, 0), "colourblind": (0x12, 0x15, 0x1A)}
SECOND_KIND = (140, 655, 70, 14)  # a cell in the table of ops, while one is chosen
PANEL = (0x1B, 0x20, 0x27)  # of the dark theme
SECOND_SESSION = 150  # on the page where one is chosen
TOOLS = [tool for tool in ("Xvfb", "xdotool", "import") if shutil.which(tool) is None]


def size_and_rows(file):
    """Width, height and the rows of an RGBA picture as libpng writes it."""
    data = Path(file).read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, stride, rows, before = zlib.decompress(packed), width * 4, [], bytes(width * 4)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(kind, line, before)
        rows.append(bytes(line))
        before = line
    return width, height, rows


def unfilter(kind, line, before):
    for i in range(len(line)):
        left, up, corner = (line[i - 4], before[i], before[i - 4]) if i >= 4 else (0, before[i], 0)
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + up) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            line[i] = (line[i] + nearest[2]) & 255


class UiTest(CliTest):
    def setUp(self):
        super().setUp()
        self.session = shutil.copy(RECORDED, self.folder / "photos.sluice")

    def picture(self, *arguments, name="picture.png"):
        self.assert_done(self.sluice("ui", *arguments, "--screenshot", name))
        return self.folder / name


class Pictures(UiTest):
    def test_need_no_display_and_come_in_every_theme(self):
        for theme, background in BACKGROUNDS.items():
            with self.subTest(theme=theme):
                file = self.picture(self.session, "--theme", theme, "--size", "480x320")
                width, height, rows = size_and_rows(file)
                self.assertEqual((width, height), (480, 320))
                self.assertEqual(tuple(rows[2][8:11]), background)
                colours = {rows[y][x:x + 4] for y in range(0, height, 2) for x in range(0, 4 * width, 4)}
                self.assertGreater(len(colours), 60, "text and curves are drawn")

    def test_are_the_same_each_time(self):
        first, second = (self.picture(self.session, "--at", "3s", "--scale", "2", "--size", "1000x700", name=name)
                         for name in ("a.png", "b.png"))
        self.assertEqual(hashlib.sha256(first.read_bytes()).digest(), hashlib.sha256(second.read_bytes()).digest())

    @unittest.skipIf(shutil.which("compare") is None, "ImageMagick is missing")
    def test_look_as_they_did(self):
        """But for edges that another rasteriser smooths otherwise."""
        for theme, scale, size in (("dark", 1, "1000x680"), ("light", 1, "1000x680"), ("contrast", 1, "1000x680"),
                                   ("dark", 2, "1400x1000")):
            golden = GOLDENS / f"{theme}_{scale}.png"
            with self.subTest(golden=golden.name):
                made = self.picture(self.session, "--at", "3s", "--theme", theme, "--scale", scale, "--size", size)
                if os.environ.get("SLUICE_RERECORD"):
                    shutil.copy(made, golden)
                done = subprocess.run(["compare", "-metric", "AE", "-fuzz", "12%", golden, made, "null:"],
                                      capture_output=True, text=True, timeout=DEADLINE)
                self.assertLess(done.returncode, 2, done.stderr)
                width, height = map(int, size.split("x"))
                self.assertLess(float(done.stderr), 0.001 * width * height, f"pixels differ; {made} is the new one")

    def test_are_the_same_whatever_the_user_has_chosen(self):
        before = self.picture(self.session, "--size", "640x480").read_bytes()
        for folder, text in (("state", 'theme = "light"\n'), ("config", '[keys]\nhelp = "F5"\n')):
            (self.folder / folder / "sluice").mkdir(parents=True)
            (self.folder / folder / "sluice" / "ui.toml").write_text(text)
            self.environment[f"XDG_{folder.upper()}_HOME"] = str(self.folder / folder)
        self.assertEqual(self.picture(self.session, "--size", "640x480").read_bytes(), before)
        self.assertEqual((self.folder / "state" / "sluice" / "ui.toml").read_text(), 'theme = "light"\n')

    def test_show_another_moment_and_the_start_page(self):
        pictures = [self.picture(self.session, "--at", at, "--size", "640x480").read_bytes() for at in ("300ms", "9s")]
        pictures.append(self.picture("--size", "640x480").read_bytes())
        self.assertEqual(len(set(pictures)), 3)

    def test_show_two_runs_side_by_side(self):
        other = shutil.copy(RECORDED, self.folder / "other.sluice")
        for theme, background in BACKGROUNDS.items():
            with self.subTest(theme=theme):
                file = self.picture(self.session, other, "--theme", theme)
                width, height, rows = size_and_rows(file)
                self.assertEqual(tuple(rows[2][8:11]), background)
                left, right = ({rows[y][x:x + 4] for y in range(height // 3, height) for x in range(*part, 4)}
                               for part in ((0, 2 * width), (3 * width, 4 * width)))
                self.assertGreater(len(left), 30, "the table is drawn")
                self.assertGreater(len(right), 3, "the curves are drawn")
        self.assertNotEqual(file.read_bytes(), self.picture(self.session, "--theme", "colourblind", name="b.png").read_bytes())

    def test_begin_with_the_table_and_the_op_that_are_wished_for(self):
        made = [self.picture(self.session, "--at", "3s", "--size", "900x600", *show).read_bytes()
                for show in ((), ("--show", "connectors"), ("--show", "ops:decode"), ("--show", "knobs:decode.workers"))]
        self.assertEqual(len(set(made)), 4)
        for show, why in (("opps", "there are: ops, connectors"), ("ops:decod", "there are: list, fetch, decode"),
                          ("ranks:0", "only of ops and knobs")):
            self.assert_refused(self.sluice("ui", self.session, "--show", show, "--screenshot", "p.png"), f"--show: .*{why}")

    def test_are_refused_with_a_remedy(self):
        done = self.sluice("ui", self.session, "--screenshot", "missing/picture.png")
        self.assert_refused(done, "--screenshot", "no folder missing")
        for size in ("big", "10x10", "800x600x2"):
            self.assert_refused(self.sluice("ui", self.session, "--size", size, "--screenshot", "p.png"), "1280x800")
        done = self.sluice("ui", "missing.sluice", "--screenshot", "p.png")
        self.assert_refused(done, "missing.sluice", code=1)

    def test_without_a_display_a_window_is_an_error_that_names_the_way_out(self):
        done = self.sluice("ui", self.session, env={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
        self.assert_refused(done, "display", "sluice replay", code=1)


@unittest.skipIf(TOOLS, f"{TOOLS} missing")
class Window(UiTest):
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
        return until(lambda: re.search(pattern, self.title()), f"{pattern} in the title, not {self.title()}")

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

    def test_a_recorded_run_is_looked_through_by_keys_and_pointer(self):
        self.open(self.session)
        self.until_title(r"photos \(photos.sluice\).*recorded, (\S+) of \1")
        self.key("Down")
        self.until_title("– list –")
        self.key("Down", "Down")
        self.until_title("– decode –")
        self.key("a")
        self.until_title(r"recorded, 1[12]\.\d+s of")
        self.key("comma")
        self.until_title(r"recorded, \d+(\.\d+)?ms of 1|recorded, 0")
        self.key("space")
        self.until_title(r"recorded, (\S+) of \1")
        self.key("Escape")
        self.until_title(r"\(photos.sluice\) – recorded")

    def test_taps_that_are_shorter_than_a_frame_are_not_lost(self):
        self.open(self.session)
        self.until_title("recorded")
        self.key("Down", "Down", "Down", "Down")
        self.until_title("– augment –")
        self.key("slash")
        for letter in "decode":
            self.key(letter)
        self.key("BackSpace", "BackSpace")
        self.key("ctrl+c")
        self.key("ctrl+q")
        self.until_ended()

    def test_keys_are_those_of_the_settings_file(self):
        self.configure('[keys]\nnext-op = "J"\nfilter = "X"\nquit = "F12"\nback = "Ctrl+B"\n')
        self.open(self.session)
        self.until_title("recorded")
        self.key("Down", "j", "Down", "j", "a", "ctrl+b")  # only three of these mean something
        self.until_title(r"– fetch – recorded, 12\.\d+s of")
        rows = (200, 640, 400, 120)
        before = self.area(*rows)
        self.key("x", *"decode")
        until(lambda: self.area(*rows) != before, "fewer rows")
        self.key(*["BackSpace"] * len("decode"))
        until(lambda: self.area(*rows) == before, "all rows: neither the key nor a letter is left in the field")
        self.key("ctrl+q", "F12")
        self.until_ended()
        self.assertEqual(self.window.errors(), "")

    def test_what_is_wrong_in_the_settings_file_is_told_and_the_rest_counts(self):
        self.configure('[keys]\nnext-op = "J"\npause = "Spacce"\n')
        self.open(self.session)
        self.until_title("recorded")
        until(lambda: re.search(r"sluice/ui\.toml:3: \[keys\]: pause: .*did you mean 'Space'", self.window.errors()),
              "the message on standard error")
        bottom = (330, 735, 80, 40)  # between two lines of the table
        until(lambda: not self.blank(*bottom), "the notice")
        self.key("Escape")
        until(lambda: self.blank(*bottom), "the notice closed")
        self.key("j")
        self.until_title("– list –")

    def test_the_palette_does_what_is_typed_and_loses_no_key(self):
        self.open(self.session, "--theme", "dark")
        self.until_title("recorded")
        self.key("ctrl+p", *"op", "space", *"dec", "Return", "Down")
        self.until_title(r"– augment – recorded, (\S+) of \1")
        self.key("ctrl+p", *"themex", "BackSpace", "Down", "Down", "Down", "Return")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["contrast"], "the theme chosen")
        self.key("ctrl+p", *"quit", "Escape", "Up")
        self.until_title("– decode –")
        self.key("ctrl+p", *"filter", "Return", *"ra")  # one op has a kind with that in it, others have an a
        until(lambda: self.blank(*SECOND_KIND), "one row, so both letters are in the field")
        self.key("ctrl+p", *"zz", "BackSpace", "BackSpace", "BackSpace", "Return")
        self.key("ctrl+p", *"theme", "space", *"light", "Return")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["light"], "the theme chosen")
        self.assertTrue(self.blank(*SECOND_KIND), "nothing was erased in the field below")
        self.key("ctrl+p", *"quit", "Return")
        self.until_ended()

    def test_a_command_is_clicked(self):
        self.open(self.session)
        self.until_title("recorded")
        below = (310, 118, 600, 14)  # the first row
        before = self.area(*below)
        self.key("ctrl+p")
        until(lambda: self.area(*below) != before, "the palette over it")
        self.key(*"op", "space", *"augm")
        until(lambda: self.area(*below) == before, "one row only")
        self.click(400, 95)
        self.until_title("– augment –")
        self.key("Down")
        self.until_title("– batch –")

    def test_the_window_comes_back_as_it_was_left(self):
        self.open(self.session)
        self.until_title("recorded")
        place = ["60", "40", "1000", "700"]
        self.x("windowmove", "--sync", self.id, *place[:2])
        self.x("windowsize", "--sync", self.id, *place[2:])
        self.key("Down", "t", "Right", "Right")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["light"], "the light theme")
        self.assertFalse(self.kept().exists(), "it is written at the end")
        self.key("ctrl+q")
        self.until_ended()
        for line in ('theme = "light"', 'table = "knobs"', "x = 60", "y = 40", "width = 1000", "height = 700"):
            self.assertIn(line + "\n", self.kept().read_text())
        self.assertNotIn("scale", self.kept().read_text(), "it is that of the screen")
        self.open(self.session)
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["light"], "the light theme again")
        self.assertEqual(self.place(), place)
        self.key("Down")
        self.until_title(r"– list\.")

    def test_options_win_over_what_is_kept_and_do_not_change_it(self):
        self.kept().parent.mkdir(parents=True)
        self.kept().write_text('theme = "contrast"\n[window]\nx = 5\ny = 5\nwidth = 640\nheight = 480\n')
        before = self.kept().read_text()
        self.open(self.session, "--theme", "light", "--size", "900x600")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["light"], "the theme of the option")
        self.assertEqual(self.place()[2:], ["900", "600"])
        self.key("ctrl+q")
        self.until_ended()
        self.assertEqual(re.sub("(?m)^#.*\n|^\n|^maximised.*\n", "", self.kept().read_text()), before)

    def test_a_kept_file_that_is_broken_or_cannot_be_is_one_line(self):
        self.kept().parent.mkdir(parents=True)
        self.kept().write_text("theme = 5\n")
        self.open(self.session)
        self.until_title("recorded")
        self.key("t", "ctrl+q")
        self.until_ended()
        self.assertRegex(self.window.errors(), r"\Asluice: .*ui\.toml:1: theme: must be .*\n\Z")
        self.assertIn('theme = "light"', self.kept().read_text(), "written anew")
        shutil.rmtree(self.kept().parent)
        self.kept().parent.write_text("no folder")
        self.open(self.session)
        self.until_title("recorded")
        self.key("t", "ctrl+q")
        self.until_ended()
        self.assertRegex(self.window.errors(), r"\Asluice: .*ui\.toml.*\n\Z")

    def test_an_op_is_chosen_by_a_click(self):
        self.open(self.session)
        self.until_title("recorded")
        self.click(530, 260)  # the third of six nodes
        self.until_title("– decode –")

    def test_theme_size_and_scale_change_and_it_closes(self):
        self.open(self.session, "--theme", "dark")
        self.until_title("recorded")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["dark"], "the dark theme")
        self.key("t")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["light"], "the light theme")
        self.x("windowsize", "--sync", self.id, 700, 500)
        until(lambda: self.pixel(690, 490) != () and self.pixel(2, 498) == BACKGROUNDS["light"], "the smaller window drawn")
        self.key("ctrl+equal", "ctrl+minus", "ctrl+0")
        self.key("question")
        self.key("ctrl+q")
        self.until_ended()

    def test_a_run_goes_on_while_it_is_watched_and_when_the_window_is_killed(self):
        run = self.start_run("--quiet", "--duration", "5min")
        self.until_listed(run)
        self.open(run.pid)
        self.until_title(r"waiting \(pid \d+\) – live")
        before = self.title()
        until(lambda: self.title() != before, "time going on")
        self.key("Down", "t", "w", "space")
        self.until_title("– list – stopped at")
        self.window.send(9)
        self.window.wait()
        self.until_listed(run)
        self.open(run.pid)
        self.until_title("live")
        run.send(2)
        run.wait()
        self.until_title("^ENDED")
        self.key("ctrl+q")
        self.until_ended()

    def test_a_run_behind_a_port_is_watched_lost_and_found(self):
        token = self.folder / "token"
        token.touch(mode=0o600)
        token.write_text("0123456789abcdef" * 2)
        run = self.start_run("--no-tune", "--quiet", "--duration", "5min", "--listen", "127.0.0.1:0", "--token-file", token)
        address = until(lambda: re.search(r"sluice ui (\S+:\d+)", run.errors()), run.errors)[1]
        self.open(address, "--token-file", token)
        self.until_title(rf"waiting \({address}\) – live")
        self.key("k", "Down", "Down")
        self.until_title(r"fetch\.workers 1 –")
        self.key("equal", "equal", "Return")
        self.until_title(r"fetch\.workers 3 –")
        run.send(signal.SIGSTOP)
        self.until_title("^STALE")
        run.send(signal.SIGCONT)
        until(lambda: not self.title().startswith("STALE"), "the run is heard again")
        run.send(signal.SIGINT)
        run.wait()
        self.until_title("^ENDED")
        self.key("ctrl+q")
        self.until_ended()

    def test_a_knob_is_turned_by_keys_typing_slider_and_buttons(self):
        run = self.start_run("--no-tune", "--quiet", "--duration", "5min")
        self.until_listed(run)
        self.open(run.pid)
        self.until_title("live")
        self.key("k", "Down", "Down")
        self.until_title(r"– fetch\.workers 1 –")
        until(lambda: self.controlled(run)["consumer"]["items"] > 50, "a rate to compare with")
        self.key("equal", "equal", "Return")
        self.until_applied(run, "fetch.workers", 3)
        self.until_title(r"– fetch\.workers 3 –")
        self.assertRegex(self.controlled(run)["lease"]["holder"], r"'s window \d+$")
        self.key("ctrl+z")
        self.until_title(r"– fetch\.workers 1 –")
        self.key("ctrl+y")
        self.until_title(r"– fetch\.workers 3 –")
        most = (1132, 664, 76, 14)  # of the button: Not above or Any more
        for bounds in ({"min": 1, "max": 3}, None):
            label = self.area(*most)
            self.key("bracketright")
            until(lambda: [k["bounds"] for k in self.controlled(run)["knobs"] if k["name"] == "fetch.workers"] == [bounds],
                  f"bounds {bounds}")
            until(lambda: self.area(*most) != label, "its button follows")
        unselected = self.pixel(1156, 629)
        self.click(1180, 635)
        until(lambda: self.pixel(1156, 629) != unselected, "what is in the field selected")
        self.key("ctrl+a")
        self.key("6")
        self.key("Return")
        self.until_title(r"– fetch\.workers 6 –")
        slider = (890, 628, 240, 14)
        before = self.area(*slider)
        self.click(1100, 635)  # far up
        until(lambda: self.area(*slider) != before, "the slider moved")
        self.click(924, 671)  # apply
        self.until_title(r"– fetch\.workers \d\d –")
        # Who holds it, in the table: the button itself also looks otherwise while it is pressed.
        held_by = self.holder_cell()
        self.click(1010, 671)  # pin
        until(lambda: self.holder(run, "fetch.workers") == "user", "the pin")
        until(lambda: self.holder_cell() != held_by, "the pin in the table")
        self.key("p")
        until(lambda: self.holder(run, "fetch.workers") == "auto", "it unpinned")
        hold = self.area(1060, 162, 70, 14)
        self.key("h")
        until(lambda: self.controlled(run)["held_by"], "the tuner held")
        until(lambda: self.area(1060, 162, 70, 14) != hold, "the button to resume")
        self.click(1096, 169)
        until(lambda: not self.controlled(run)["held_by"], "it going on")
        until(lambda: self.area(1060, 162, 70, 14) == hold, "the button to hold")
        self.key("space")
        self.until_title("stopped at")
        self.key("h")
        until(lambda: self.controlled(run)["held_by"], "the tuner held from a moment that is past")
        until(lambda: self.area(1060, 162, 70, 14) != hold, "the button, which is of now")
        self.key("h")
        until(lambda: not self.controlled(run)["held_by"], "it going on again")
        self.key("ctrl+q")
        self.until_ended()
        self.assertIsNone(self.controlled(run)["lease"], "it is given back")
        self.until_listed(run)

    def holder_cell(self):
        return self.area(638, 610, 100, 180)

    def holder(self, run, name):
        return next(knob["holder"] for knob in self.controlled(run)["knobs"] if knob["name"] == name)

    def test_the_start_page_opens_what_is_clicked(self):
        self.open()
        self.assertEqual(self.title(), "Sluice")
        for y in range(60, 400, 15):  # the second list is that of sessions
            self.click(700, y)
            if "photos" in self.title():
                break
        self.until_title("photos.*recorded")
        self.key("ctrl+o")
        self.until_title("^Sluice$")

    def test_two_runs_are_side_by_side_and_esc_goes_to_the_first(self):
        self.open(self.session, shutil.copy(RECORDED, self.folder / "other.sluice"))
        self.until_title("^rows/s the same – A photos.sluice, B other.sluice – photos – Sluice$")
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["dark"], "the dark theme")
        self.key("space", "question", "t", "Escape")  # one means nothing here, and help is closed first
        until(lambda: self.pixel(2, 2) == BACKGROUNDS["light"], "the light theme")
        self.assertRegex(self.title(), "^rows/s the same")
        self.key("Escape")
        self.until_title(r"photos \(photos.sluice\).*recorded, (\S+) of \1")
        self.key("ctrl+q")
        self.until_ended()

    def test_a_recorded_run_is_compared_with_one_that_is_clicked(self):
        shutil.copy(RECORDED, self.folder / "other.sluice")
        self.open(self.session)
        self.until_title("recorded")
        self.key("c")
        self.until_title("^Compare photos.sluice with")
        self.key("Escape")
        self.until_title("recorded")
        self.key("c")
        self.until_title("^Compare photos.sluice with")
        until(lambda: self.pixel(900, SECOND_SESSION) == PANEL, "the list")
        self.click(900, SECOND_SESSION)
        self.until_title("^rows/s the same – A photos.sluice, B other.sluice")
        self.key("c")
        self.until_title("^Compare photos.sluice with")
        self.key("Escape")
        self.until_title("^rows/s the same")
        self.key("ctrl+o")
        self.until_title("^Sluice$")

    def test_what_cannot_be_compared_is_told_where_it_was_clicked(self):
        (self.folder / "other.sluice").write_text("no session")
        self.open(self.session)
        self.until_title("recorded")
        self.key("c")
        self.until_title("^Compare photos.sluice with")
        until(lambda: self.pixel(900, SECOND_SESSION) == PANEL, "the list")
        said = self.area(8, 28, 600, 20)
        self.click(900, SECOND_SESSION)
        until(lambda: self.area(8, 28, 600, 20) != said, "the reason")
        self.assertRegex(self.title(), "^Compare photos.sluice with")

    def test_a_run_that_goes_on_is_not_compared(self):
        run = self.start_run("--quiet", "--duration", "5min")
        self.until_listed(run)
        self.open(run.pid)
        self.until_title("live")
        self.key("c", "Down")
        self.until_title("– list – live")


if __name__ == "__main__":
    unittest.main()
