"""Pictures of the window of `sluice ui`, made without a display.

The golden pictures are made anew with SLUICE_RERECORD=1; look at them before they are committed. SLUICE names the program.
"""
import hashlib
import os
import shutil
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

from ui_case import BACKGROUNDS, DEADLINE, RECORDED, ROOT, UiTest

GOLDENS = ROOT / "tests" / "ui" / "goldens"


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


class Pictures(UiTest):
    def picture(self, *arguments, name="picture.png"):
        self.assert_done(self.sluice("ui", *arguments, "--screenshot", name))
        return self.folder / name

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

    def test_without_opengl_are_refused_with_the_package_that_has_it(self):
        (self.folder / "libGL.so.1").touch()  # what ImGui opens by its name cannot be opened
        done = self.sluice("ui", self.session, "--screenshot", "p.png", env={"LD_LIBRARY_PATH": str(self.folder)})
        self.assert_refused(done, "libGL.so.1", "apt-get install libgl1", code=1)

    def test_without_a_display_a_window_is_an_error_that_names_the_way_out(self):
        done = self.sluice("ui", self.session, env={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
        self.assert_refused(done, "display", "sluice replay", code=1)


if __name__ == "__main__":
    unittest.main()
