"""Puts one document at a time before check_docs.py, with a program that has the verbs run and data make."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check_docs

PROGRAM = """#!/bin/sh
case "$1 $2" in
  "run "*) echo "usage: sluice run SCENARIO --tune --json FILE" ;;
  "data make") echo "usage: sluice data make KIND --out DIR" ;;
  "data "*) echo "usage: sluice data make" ;;
  "--help "*) echo "usage: sluice VERB --version" ;;
  *) echo "no such verb" >&2; exit 2 ;;
esac
"""


class CheckDocs(unittest.TestCase):
    def problems_of(self, text, run=False):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "scenarios").mkdir()
            (root / "scenarios" / "imagenet.toml").write_text("")
            (root / "bin").mkdir()
            program = root / "bin" / "sluice"
            program.write_text(PROGRAM)
            program.chmod(0o755)
            document = root / "README.md"
            document.write_text(text)
            teller = check_docs.Program(str(program))
            problems = list(check_docs.link_problems(document, root))
            for block in check_docs.blocks(document, root):
                problems += check_docs.block_problems(teller, root, block)
                if run and block.run:
                    problems += check_docs.run_block(root, teller, block)
            return problems

    def test_documents_are_found_without_git_too(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, PATH=folder):
            for name in ("README.md", "docs/tour.md", "build/made.md"):
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text("")
            found = check_docs.documents(Path(folder))
            self.assertEqual([str(path.relative_to(folder)) for path in found], ["README.md", "docs/tour.md"])

    def assert_caught(self, text, words, run=False):
        found = self.problems_of(text, run)
        self.assertTrue(any(words in problem for problem in found), found)

    def test_a_true_document_passes(self):
        self.assertEqual(self.problems_of(
            "[a](scenarios/imagenet.toml) [b](https://example.org)\n"
            "```sh\n./run\n./run imagenet --tune --json a.json | tail -1\n"
            "$ sluice data make cifar10 \\\n  --out data  # a comment with --nothing\n"
            "cmake --preset release\nsluice --version\n```\n"), [])

    def test_an_option_that_is_gone_is_named(self):
        self.assert_caught("```sh\ntrue && build/bin/sluice run imagenet --faster\n```\n", "has no option --faster")

    def test_an_option_of_another_verb_is_named(self):
        self.assert_caught("```sh\nsluice data make cifar10 --tune\n```\n", "sluice data make has no option --tune")

    def test_options_of_a_wrapped_command_are_its_own(self):
        self.assertEqual(self.problems_of("```sh\nsluice run imagenet --tune -- python3 train.py --faster\n```\n"), [])

    def test_a_verb_that_is_gone_is_named(self):
        self.assert_caught("```sh\nsluice fly\n```\n", "there is no verb fly")

    def test_a_scenario_that_is_gone_is_named(self):
        self.assert_caught("```sh\n./run imagenot\n```\n", "there is no scenario imagenot")

    def test_a_dead_link_is_named(self):
        self.assert_caught("see [this](docs/gone.md)\n", "docs/gone.md does not exist")

    def test_a_marked_block_that_fails_is_shown(self):
        self.assert_caught("<!-- run -->\n```sh\nsluice fly\n```\n", "exit code 2", run=True)

    def test_a_block_without_the_mark_is_not_run(self):
        self.assertEqual(self.problems_of("```sh\nfalse\n```\n", run=True), [])


if __name__ == "__main__":
    unittest.main()
