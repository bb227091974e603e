"""The start page of `sluice ui`: what it opens, starts and compares."""
import re
import shutil
import unittest
from pathlib import Path

from ui_case import BACKGROUNDS, PANEL, RECORDED, ROOT, WAITING, WindowTest, until

SECOND_SESSION = 150  # on the page where one is chosen
ROW_OF_FETCH_WORKERS = 9  # of a form, below the first row


class StartPage(WindowTest):
    def test_the_start_page_opens_what_is_clicked(self):
        self.open()
        self.assertEqual(self.title(), "Sluice")
        for y in range(60, 400, 15):  # the second list is that of sessions
            self.click(480, y)
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

    def test_an_entry_is_chosen_by_arrows(self):
        self.open()
        self.until_title("^Sluice$")
        until(lambda: self.pixel(900, 100) == PANEL or not self.blank(600, 60, 300, 200), "the lists")
        self.key("Down", "Return")  # the first list is empty
        self.until_title("photos.*recorded")

    def test_a_run_begins_with_what_was_typed_and_ends_by_a_key(self):
        scenario = self.scenario(WAITING)
        self.open(scenario)
        self.until_title("^Start waiting")
        self.key(*["Down"] * ROW_OF_FETCH_WORKERS, "5", "BackSpace", "3", "Right")
        self.key("Return")
        self.until_title(r"waiting \(pid \d+\).*– live")
        pid = int(re.search(r"pid (\d+)", self.title())[1])
        self.key("k", "Down", "Down")
        self.until_title(r"– fetch\.workers \d+ –")
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        self.assertIn("fetch.workers=4", command)
        self.key("x")
        self.until_title("^ENDED")
        until(lambda: self.is_over(pid), "its end")
        self.key("ctrl+q")
        self.until_ended()

    def test_a_run_that_the_window_has_started_ends_with_it(self):
        self.open(self.scenario(WAITING))
        self.until_title("^Start waiting")
        self.key("Return")
        self.until_title("– live")
        pid = int(re.search(r"pid (\d+)", self.title())[1])
        self.key("ctrl+o")  # it goes on, and is listed
        self.until_title("^Sluice$")
        self.assertFalse(self.is_over(pid))
        self.window.send(9)
        self.window.wait()
        until(lambda: self.is_over(pid), "the end of the run")

    @staticmethod
    def is_over(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    def test_what_a_run_refuses_is_told_in_its_form(self):
        self.open(self.scenario(WAITING))
        self.until_title("^Start waiting")
        self.key("Down", *"soon", "Return")
        self.until_title("^Not started: waiting")
        self.key(*["BackSpace"] * 4, *"5s", "Return")
        self.until_title("– live")

    def test_a_value_out_of_range_cannot_be_started(self):
        self.open(self.scenario(WAITING))
        self.until_title("^Start waiting")
        self.key(*["Down"] * ROW_OF_FETCH_WORKERS, *"900", "Return", "Escape")
        self.until_title("^Sluice$")

    def test_a_simulated_run_is_played_beside_a_published_rule(self):
        self.environment["TMPDIR"] = str(self.folder)
        self.open(ROOT / "scenarios" / "sim" / "gil.toml")
        self.until_title("^Start gil")
        self.key("Down", "Right", "Return")
        self.until_title(r"A sluice\.sluice, B \w+\.sluice")
        lanes = (900, 300, 360, 400)
        before = self.area(*lanes)
        until(lambda: self.area(*lanes) != before, "the curves going on")
        self.assertTrue(list(self.folder.glob("sluice-sim-*/*.sluice")))
        self.key("Escape")
        self.until_title(r"\(sluice\.sluice\).*playing")
        self.key("space")
        self.until_title("recorded")
        self.key("ctrl+q")
        self.until_ended()
        self.assertFalse(list(self.folder.glob("sluice-sim-*")), "nothing is left")

    def test_a_recorded_run_is_played(self):
        self.open(self.session)
        self.until_title("recorded")
        self.key("r")
        self.until_title("playing")
        self.key("r")
        self.until_title("recorded, (?!(\\S+) of \\1)")


if __name__ == "__main__":
    unittest.main()
