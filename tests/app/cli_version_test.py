"""`sluice version`, and cmake/WriteCommit.cmake, which finds what its `commit` says."""
import os
import shutil
import subprocess
import unittest

from cli import ROOT, CliTest

FACTS = {
    "sluice": r"\d+\.\d+\.\d+",
    "commit": r"unknown|[0-9a-f]{40}( with changes)?",
    "compiler": r"(GNU|Clang) \d+\.\d+\.\d+",
    "build-type": r"\w+",
    "sanitizers": r"[a-z,]+",
    **dict.fromkeys(("fmt", "nlohmann-json", "CLI11", "toml++", "sqlite", "libjpeg-turbo",
                     "libpng", "zlib"), r"\d+(\.\d+)+"),
}


class Version(CliTest):
    def test_is_that_of_the_option(self):
        self.assertEqual(self.assert_done(self.sluice("version")).stdout, self.sluice("--version").stdout)

    def test_build_tells_a_name_and_a_value_per_line(self):
        lines = self.assert_done(self.sluice("version", "--build")).stdout.splitlines()
        told = dict(line.split(maxsplit=1) for line in lines)
        self.assertEqual(list(told), list(FACTS))
        for name, pattern in FACTS.items():
            with self.subTest(name=name):
                self.assertRegex(told[name], f"^({pattern})$")


@unittest.skipUnless(shutil.which("git") and shutil.which("cmake"), "needs git and cmake")
class Commit(CliTest):
    def setUp(self):
        super().setUp()
        self.clone = self.folder / "a clöne for $1"
        (self.clone / "inside").mkdir(parents=True)
        self.file = self.clone / "file"
        self.file.write_text("first\n")

    def git(self, *arguments):
        # Not the configuration of whoever runs the tests: it may want commits to be signed.
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(["git", "-C", self.clone, "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments], check=True,
                              env=environment, capture_output=True, text=True).stdout.strip()

    def commit(self):
        self.git("init", "-q")
        self.git("add", "file")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def found(self, source=None):
        header = self.folder / "commit.h"
        subprocess.run(["cmake", f"-DSOURCE={source or self.clone}", f"-DTO={header}", "-P", ROOT / "cmake/WriteCommit.cmake"],
                       check=True)
        return header.read_text().split('"')[1]

    def test_is_that_of_the_clone(self):
        commit = self.commit()
        (self.clone / "new").write_text("no file of the commit, so not built from\n")
        self.assertEqual(self.found(), commit)

    def test_changes_are_told(self):
        commit = self.commit()
        self.file.write_text("second\n")
        self.assertEqual(self.found(), f"{commit} with changes")

    def test_is_unknown_without_a_clone(self):
        self.assertEqual(self.found(), "unknown")

    def test_is_unknown_in_a_folder_of_somebody_elses_clone(self):
        self.commit()
        self.assertEqual(self.found(self.clone / "inside"), "unknown")

    def test_is_unknown_where_git_does_not_understand_the_clone(self):
        (self.clone / ".git").mkdir()
        self.assertEqual(self.found(), "unknown")

    def test_a_header_that_would_stay_the_same_is_left_alone(self):
        self.commit()
        self.found()
        os.utime(self.folder / "commit.h", (1, 1))
        self.found()
        self.assertEqual((self.folder / "commit.h").stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
