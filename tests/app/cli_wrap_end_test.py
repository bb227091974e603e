"""A wrapped command ends, reads and writes as the bare one does."""
import os
import resource
import select
import signal
import subprocess
import unittest
from pathlib import Path

from cli import DEADLINE, PROGRAM, until
from wrapped import PYTHON, QUIET, WrapTest, ignoring, is_gone

ENDS = {
    "exit 0": "exit 0", "exit 3": "exit 3", "exit 126": "exit 126", "exit 127": "exit 127",
    "exit 137": "exit 137", "exit 139": "exit 139", "exit 255": "exit 255",
    "SIGKILL": "kill -KILL $$", "SIGSEGV": "kill -SEGV $$", "SIGTERM": "kill -TERM $$", "SIGINT": "kill -INT $$",
    "SIGPIPE": "kill -PIPE $$", "SIGABRT": "kill -ABRT $$", "SIGUSR1": "kill -USR1 $$",
}


class Status(WrapTest):
    def test_is_that_of_the_bare_command(self):
        for prefix in (QUIET, [PROGRAM, "wrap", "--exec", "--"]):
            for name, script in ENDS.items():
                with self.subTest(end=name, by=prefix[2]):
                    command = ["sh", "-c", script]
                    self.assertEqual(self.status_of([*prefix, *command]), self.status_of(command))

    def test_tells_of_a_core_as_the_bare_command_does_and_leaves_no_second_one(self):
        def cores(limit):
            resource.setrlimit(resource.RLIMIT_CORE, (limit, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        for limit in (0, resource.getrlimit(resource.RLIMIT_CORE)[1]):
            for name in ("SEGV", "QUIT", "ABRT"):
                with self.subTest(limit=limit, signal=name):
                    seen = []
                    for prefix in ([], QUIET):
                        folder = self.folder / f"{name}{limit}{len(prefix)}"
                        folder.mkdir()
                        status = self.status_of([*prefix, "sh", "-c", f"kill -{name} $$"], cwd=folder,
                                                preexec_fn=lambda: cores(limit))
                        seen.append((status, len(list(folder.iterdir()))))
                    self.assertEqual(seen[1], seen[0])

    def test_of_what_cannot_be_started_is_the_shells(self):
        (self.folder / "text").write_text("no program")
        (self.folder / "odd").write_text("#!/no/such/interpreter\n")
        (self.folder / "odd").chmod(0o755)
        for prefix in (QUIET, [PROGRAM, "wrap", "--exec", "--"]):
            for command, code, said in ((["no-such-command"], 127, "no-such-command: command not found"),
                                        (["./nothing"], 127, "./nothing: No such file or directory"),
                                        (["./text"], 126, "./text: Permission denied"),
                                        (["./odd"], 127, "./odd: No such file"),
                                        (["."], 126, ": Is a directory|Permission denied"), ([""], 127, "command not found")):
                with self.subTest(command=command, by=prefix[2]):
                    done = self.run_to_end([*prefix, *command])
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertRegex(done.stderr, said)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_script_without_an_interpreter_line_runs_as_in_a_shell(self):
        script = self.folder / "plain"
        script.write_text("exit 7\n")
        script.chmod(0o755)
        self.assertEqual(self.run_to_end([*QUIET, "./plain"]).returncode, 7)

    def test_of_a_wrong_command_line_is_2_and_nothing_runs(self):
        for arguments in ([], ["--"], ["--memory", "lots", "--", "touch", "ran"], ["--repro", "exact", "--", "touch", "ran"],
                          ["--no-such-option", "touch", "ran"], ["--cores", "0", "--", "touch", "ran"]):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.sluice("wrap", *arguments))
                self.assertFalse((self.folder / "ran").exists())

    def test_comes_at_once_while_a_grandchild_lives_on(self):
        script = 'sleep 60 >/dev/null 2>&1 & echo $! > grandchild; exit 4'
        for prefix in ([], QUIET, [PROGRAM, "wrap", "--"]):
            with self.subTest(by=prefix):
                self.assertEqual(self.run_to_end([*prefix, "sh", "-c", script]).returncode, 4)
                pid = int((self.folder / "grandchild").read_text())
                self.assertFalse(is_gone(pid))
                os.kill(pid, signal.SIGKILL)


class Files(WrapTest):
    def test_standard_input_reaches_the_command_whole(self):
        text = "".join(f"line {i}\n" for i in range(20000))
        done = subprocess.run([*QUIET, "sort", "-r"], input=text, capture_output=True, text=True, **self.options())
        self.assertEqual(done.stdout, "".join(sorted(text.splitlines(True), reverse=True)))

    def test_closed_files_are_closed_for_the_command_too(self):
        script = "ls -l /proc/self/fd | wc -l; readlink /proc/self/fd/0 || echo closed"
        for closed in ("<&-", "<&- 2>&-"):
            with self.subTest(closed=closed):
                bare = self.run_to_end(["sh", "-c", f"sh -c '{script}' {closed}"])
                wrapped = self.run_to_end(["sh", "-c", f"{' '.join(QUIET)} sh -c '{script}' {closed}"])
                self.assertEqual(wrapped.stdout, bare.stdout)

    def test_nothing_of_ours_is_open_in_the_command(self):
        script = 'import os; print(sorted(os.listdir("/proc/self/fd")))'
        for prefix in (QUIET, [PROGRAM, "wrap", "--exec", "--"]):
            self.assertEqual(self.run_to_end([*prefix, *PYTHON, script]).stdout,
                             self.run_to_end([*PYTHON, script]).stdout)

    def test_files_beyond_the_standard_ones_are_handed_down(self):
        done = self.run_to_end(["sh", "-c", f"{' '.join(QUIET)} sh -c 'echo three >&3' 3>third"])
        self.assertEqual((self.folder / "third").read_text(), "three\n", done.stderr)

    def test_a_reader_that_leaves_ends_it_by_sigpipe(self):
        for prefix in ([], QUIET):
            with self.subTest(by=prefix):
                process = self.spawn([*prefix, "sh", "-c", "while :; do echo line; done"], stdout=subprocess.PIPE,
                                     restore_signals=True)
                process.stdout.readline()
                process.stdout.close()
                self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)

    def test_a_pipe_that_the_command_closes_is_closed(self):
        process, notes = self.listener([*QUIET, "sh", "-c", 'exec "$@" >&-', "sh"], stdout=subprocess.PIPE)
        until(lambda: select.select([process.stdout], [], [], 0)[0], "the end of the file")
        self.assertEqual(process.stdout.read(), b"")
        self.assertIsNone(process.poll())
        notes.tell_to_end()
        self.assertEqual(process.wait(DEADLINE), 5)

    def test_nobody_needs_standard_error_for_the_report(self):
        script = f"{PROGRAM} wrap -- sh -c 'exit 9' 2>&-"
        self.assertEqual(self.run_to_end(["sh", "-c", script]).returncode, 9)
        process = self.spawn([PROGRAM, "wrap", "--", "sh", "-c", "cat >/dev/null; exit 9"], stdin=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        process.stderr.close()
        process.stdin.close()
        self.assertEqual(process.wait(DEADLINE), 9)


class Process(WrapTest):
    def test_exec_keeps_the_pid_and_leaves_no_child(self):
        script = ("import os; print(os.getpid(), os.getsid(0), os.getpgrp())\n"
                  "try: os.wait()\nexcept ChildProcessError: print('none')")
        process = self.spawn([PROGRAM, "wrap", "--exec", "--", *PYTHON, script], stdout=subprocess.PIPE, text=True)
        out = process.communicate(timeout=DEADLINE)[0].split()
        self.assertEqual(out, [str(process.pid), str(os.getsid(0)), str(os.getpgrp()), "none"])

    def test_the_watching_process_of_exec_ends_with_the_command(self):
        process = self.spawn([PROGRAM, "wrap", "--exec", "--report", "report", "--", "sleep", "60"])
        def watcher():
            return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                    if not is_gone(pid) and self.watches(pid, process.pid)]
        found = until(watcher, "the process that watches")
        self.assertEqual(len(found), 1)
        process.terminate()
        process.wait(DEADLINE)
        until(lambda: is_gone(found[0]), "its end")
        self.assertIn("sleep 60: ended after", (self.folder / "report").read_text())

    def watches(self, pid, command):
        try:
            # Neither the command nor the process in between, which opens the session and goes.
            return (os.readlink(f"/proc/{pid}/cwd") == str(self.folder)
                    and Path(os.readlink(f"/proc/{pid}/exe")).name == Path(PROGRAM).name
                    and os.getsid(pid) not in (pid, os.getsid(command)))
        except OSError:
            return False

    def test_is_in_the_same_group_and_session_and_gets_what_was_inherited(self):
        script = ("import os, signal; print(os.getpgrp(), os.getsid(0), signal.getsignal(signal.SIGUSR1), "
                  "signal.getsignal(signal.SIGCHLD), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))")
        def inherit():
            ignoring(signal.SIGUSR1, signal.SIGCHLD)()
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        for prefix in (QUIET, [PROGRAM, "wrap", "--exec", "--"]):
            self.assertEqual(self.run_to_end([*prefix, *PYTHON, script], preexec_fn=inherit).stdout,
                             self.run_to_end([*PYTHON, script], preexec_fn=inherit).stdout)

    def test_an_ignored_sigchld_does_not_lose_the_exit_code(self):
        done = self.run_to_end([*QUIET, "sh", "-c", "exit 8"], preexec_fn=ignoring(signal.SIGCHLD))
        self.assertEqual(done.returncode, 8)


