"""`python3 -m sluice` becomes the program that the package belongs to, wherever both were put."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MAIN = Path(__file__).resolve().parents[2] / "python" / "sluice" / "__main__.py"


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def package(self, *where):
        package = self.folder.joinpath(*where, "sluice")
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        shutil.copy(MAIN, package)
        return package

    def program(self, prefix):
        (prefix / "bin").mkdir(parents=True)
        program = prefix / "bin" / "sluice"
        program.write_text('#!/bin/sh\necho "$0" "$@"\nexit 7\n')
        program.chmod(0o755)
        return program

    def run_package(self, package, *arguments):
        return subprocess.run([sys.executable, "-m", "sluice", *arguments], cwd=package.parent, capture_output=True, text=True,
                              timeout=60, check=False)

    def test_in_a_wheel_it_lies_within(self):
        package = self.package("site-packages")
        program = self.program(package / "_native")
        done = self.run_package(package, "wrap", "--", "python3", "a b.py")
        self.assertEqual((done.stdout, done.returncode), (f"{program} wrap -- python3 a b.py\n", 7))

    def test_under_a_prefix_it_lies_in_its_bin(self):
        package = self.package("usr", "lib", "sluice", "python")
        program = self.program(self.folder / "usr")
        self.assertEqual(self.run_package(package, "ls").stdout, f"{program} ls\n")

    def test_in_the_sources_it_is_the_one_that_was_built(self):
        package = self.package("clone", "python")
        program = self.program(self.folder / "clone" / "build" / "release")
        self.assertEqual(self.run_package(package).stdout, f"{program}\n")

    def test_where_there_is_none_it_says_so(self):
        package = self.package("elsewhere")
        done = self.run_package(package, "ls")
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertIn(f"the program is not beside the package in {package}", done.stderr)


if __name__ == "__main__":
    unittest.main()
