"""What the host itself is slow by, as lines and as JSON."""
import json
import os
import re
import unittest
from pathlib import Path

import result_schema
from cli import ROOT, CliTest

PAGE = (ROOT / "docs" / "doctor.md").read_text()
SOURCES = "".join(path.read_text() for path in sorted((ROOT / "app" / "src" / "doctor").glob("*.cpp")))


def documented():
    """All kinds in the first columns of the page's tables of kinds."""
    kinds = set()
    for table in re.findall(r"(?m)^\| `kind` \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE):
        for line in table.splitlines():
            kinds.update(re.findall(r"`(\w+)`", line.split(" | ")[0]))
    return kinds


class DoctorHost(CliTest):
    def doctor(self, *arguments, **env):
        return self.sluice("doctor", *arguments, "--", "true", env={"PATH": "/usr/bin:/bin", **env})

    def checks(self, *arguments, code=0, **env):
        done = self.doctor("--json", *arguments, **env)
        self.assertEqual(done.returncode, code, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(result_schema.faults_of(document), [])
        self.assertEqual(document["wrap_works"], code == 0)
        return document["checks"]

    def of_kind(self, kind, checks):
        return [check for check in checks if check["kind"] == kind]

    def data_set(self, name="data", files=3):
        folder = self.folder / name
        folder.mkdir()
        for number in range(files):
            (folder / str(number)).write_bytes(b"x" * 10_000)
        return folder

    def test_every_kind_that_is_found_here_is_on_the_page_and_every_one_of_the_page_is_in_the_program(self):
        self.assertLessEqual({check["kind"] for check in self.checks()}, documented())
        self.assertLessEqual(set(re.findall(r'\.kind = "(\w+)"', SOURCES)), documented())
        host = PAGE[PAGE.index("\n## Storage"):PAGE.index("\n## The wrap")]
        for kind in documented():
            if f"| `{kind}`" in host or f", `{kind}` |" in host:
                with self.subTest(kind=kind):
                    self.assertIn(f'"{kind}"', SOURCES)

    def test_a_data_set_is_measured_where_it_lies(self):
        folder = self.data_set()
        checks = self.checks("--data", folder)
        fit = self.of_kind("data_fit", checks)
        self.assertEqual(len(fit), 1)
        self.assertIn("29.3 KiB in 3 files, fits into", fit[0]["found"])
        cached = self.of_kind("page_cache", checks)[0]
        self.assertRegex(cached["found"], r"100% of the 29.3 KiB looked at are cached \(3 files of 3 looked at\)")
        self.assertRegex(cached["evidence"][0]["from"], r"^(cachestat|mincore) of ")
        storage = self.of_kind("storage_device", checks)[0]
        self.assertEqual(storage["evidence"][0]["from"], "/proc/self/mountinfo")
        self.assertTrue(storage["found"].startswith(f"{folder}: "))

    def test_data_sets_in_memory_have_no_disk(self):
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("needs a tmpfs")
        storage = self.of_kind("storage_device", self.checks("--data", "/dev/shm"))[0]
        self.assertEqual((storage["state"], storage["found"]), ("ok", "/dev/shm: tmpfs, in memory"))

    def test_several_data_sets_and_a_command_behind_them(self):
        first, second = self.data_set("first"), self.data_set("second")
        found = [check["found"] for check in self.of_kind("storage_device", self.checks("--data", first, "--data", second))]
        self.assertEqual([text.split(":")[0] for text in found], [str(first), str(second)])

    def test_without_a_name_the_current_folder_is_looked_at(self):
        self.assertIn("storage        .: ", self.doctor().stdout)
        self.assertRegex(self.doctor().stdout, r"data set +\.: no files: name the data set with --data DIR")

    def test_a_data_set_that_is_not_there_is_refused(self):
        done = self.doctor("--data", "nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--data nowhere: No such file or directory", done.stderr)

    def test_nothing_of_a_name_reaches_the_terminal_and_a_shell_takes_it_as_one_word(self):
        folder = self.data_set("it's \x1b[2J data")
        done = self.doctor("--data", folder)
        self.assertNotIn("\x1b", done.stdout)
        self.assertTrue(any("\x1b[2J" in check["found"] for check in self.checks("--data", folder)))

    def test_what_stands_in_a_wraps_way_is_bad_in_the_json_too(self):
        switched_off = self.of_kind("sluice_disable", self.checks(code=1, SLUICE_DISABLE="1"))
        self.assertEqual([check["state"] for check in switched_off], ["bad"])

    def test_every_remedy_of_the_hosts_says_what_it_costs_and_every_note_what_it_rests_on(self):
        checks = self.checks("--data", self.data_set())
        first = next(number for number, check in enumerate(checks) if check["kind"] == "storage_device")
        for check in checks[first:]:
            with self.subTest(kind=check["kind"]):
                self.assertEqual(check["remedy"] is None, check["costs"] is None)
                if check["kind"] != "threads":
                    self.assertTrue(check["evidence"])

    def test_a_run_that_goes_on_is_looked_at_and_left_alone(self):
        run = self.start_run("--no-tune")
        self.until_listed(run)
        before = self.controlled(run)["knobs"]
        checks = self.checks()
        about_it = [check for check in checks if f"({run.pid})" in check["found"]]
        self.assertTrue(about_it)
        evidence = {piece["from"] for check in about_it for piece in check["evidence"]}
        self.assertIn(f"/proc/{run.pid}/stat", evidence)
        self.assertEqual(self.controlled(run)["knobs"], before)
        self.assertIsNone(self.controlled(run)["lease"])

    def test_changes_no_setting_of_the_machine(self):
        def settings():
            return {path: Path(path).read_text() for path in
                    ("/proc/sys/vm/swappiness", "/proc/sys/vm/zone_reclaim_mode", "/sys/kernel/mm/transparent_hugepage/enabled",
                     "/sys/kernel/mm/transparent_hugepage/defrag") if Path(path).exists()}
        before = settings()
        self.checks()
        self.assertEqual(settings(), before)


if __name__ == "__main__":
    unittest.main()
