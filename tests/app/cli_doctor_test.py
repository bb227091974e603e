"""What stands in a wrap's way, and the remedy."""
import os
import unittest

from cli import CliTest, needs_library


class Doctor(CliTest):
    def doctor(self, *arguments, **env):
        environment = {"PATH": "/usr/bin:/bin", **env}
        return self.sluice("doctor", *arguments, env=environment)

    def assert_bad(self, done, subject, reason):
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, rf"(?m)^BAD  {subject} .*{reason}.*\n {{20}}-> \S")

    @needs_library
    def test_tells_of_interpreter_injection_machine_and_patches(self):
        done = self.doctor("--", "python3", "train.py")
        for subject in ("command", "package", "interpreter", "injection", "sitecustomize", "torch", "start method",
                        "libsluice.so", "patched", "segments", "/dev/shm", "open files", "cores", "affinity", "rank",
                        "GPUs", "core dumps", "ptrace scope"):
            self.assertRegex(done.stdout, rf"(?m)^(ok   |note |BAD  ){subject} ")
        self.assertRegex(done.stdout, r"(?m)^ok   injection +works$")
        self.assertRegex(done.stdout, r"sitecustomize .*sluice/inject/sitecustomize.py")

    def test_a_shell_that_is_held_on_one_cpu_is_told_so_before_the_run(self):
        everything = os.sched_getaffinity(0)
        if len(everything) < 2:
            self.skipTest("needs a second CPU")
        os.sched_setaffinity(0, {min(everything)})
        try:
            done = self.doctor("--", "make", OMP_PROC_BIND="close")
        finally:
            os.sched_setaffinity(0, everything)
        self.assertRegex(done.stdout,
                         r"note affinity +what is started here may only use CPU \d+, of \d+ .*\n +-> taskset -cp")
        self.assertRegex(done.stdout, r"note affinity +OMP_PROC_BIND=close is set")

    def test_never_runs_the_script(self):
        (self.folder / "train.py").write_text("open('ran', 'w')\n")
        self.doctor("--", "python3", "train.py")
        self.assertFalse((self.folder / "ran").exists())

    def test_flags_that_keep_us_out_are_named(self):
        for flags, named in ((["-I"], "-I"), (["-S"], "-S"), (["-E"], "-E"), (["-u", "-W", "ignore", "-bE"], "-E")):
            with self.subTest(flags=flags):
                self.assert_bad(self.doctor("--", "python3", *flags, "train.py"), "injection", f"impossible: {named}")

    @needs_library
    def test_what_is_the_scripts_own_is_not_taken_for_a_flag(self):
        done = self.doctor("--", "python3", "-u", "train.py", "-S", "-I")
        self.assertRegex(done.stdout, r"(?m)^ok   injection +works$")

    @needs_library
    def test_finds_the_interpreter_of_a_program_like_torchrun(self):
        program = self.folder / "launch"
        program.write_text("#!/usr/bin/env python3\nopen('ran', 'w')\n")
        program.chmod(0o755)
        done = self.doctor("--", "./launch", "--nproc_per_node", "2")
        self.assertRegex(done.stdout, r"(?m)^ok   interpreter +\S*python3\S*, Python 3")
        self.assertFalse((self.folder / "ran").exists())

    def test_a_command_that_is_not_there(self):
        self.assert_bad(self.doctor("--", "no-such-command"), "command", "command not found")

    def test_nonsense_in_the_rank_environment(self):
        for env, reason in (({"RANK": "2", "WORLD_SIZE": "2"}, "RANK=2 is not below WORLD_SIZE=2"),
                            ({"LOCAL_RANK": "one"}, "LOCAL_RANK=one is not a whole number"),
                            ({"SLURM_PROCID": "-1"}, "SLURM_PROCID=-1 is less than 0"),
                            ({"PMI_RANK": "0", "PMI_SIZE": "0"}, "PMI_SIZE=0 is less than 1")):
            with self.subTest(env=env):
                self.assert_bad(self.doctor("--", "make", **env), "rank", reason)

    def test_sense_in_it_is_told(self):
        done = self.doctor("--", "make", RANK="1", WORLD_SIZE="4", LOCAL_RANK="1", LOCAL_WORLD_SIZE="2")
        self.assertRegex(done.stdout, r"ok   rank +rank 1 of 4, local rank 1 of 2, says torchrun")

    def test_a_segment_folder_that_cannot_be_used(self):
        (self.folder / "runtime" / "sluice").mkdir()
        (self.folder / "runtime" / "sluice").chmod(0o755)
        self.assert_bad(self.doctor("--", "make"), "segments", "others may enter")

    def test_a_library_that_cannot_be_loaded(self):
        self.assert_bad(self.doctor("--", "python3", SLUICE_LIBRARY="/no/such/lib.so"), "libsluice.so", "/no/such/lib.so")

    def test_switched_off(self):
        self.assert_bad(self.doctor("--", "make", SLUICE_DISABLE="1"), "SLUICE_DISABLE", "nothing is wrapped")

    @needs_library
    def test_a_sitecustomize_of_the_users_is_in_the_chain(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "sitecustomize.py").write_text("print('noise on standard output')\n")
        done = self.doctor("--", "python3", PYTHONPATH=str(self.folder / "mine"))
        self.assertRegex(done.stdout, r"sitecustomize .*sluice/inject/sitecustomize.py, .*/mine/sitecustomize.py")


if __name__ == "__main__":
    unittest.main()
