"""What a wrap tells: the report, its files, the plan; and that nothing that is broken keeps the command from running."""
import os
import shutil
import signal
import unittest
from pathlib import Path

from cli import DEADLINE, PROGRAM, needs_library, until
from wrapped import PYTHON, WrapTest

SLOW = "import time; time.sleep(1.5)"  # lives for some looks, also where they are rare: nothing tells it that they came

# Burns 0.3 s of CPU time in a child that is waited for, and 1 s in one that is not.
BURN = """
import os, time
def burn(seconds, stays=0):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
    time.sleep(stays)
    os._exit(0)
if os.fork() == 0: burn(0.3, stays=1.5)  # so long that it is looked at when it has burnt all
os.wait()
reads, writes = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: burn(1, stays=1.5)
    os._exit(0)
os.wait()
os.close(writes)
os.read(reads, 1)  # until it has ended, however long it waits for a core
"""


class Report(WrapTest):
    def wrap(self, *arguments, **more):
        return self.run_to_end([PROGRAM, "wrap", *arguments], **more)

    def test_is_short_and_on_standard_error(self):
        done = self.wrap("--", "sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual((done.returncode, done.stdout), (3, "out\n"))
        self.assertTrue(done.stderr.startswith("err\nsluice: sh -c echo out;"), done.stderr)
        self.assertIn("exit status 3 after", done.stderr)
        self.assertLessEqual(len(done.stderr.splitlines()), 15)
        for word in ("CPU", "runnable", "main thread", "peak RSS", "peak PSS", "read", "major", "voluntary"):
            self.assertIn(word, done.stderr)

    def test_is_silent_when_asked_to_be(self):
        self.assertEqual(self.wrap("--quiet", "--", "echo", "hi").stderr, "")

    def test_names_the_signal_that_killed_the_command(self):
        self.assertIn("killed by SIGTERM after", self.wrap("--", "sh", "-c", "kill -TERM $$").stderr)

    def test_goes_into_a_file_too(self):
        done = self.wrap("--report", "report.txt", "--", "true")
        self.assertEqual((self.folder / "report.txt").read_text(), done.stderr)

    def test_what_was_not_measured_is_missing_and_not_0(self):
        self.wrap("--quiet", "--json", "use.json", "--exec", "--", "true")
        until(lambda: (self.folder / "use.json").exists() and (self.folder / "use.json").read_text(), "the file")
        result = self.result("use.json")
        self.assertIsNone(result["used"]["voluntary_switches"])
        self.assertIsNone(result["used"]["peak_pss_bytes"])
        self.assertIsNone(result["ended"]["exit_code"])
        self.assertRegex(self.wrap("--", "true").stderr, "peak PSS not measured")

    @needs_library
    def test_says_why_there_is_nothing_to_say_of_loaders(self):
        python = "/usr/bin/python3"
        for command, expected in (
            (["true"], "none: no Python process was seen"),
            ([python, "-c", SLOW], r"none: no PyTorch DataLoader handed out a batch; sluice\.measure\(ITERABLE\)"),
            (["env", "-i", python, "-c", SLOW], r"not measured: python3 \(pid \d+\) was started without this run's PYTHONPATH"),
            (["sh", "-c", f"PYTHONPATH=/src {python} -c '{SLOW}'; :"], r"not measured: python3 \(pid \d+\) was started without"),
            ([python, "-I", "-c", SLOW], "not measured: -I keeps Sluice out of the interpreter"),
        ):
            with self.subTest(command=command):
                self.assertRegex(self.wrap("--", *command).stderr, rf"(?m)^  loaders +{expected}")

    @needs_library
    def test_knows_a_loader_that_was_there_for_a_moment(self):
        (self.folder / "train.py").write_text("import torch.utils.data as d\nfor _ in d.DataLoader(range(64), 4): pass\n")
        self.assertRegex(self.wrap("--", "/usr/bin/python3", "train.py").stderr, r"(?m)^    16 batches, too few to measure a rate$")

    @needs_library
    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_says_that_a_command_of_another_user_is_not_measured(self):
        done = self.wrap("--", "/usr/bin/python3", "-c", f"import os; os.setuid(65534); {SLOW}")
        self.assertRegex(done.stderr, r"(?m)^  loaders +not measured: python3 \(pid \d+\) runs as user 65534")

    def test_json_has_what_the_whole_tree_used(self):
        done = self.wrap("--quiet", "--json", "use.json", "--", *PYTHON, BURN)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.result("use.json")
        used = result["used"]
        self.assertEqual(result["ended"]["exit_code"], 0)
        self.assertGreaterEqual(used["user_seconds"] + used["system_seconds"], 0.9, "both children count")
        self.assertGreaterEqual(used["processes"], 3)
        self.assertGreater(used["peak_rss_bytes"], 1 << 20)
        self.assertGreater(used["peak_pss_bytes"], 1 << 20)
        self.assertGreater(result["wall_seconds"], 2)

    def test_counts_the_bytes_of_children_once(self):
        script = "for i in 1 2 3 4; do sleep 0.1; head -c 50000000 /dev/zero | cat >/dev/null; done; :"
        self.wrap("--quiet", "--json", "use.json", "--", "sh", "-c", script)
        read = self.result("use.json")["used"]["read_bytes"]
        self.assertGreater(read, 0.9 * 8 * 50e6)  # head and cat both read
        self.assertLess(read, 1.1 * 8 * 50e6)


class Plan(WrapTest):
    def test_dry_run_shows_what_would_change_and_runs_nothing(self):
        done = self.assert_done(self.sluice("wrap", "--dry-run", "--repro", "free", "--", "touch", "ran",
                                            env={"SLUICE_REPRO": "order"}))
        for line in (r"  \+ PYTHONPATH=/.*sluice/inject", r"  - SLUICE_REPRO=order", r"  \+ SLUICE_REPRO=free",
                     r"  \+ SLUICE_RUN_ID=[0-9a-f-]{36}", r"  touch ran", r"  DataLoader\._get_iterator; "):
            self.assertRegex(done.stdout, rf"(?m)^{line}")
        self.assertFalse((self.folder / "ran").exists())

    def test_dry_run_says_when_nothing_can_be_patched(self):
        done = self.assert_done(self.sluice("wrap", "--dry-run", "--", "/usr/bin/python3", "-I", "train.py"))
        self.assertRegex(done.stdout, "warning: -I keeps our sitecustomize out")


class FailOpen(WrapTest):
    """One line, and the command runs."""

    def assert_runs(self, done, *patterns):
        self.assertEqual((done.returncode, done.stdout), (3, "ran\n"), done.stderr)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)
        self.assertEqual(len(done.stderr.splitlines()), len(patterns), done.stderr)

    def wrap(self, *options, program=PROGRAM, **more):
        return self.run_to_end([program, "wrap", "--quiet", *options, "--", "sh", "-c", "echo ran; exit 3"], **more)

    def copied_program(self):
        """A copy with nothing beside it, and the environment in which one that brings libraries finds them."""
        (self.folder / "bin").mkdir()
        libraries = Path(PROGRAM).resolve().parent.parent / "lib" / "sluice"
        return Path(shutil.copy(PROGRAM, self.folder / "bin" / "sluice")), {"LD_LIBRARY_PATH": str(libraries)}

    def test_no_package(self):
        program, env = self.copied_program()
        self.assert_runs(self.wrap(program=program, env=env), "^sluice: the Python package is not beside")

    def test_an_unbuilt_library_is_named(self):
        program, env = self.copied_program()
        (self.folder / "python").symlink_to(Path(__file__).resolve().parents[2] / "python")
        done = self.run_to_end([program, "wrap", "--", "/usr/bin/python3", "-c", "pass"], env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "loaders +not measured: libsluice.so.1 is not beside this program")

    def test_a_broken_segment_folder(self):
        (self.folder / "runtime" / "sluice").write_text("a file")
        self.assert_runs(self.wrap(), "^sluice: .*runtime/sluice.*measured from outside only")
        self.assert_runs(self.wrap("--exec"), "^sluice: .*runtime/sluice.*measured from outside only")

    def test_a_segment_folder_that_others_may_enter(self):
        (self.folder / "runtime" / "sluice").mkdir()
        (self.folder / "runtime" / "sluice").chmod(0o755)
        self.assert_runs(self.wrap(), "^sluice: others may enter")

    def test_files_that_cannot_be_written(self):
        for option in ("--json", "--report"):
            self.assert_runs(self.wrap(option, "/proc/no/such"), f"^sluice: {option}: there is no folder",
                             "\nsluice: cannot write /proc/no/such")

    def test_no_further_thread(self):
        # The command is there before any thread; the stacks of those that watch do not fit.
        if self.run_to_end(["sh", "-c", f"ulimit -v 60000; exec {PROGRAM} --version"]).returncode != 0:
            self.skipTest("a sanitizer needs more")
        done = self.run_to_end(["sh", "-c", f"ulimit -v 60000; exec {PROGRAM} wrap --quiet -- sh -c 'echo ran; exit 3'"])
        self.assertEqual((done.returncode, done.stdout), (3, "ran\n"), done.stderr)

    def test_no_home_and_no_runtime_folder(self):
        self.assert_runs(self.wrap(env={"HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"}))

    def test_an_interpreter_that_keeps_us_out(self):
        done = self.run_to_end([PROGRAM, "wrap", "--quiet", "--", "/usr/bin/python3", "-IS", "-c", "print('ran'); raise SystemExit(3)"])
        self.assert_runs(done, "^sluice: -S keeps our sitecustomize out|^sluice: -I keeps")

    def test_a_killed_agent_of_exec_leaves_the_command_alone(self):
        process = self.spawn([PROGRAM, "wrap", "--exec", "--", "sh", "-c", "while [ ! -e end ]; do sleep 0.02; done; exit 3"])
        def watchers():
            found = []
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    ours = os.readlink(f"/proc/{pid}/cwd") == str(self.folder)
                    if ours and Path(os.readlink(f"/proc/{pid}/exe")).samefile(PROGRAM) and int(pid) != process.pid:
                        found.append(int(pid))
                except OSError:
                    pass
            return found
        for pid in until(watchers, "the process that watches"):
            os.kill(pid, signal.SIGKILL)
        until(lambda: not watchers(), "its end")
        (self.folder / "end").touch()
        self.assertEqual(process.wait(DEADLINE), 3)


if __name__ == "__main__":
    unittest.main()
