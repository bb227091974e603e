"""Walks made-up documents in made-up clones."""
import io
import os
import subprocess
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import walk_readme


class Blocks(unittest.TestCase):
    def commands_of(self, block):
        ((_, _, commands),) = walk_readme.blocks(f"```sh\n{block}```\n")
        return commands

    def test_each_line_is_a_command_and_comments_are_none(self):
        self.assertEqual(self.commands_of("true\n\n# says\nfalse  # so\n"), ["true", "false  # so"])

    def test_a_command_may_go_over_several_lines(self):
        self.assertEqual(self.commands_of("test a \\\n  = a\n"), ["test a    = a"])

    def test_a_here_document_is_one_command(self):
        self.assertEqual(self.commands_of("cat >f <<'END'\n# a\n\n[b]\nEND\ntrue\n"), ["cat >f <<'END'\n# a\n\n[b]\nEND", "true"])


class Walk(unittest.TestCase):
    def walk(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            where = Path(folder)
            names = [f"{number}.md" for number in range(len(texts))]
            for name, text in zip(names, texts):
                (where / name).write_text(text)
            with redirect_stdout(io.StringIO()):
                return walk_readme.walk(where, names, walk_readme.whoever_calls(where / "compiled"))

    def test_commands_run_in_their_order_in_one_folder(self):
        self.assertEqual(self.walk("```sh\necho a > file\n```\ntext\n```sh\n# says\ngrep -q a file  # so\n```\n"), (2, 0, ""))

    def test_documents_are_walked_one_after_the_other_in_one_folder(self):
        self.assertEqual(self.walk("```sh\necho a > file\n```\n", "```sh\ngrep -q a file\n```\n"), (2, 0, ""))

    def test_the_first_failure_ends_the_walk_and_is_named_with_its_line(self):
        walked, _, problem = self.walk("# Title\n```sh\ntrue\necho why; false\ntrue\n```\n", "```sh\ntrue\n```\n")
        self.assertEqual(walked, 1)
        self.assertRegex(problem, r"0.md:3: echo why; false: exit status 1\nwhy")

    def test_a_command_that_measured_less_than_promised_has_failed(self):
        line = "echo 'sluice: DataLoaders are not measured: no library; training goes on' >&2"
        self.assertIn("fell short", self.walk(f"```sh\n{line}\n```\n")[2])

    def test_a_command_that_does_not_end_is_ended_with_all_that_it_started(self):
        with mock.patch.object(walk_readme, "LONGEST_SECONDS", 0.1):
            self.assertIn("does not end", self.walk("```sh\nsleep 600 | cat\n```\n")[2])

    def test_a_block_is_left_out_only_with_a_reason(self):
        self.assertEqual(self.walk("<!-- not walked: it is for ever -->\n```sh\nfalse\n```\n```sh\ntrue\n```\n"), (1, 1, ""))
        self.assertIn("exit status", self.walk("<!-- not walked -->\n```sh\nfalse\n```\n")[2])


class MadeUpRepository(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.folder.chmod(0o755)
        self.root = self.folder / "root"
        self.root.mkdir()

    def commit(self, document):
        (self.root / "README.md").write_text(document)
        author = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        for command in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "-m", "Begin"]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True)

    def main(self, document, *options):
        """(exit status, what was printed)."""
        self.commit(document)
        printed = io.StringIO()
        with mock.patch.dict(os.environ, SLUICE_WALK_FOLDER=str(self.folder)), redirect_stdout(printed):
            return walk_readme.main([str(self.root), "README.md", *options]), printed.getvalue()

    def test_the_path_of_the_clone_has_a_blank_an_umlaut_and_a_dollar_sign(self):
        status, printed = self.main('```sh\ncase $(pwd) in *" "*ä*\'$\'*/sluice) ;; *) false ;; esac\n```\n')
        self.assertEqual(status, 0, printed)

    def test_nothing_is_left_and_a_failure_is_the_exit_status(self):
        status, printed = self.main("```sh\nfalse\n```\n", "--without-rights")
        self.assertEqual((status, printed.count("exit status")), (1, 1), printed)
        self.assertEqual(os.listdir(self.folder), ["root"])

    @unittest.skipUnless(os.getuid() == 0, "only root can become another user")
    def test_the_second_walk_is_that_of_a_user_in_a_clone_of_his_own(self):
        number = walk_readme.unused_number()
        block = 'git status\ntest "$(stat -c %u .)" = "$(id -u)" && touch made "$HOME"/sluice-walk-test && rm "$HOME"/sluice-walk-test\n'
        status, printed = self.main(f"```sh\n{block}```\n", "--without-rights")
        self.assertEqual(status, 0, printed)
        self.assertIn(f"as uid {number}: 2 commands walked", printed)
        (self.root / "other.md").write_text("```sh\ntrue\n```\n")
        status, printed = self.main("```sh\ntrue\ntrue\n```\n", "--without-rights", "other.md")
        self.assertEqual(status, 0, printed)
        self.assertIn("as uid 0: 2 commands walked", printed)
        self.assertIn(f"as uid {number}: 1 commands walked", printed)

    @unittest.skipUnless(os.getuid() == 0, "only root can become another user")
    def test_that_user_may_do_nothing_and_has_nothing(self):
        home = self.folder / "home"
        home.mkdir()
        walker = walk_readme.without_rights(home, self.folder / "compiled")
        walk_readme.give_to(walker, home)
        for command in (f'test "$(id -u) $(id -G)" = "{walker.number} {walker.number}"', 'test "$LANG" = C', "touch ~/file",
                        "! touch /etc/sluice-walk-test", 'grep -q "^NoNewPrivs:.1" /proc/self/status',
                        'grep -q "^CapEff:.0*$" /proc/self/status', 'test -z "${SLUICE_NO_INSTALL:-}"'):
            self.assertEqual(walk_readme.problem_of(command, self.folder, walker), "", command)

    @unittest.skipUnless(os.getuid() == 0, "only root can become another user")
    def test_what_the_second_walk_leaves_in_shared_memory_is_removed(self):
        number = walk_readme.unused_number()
        status, printed = self.main("```sh\nmkdir -p /dev/shm/sluice-walk-test-$(id -u)\n```\n", "--without-rights")
        self.addCleanup(subprocess.run, ["rm", "-rf", "/dev/shm/sluice-walk-test-0"], check=True)
        self.assertEqual(status, 0, printed)
        self.assertFalse(os.path.exists(f"/dev/shm/sluice-walk-test-{number}"))

    def test_who_is_not_root_walks_once_and_says_so(self):
        with mock.patch.object(walk_readme.os, "getuid", return_value=4711):
            status, printed = self.main("```sh\ntrue\n```\n", "--without-rights")
        self.assertEqual((status, printed.count("commands walked")), (0, 1), printed)
        self.assertIn("only root can become another user", printed)


if __name__ == "__main__":
    unittest.main()
