"""Plants one fault at a time among two fuzzers that are in order and expects check_fuzzers.py to name it."""
import tempfile
import unittest
from pathlib import Path

import check_fuzzers

CLEAN = {
    "CMakeLists.txt": "sluice_fuzzer(png_fuzz DEPENDS a)\nsluice_fuzzer(psi_fuzz DEPENDS b)\n",
    "README.md": "| fuzzer | feeds |\n|---|---|\n| `png_fuzz` | PNG |\n| `psi_fuzz` | PSI |\n",
    "corpus/png_fuzz/grey.png": "x",
    "corpus/psi_fuzz/cpu": "some avg10=0.00",
    "input.h": "",
    "png_fuzz.cpp": "",
    "psi_fuzz.cpp": "",
}


class CheckFuzzers(unittest.TestCase):
    def violations_of(self, planted=None, removed=()):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **(planted or {})}.items():
                path = Path(folder) / "tests" / "fuzz" / name
                if name not in removed:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            return check_fuzzers.violations(Path(folder))

    def test_fuzzers_in_order_pass(self):
        self.assertEqual(self.violations_of(), [])

    def test_a_fuzzer_without_seeds_is_named(self):
        found = self.violations_of(removed=["corpus/psi_fuzz/cpu"])
        self.assertEqual(found, ["corpus/psi_fuzz: there are no seeds"])

    def test_a_fuzzer_that_no_list_names_is_named(self):
        found = self.violations_of({"new_fuzz.cpp": "", "corpus/new_fuzz/a": "x"})
        self.assertEqual(found, ["README.md: does not name new_fuzz", "CMakeLists.txt: does not name new_fuzz"])

    def test_what_is_left_of_a_fuzzer_that_has_gone_is_named(self):
        found = self.violations_of(removed=["psi_fuzz.cpp"])
        self.assertEqual(len(found), 3, found)

    def test_seeds_that_are_too_large_are_named(self):
        self.assertIn("corpus/png_fuzz/a: is not below 4096 bytes",
                      self.violations_of({"corpus/png_fuzz/a": "x" * 4096}))
        many = {f"corpus/png_fuzz/{i}": "x" * 4000 for i in range(40)}
        self.assertEqual(len(self.violations_of(many)), 1)


if __name__ == "__main__":
    unittest.main()
