"""Data that are missing, broken or vanish, under each policy; and data being made."""
import hashlib
import resource
import shutil
import signal
import subprocess
import unittest

from cli import PROGRAM, CliTest, small_data


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
        _, result, failed = self.run_with("skip")
        self.assertEqual((result["consumer"]["rows"], failed), (23, 1))

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
