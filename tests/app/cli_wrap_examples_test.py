"""The training scripts of scenarios/wrap, which the documents wrap: as they are, and measured from inside."""
import unittest

from cli import PROGRAM, ROOT, small_data
from wrapped import WrapTest

PYTHON = "/usr/bin/python3"
SCRIPTS = ROOT / "scenarios" / "wrap"
PATIENCE = 360  # seconds; a whole training, on a busy machine too


class Examples(WrapTest):
    def assert_wraps(self, script, loader, *arguments):
        done = self.run_to_end([PROGRAM, "wrap", "--", PYTHON, SCRIPTS / script, *arguments, "--epochs", 2], deadline=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("epoch "), 2, done.stdout)
        self.assertIn(f"{script}: {loader}", done.stderr)
        self.assertNotIn("training goes on", done.stderr)

    def test_text(self):
        folder = self.folder / "text"
        folder.mkdir()
        for number in range(4):
            (folder / f"{number}.txt").write_text(f"line {number}\n" * 2000)
        self.assert_wraps("text.py", "loader", folder, "--batch-size", 400)

    def test_image_folder(self):
        self.assert_wraps("image_folder.py", "train_loader", small_data("imagefolder", 60), "--batch-size", 8)

    def test_cifar10(self):
        self.assert_wraps("cifar10.py", "", small_data("cifar10", 500))


if __name__ == "__main__":
    unittest.main()