class Environment(WrapTest):
    SCRIPT = ("import os; [print(name, value) for name, value in sorted(os.environ.items()) "
              "if name == 'PYTHONPATH' or name.startswith('SLUICE_')]")

    def variables(self, *arguments, **env):
        out = self.run_to_end([PROGRAM, "wrap", "--quiet", *arguments, "--", *PYTHON, self.SCRIPT], env=env).stdout
        return dict(line.split(" ", 1) for line in out.splitlines())

    def test_puts_its_folder_before_what_is_there(self):
        for there, behind in (("", ""), ("/a:/b", ":/a:/b"), (":/a", "::/a")):
            with self.subTest(there=there):
                path = self.variables(PYTHONPATH=there)["PYTHONPATH"]
                self.assertRegex(path, rf"^/[^:]*sluice/inject{behind}$")

    def test_says_what_was_asked_for_and_keeps_what_the_user_has_set(self):
        self.assertEqual(self.variables("--repro", "strict")["SLUICE_REPRO"], "strict")
        self.assertEqual(self.variables(SLUICE_REPRO="free")["SLUICE_REPRO"], "free")
        self.assertNotIn("SLUICE_ADVISE", self.variables())
        for option in ("--advise", "--no-tune"):
            self.assertEqual(self.variables(option)["SLUICE_ADVISE"], "1")
        self.assertEqual(self.variables(SLUICE_RUN_ID="mine")["SLUICE_RUN_ID"], "mine")

    def test_disable_means_the_bare_command_and_nothing_else(self):
        process = self.spawn([PROGRAM, "wrap", "--", *PYTHON, "import os; print(os.getpid());" + self.SCRIPT],
                             env={"SLUICE_DISABLE": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(out.splitlines(), [str(process.pid), "SLUICE_DISABLE 1"])
        self.assertEqual(err, "")

    def test_a_wrap_inside_a_wrap_only_starts_the_command_and_says_so(self):
        done = self.run_to_end([*QUIET, PROGRAM, "wrap", "--", "sh", "-c", "exit 3"])
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.splitlines(), ["sluice: already inside a wrapped run; sh is simply started"])

    def test_a_wrap_after_a_wrap_that_has_ended_is_one_again(self):
        done = self.run_to_end([PROGRAM, "wrap", "--", "true"], env={"SLUICE_WRAPPED_BY": "1-1"})
        self.assertIn("exit status 0", done.stderr)


if __name__ == "__main__":
    unittest.main()
