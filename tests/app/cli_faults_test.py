"""Data that are missing, broken or vanish, under each policy; and data being made."""
import hashlib
import resource
import shutil
import signal
import subprocess
import unittest

from cli import DEADLINE, PROGRAM, CliTest, small_data, until


class Making(CliTest):
    def make(self, kind, out, *options):
        return self.assert_done(self.sluice("data", "make", kind, "--out", out, *options))

    def content(self, folder):
        return {str(path.relative_to(self.folder / folder)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in (self.folder / folder).rglob("*") if path.is_file()}

    def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(self):
        for kind, count in (("imagefolder", "10"), ("cifar10", "100")):
            with self.subTest(kind=kind):
                self.make(kind, f"{kind}-a", "--count", count, "--seed", "7", "--quiet")
                self.make(kind, f"{kind}-b", "--count", count, "--seed", "7", "--quiet")
                self.make(kind, f"{kind}-c", "--count", count, "--seed", "8", "--quiet")
                same, again, other = (self.content(f"{kind}-{letter}") for letter in "abc")
                self.assertEqual(same, again)
                self.assertNotEqual(same, other)

    def test_count_and_classes_are_what_was_asked_for(self):
        self.make("imagefolder", "deep/images", "--count", "6", "--classes", "3", "--quiet")
        photographs = list((self.folder / "deep/images").glob("*/*.jp*g"))
        self.assertEqual(len(photographs), 6)
        self.assertEqual(len({photograph.parent for photograph in photographs}), 3)

    def test_tells_how_far_it_is_unless_quiet(self):
        self.assertIn("of 10 images", self.make("imagefolder", "a", "--count", "10").stderr)
        quiet = self.make("imagefolder", "b", "--count", "10", "--quiet")
        self.assertEqual(quiet.stdout + quiet.stderr, "")

    def test_a_full_disk_is_told_and_leaves_no_half_file(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        for kind in ("imagefolder", "cifar10"):
            with self.subTest(kind=kind):
                done = self.limited(small_files_only, "data", "make", kind, "--out", kind, "--count", "40", "-q")
                self.assert_refused(done, rf"{kind}.*(File too large|No space left)", code=1)
                files = [path for path in (self.folder / kind).rglob("*") if path.is_file()]
                self.assertEqual([path for path in files if path.suffix in (".jpg", ".jpeg", ".bin")], [])

    def limited(self, limit, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              preexec_fn=limit, **self.options())

    def test_a_file_in_the_way_is_named(self):
        (self.folder / "taken").write_text("mine")
        self.assert_refused(self.sluice("data", "make", "cifar10", "--out", "taken"), "taken.*in the way", code=1)
        self.assertEqual((self.folder / "taken").read_text(), "mine")


class MissingData(CliTest):
    def test_comes_with_the_command_that_makes_them(self):
        for kind, key in (("cifar10", "cifar10"), ("imagefolder", "image_folder")):
            with self.subTest(kind=kind):
                scenario = self.scenario(f'[source]\nkind = "{key}"\npath = "data/{kind}"\n'
                                         '[[op]]\nkind = "batch"\nsize = 4\n')
                done = self.sluice("run", scenario)
                self.assert_refused(done, f"sluice data make {kind} --out data/{kind}$", code=1)
                command = done.stderr.strip().split("sluice data make ")[1].split()
                self.assert_done(self.sluice("data", "make", *command, "--count", "10", "--quiet"))
                self.assertNotIn("data make", self.sluice("run", scenario, "-q").stderr, "the remedy helps")

    def test_a_folder_without_images_is_told(self):
        (self.folder / "images" / "class").mkdir(parents=True)
        self.assert_refused(self.sluice("run", self.photographs("images")), "images", code=1)

    def test_a_truncated_file_is_named_with_what_is_missing(self):
        shutil.copytree(small_data("cifar10", 500), self.folder / "cifar")
        batch = sorted((self.folder / "cifar").glob("data_batch_*.bin"))[0]
        batch.write_bytes(batch.read_bytes()[:-100])
        scenario = self.scenario('[source]\nkind = "cifar10"\npath = "cifar"\n[[op]]\nkind = "batch"\nsize = 4\n')
        self.assert_refused(self.sluice("run", scenario), batch.name, code=1)


class BrokenPhotograph(CliTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(small_data("imagefolder", 24), self.folder / "images")
        self.broken = sorted((self.folder / "images").glob("*/*"))[10]
        self.broken.write_bytes(self.broken.read_bytes()[:5000])

    def run_with(self, policy, code=0):
        scenario = self.photographs("images", decode=f'on_error = "{policy}"')
        done = self.assert_done(self.sluice("run", scenario, "-q", "--json", "result.json"), code)
        result = self.result()
        decode = next(op for op in result["ops"] if op["name"] == "decode")
        return done, result, decode["failed_rows"]

    def test_raise_ends_the_run_and_names_the_file(self):
        done, result, _ = self.run_with("raise", 1)
        self.assertIn(self.broken.name, done.stderr)
        self.assertEqual((result["run"]["ended"], result["run"]["exit_code"]), ("failed", 1))
        self.assertIn(self.broken.name, result["run"]["error"])

    def test_skip_leaves_it_out_and_counts_it(self):
        done, result, failed = self.run_with("skip")
        self.assertEqual((result["consumer"]["rows"], failed), (23, 1))
        self.assertEqual(result["failed_rows"], {"failed": 1, "read": 24, "different": 1, "file": None})
        self.assertIn(self.broken.name, result["run"]["warnings"][0])
        self.assertRegex(done.stdout, r"\nfailed    1 of 24 rows; --failed-rows FILE lists them\n$")

    def test_the_list_names_each_row_once_and_the_report_says_where_it_is(self):
        others = sorted((self.folder / "images").glob("*/*"))
        for path in (others[3], others[17]):
            path.write_bytes(path.read_bytes()[:4000])
        scenario = self.photographs("images", decode='on_error = "skip"')
        done = self.assert_done(self.sluice("run", scenario, "-q", "--epochs", "4", "--failed-rows", "failed.tsv"))
        self.assertRegex(done.stdout, r"\nfailed    12 of 96 rows \(3 different rows\); listed in failed.tsv\n$")
        head, *rows = (line.split("\t") for line in (self.folder / "failed.tsv").read_text().splitlines())
        self.assertEqual(head, ["row", "epoch", "op", "file", "byte", "error"])
        found = sorted((int(row), int(epoch), op, file.rpartition("/")[2]) for row, epoch, op, file, *_ in rows)
        self.assertEqual(found, [(i, 0, "decode", others[i].name) for i in (3, 10, 17)])

    def test_a_list_that_cannot_be_made_is_told_before_the_run(self):
        scenario = self.photographs("images", decode='on_error = "skip"')
        self.assert_refused(self.sluice("run", scenario, "--failed-rows", "missing/list"),
                            "--failed-rows.*missing", code=1)
        self.assert_refused(self.sluice("run", scenario, "--failed-rows", "/dev/full"),
                            "--failed-rows.*/dev/full: No space left", code=1)

    def test_a_list_that_cannot_grow_leaves_the_run_alone_and_is_told_at_its_end(self):
        scenario = self.photographs("images", decode='on_error = "skip"')
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))

        done = subprocess.run([PROGRAM, "run", scenario, "-q", "--failed-rows", "failed.tsv"], capture_output=True,
                              text=True, timeout=DEADLINE, preexec_fn=limit, **self.options())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed.tsv: File too large", done.stderr)
        self.assertIn("photographs finished after", done.stdout)
        self.assertEqual((self.folder / "failed.tsv").read_text(), "row\tepoch\top\tfile\tbyte\terror\n")

    def test_the_list_holds_what_failed_although_the_run_is_killed(self):
        scenario = self.photographs("images", decode='on_error = "skip"')
        run = self.start("run", scenario, "--epochs", "0", "--plain", "--failed-rows", "failed.tsv")
        until(lambda: self.broken.name in (self.folder / "failed.tsv").read_text() if
              (self.folder / "failed.tsv").exists() else False, "the broken one in the list")
        run.send(signal.SIGKILL)
        run.wait()
        self.assertIn(self.broken.name, (self.folder / "failed.tsv").read_text())

    def test_replace_fills_its_place_and_counts_it(self):
        _, result, failed = self.run_with("replace")
        self.assertEqual((result["consumer"]["rows"], failed), (24, 1))

    def test_a_file_that_vanishes_during_the_run_is_named(self):
        shutil.rmtree(self.folder / "images")
        shutil.copytree(small_data("imagefolder", 24), self.folder / "images")
        run = self.start("run", self.photographs("images"), "--epochs", "0", "--plain")
        run.until_printed(r"t=1")
        gone = sorted((self.folder / "images").glob("*/*"))[3]
        gone.unlink()
        self.assertEqual(run.wait(), 1, run.text())
        self.assertIn(gone.name, run.errors())
        self.assertIn("failed after", run.text(), "the report is still given")


if __name__ == "__main__":
    unittest.main()
