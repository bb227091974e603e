"""Walks made-up documents in a made-up clone."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import walk_readme


class Walk(unittest.TestCase):
    def walk(self, text):
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder)
            (where / "README.md").write_text(text)
            with mock.patch("builtins.print"):
                return walk_readme.walk(where, "README.md")

    def test_commands_run_in_their_order_in_one_folder(self):
        self.assertEqual(self.walk("```sh\necho a > file\n```\ntext\n```sh\n# says\ngrep -q a file  # so\n```\n"), (2, 0, ""))

    def test_the_first_failure_ends_the_walk_and_is_named_with_its_line(self):
        walked, _, problem = self.walk("# Title\n```sh\ntrue\necho why; false\ntrue\n```\n")
        self.assertEqual(walked, 1)
        self.assertRegex(problem, r"README.md:3: echo why; false: exit status 1\nwhy")

    def test_a_command_that_measured_less_than_promised_has_failed(self):
        line = "echo 'sluice: DataLoaders are not measured: no library; training goes on' >&2"
        self.assertIn("fell short", self.walk(f"```sh\n{line}\n```\n")[2])

    def test_a_block_is_left_out_only_with_a_reason(self):
        self.assertEqual(self.walk("<!-- not walked: it is for ever -->\n```sh\nfalse\n```\n```sh\ntrue\n```\n"), (1, 1, ""))
        self.assertIn("exit status", self.walk("<!-- not walked -->\n```sh\nfalse\n```\n")[2])

    def test_a_command_may_go_over_several_lines(self):
        self.assertEqual(self.walk("```sh\ntest a \\\n  = a\n```\n"), (1, 0, ""))


if __name__ == "__main__":
    unittest.main()
