"""The window of `sluice ui` on recorded runs and on runs that go on."""
import json
import re
import shutil
import signal
import unittest

from pictures_test import size_and_rows
from ui_case import BACKGROUNDS, WindowTest, until

SECOND_KIND = (140, 655, 70, 14)  # a cell in the table of ops, while one is chosen


class Window(WindowTest):
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

    def test_what_is_shown_is_exported(self):
        self.open(self.session)
        self.until_title("recorded")
        self.key("a", "m", "a", "b")  # a mark, and the range from the start
        self.key("e")
        name = until(lambda: list(self.folder.glob("photos-*s.json")), "the figures")[0]
        picture = name.with_suffix(".png")
        until(lambda: picture.exists() and picture.read_bytes().endswith(b"IEND\xaeB`\x82"), "the picture")
        self.assertEqual(json.loads(name.read_text())["format"], "sluice-view")
        width, height, rows = size_and_rows(picture)
        self.assertEqual((width, height), (1280, 800))
        self.assertEqual(tuple(rows[2][8:11]), BACKGROUNDS["dark"])

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
        self.configure('[keys]\nnext-op = "J"\nfilter = "N"\nquit = "F12"\nback = "Ctrl+B"\n')
        self.open(self.session)
        self.until_title("recorded")
        self.key("Down", "j", "Down", "j", "a", "ctrl+b")  # only three of these mean something
        self.until_title(r"– fetch – recorded, 12\.\d+s of")
        rows = (200, 640, 400, 120)
        before = self.area(*rows)
        self.key("n", *"decode")
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

    def test_a_run_that_is_killed_has_ended_and_the_window_goes_on(self):
        run = self.start_run("--quiet", "--duration", "5min")
        self.until_listed(run)
        self.open(run.pid)
        self.until_title("– live")
        self.key("k", "Down", "Down")
        self.until_title("fetch")
        run.send(signal.SIGKILL)
        run.wait()
        self.until_title("^ENDED")
        self.key("equal", "Return", "h", "space", "a")
        self.until_title("stopped at")
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
        alone = self.seconds_for(run, 40)
        self.key("equal", "equal", "Return")
        self.until_applied(run, "fetch.workers", 3)
        self.assertLess(self.seconds_for(run, 40), 0.67 * alone, "each item waits, so three workers bring more")
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

    def seconds_for(self, run, items):
        """Of the consumer, for each of the next `items`."""
        def seen():
            return self.controlled(run)["consumer"]
        begin = seen()
        end = until(lambda: (now := seen())["items"] >= begin["items"] + items and now, "items")
        seconds = sum(end[kind] - begin[kind] for kind in ("busy_seconds", "starved_seconds"))
        return seconds / (end["items"] - begin["items"])

    def holder_cell(self):
        return self.area(638, 610, 100, 180)

    def holder(self, run, name):
        return next(knob["holder"] for knob in self.controlled(run)["knobs"] if knob["name"] == name)


if __name__ == "__main__":
    unittest.main()
