"""Plants one fault at a time in a small clean tree and expects check_namespaces.py to name it."""
import tempfile
import unittest
from pathlib import Path

import check_includes
import check_namespaces

TABLE = """
base: base: -
image: runtime/image: base
runtime: runtime: base image
capi: capi: base
app: app: base image runtime
"""

CLEAN = {
    "base/include/sluice/base/text.h": "namespace sluice {\nstruct Text {};\n}  // namespace sluice\n",
    "base/include/sluice/base/check.h": "namespace sluice::internal {\nvoid Fail();\n}\n",
    "runtime/image/src/row.h": "namespace sluice::image {\nnamespace {\nstruct Row {};\n}\n}\n",
    "runtime/src/run.h": "namespace sluice::runtime::internal {\nstruct Run {};\n}\nnamespace rt = sluice::runtime;\n",
    "capi/src/handle.h": "struct sluice_handle {};\nextern \"C\" { struct Old { int of_c; }; }\n",
    "app/src/main.cpp": "// namespace sluice {\nconst char* kText = \"namespace x {\";\nusing namespace std::literals;\n",
    "app/src/version.h.in": "namespace sluice::app {\n}\n",
    "tests/runtime/run_test.cpp": "namespace sluice::runtime {\nnamespace {\n}\n}\n",
    "tests/fuzz/input.h": "namespace sluice::fuzz {\nstruct Input {};\n}\n",
}


class CheckNamespaces(unittest.TestCase):
    def violations_of(self, planted):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**CLEAN, **planted}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            (root / "rooms.txt").write_text(TABLE)
            return check_namespaces.violations(root, check_includes.read_table(root / "rooms.txt"))

    def assert_caught(self, planted, words):
        self.assertEqual(self.violations_of(planted), [words])

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.violations_of({}), [])

    def test_a_room_in_the_namespace_of_all_is_named(self):
        self.assert_caught(
            {"runtime/src/a.cpp": "namespace sluice {\nstruct Run {};\n}\n"},
            "runtime/src/a.cpp: opens sluice, and its own is sluice::runtime")

    def test_a_room_in_the_namespace_of_another_is_named(self):
        self.assert_caught(
            {"app/src/a.h": "namespace sluice::runtime {\nclass Pipeline;\n}\n"},
            "app/src/a.h: opens sluice::runtime, and its own is sluice::app")
        self.assert_caught(
            {"base/src/a.cpp": "namespace sluice {\nnamespace image {\n}\n}\n"},
            "base/src/a.cpp: opens sluice::image, and its own is sluice")

    def test_an_inner_room_is_not_taken_for_the_one_around_it(self):
        self.assert_caught(
            {"runtime/image/src/a.cpp": "namespace sluice::runtime {\n}\n"},
            "runtime/image/src/a.cpp: opens sluice::runtime, and its own is sluice::image")

    def test_a_name_that_only_begins_like_the_room_is_named(self):
        self.assert_caught(
            {"runtime/src/a.cpp": "namespace sluice::runtimes {\n}\n"},
            "runtime/src/a.cpp: opens sluice::runtimes, and its own is sluice::runtime")

    def test_tests_and_made_headers_are_looked_at(self):
        self.assert_caught(
            {"tests/runtime/a_test.cpp": "namespace sluice {\nnamespace {\n}\n}\n"},
            "tests/runtime/a_test.cpp: opens sluice, and its own is sluice::runtime")
        self.assert_caught(
            {"tests/fuzz/a_fuzz.cpp": "namespace sluice {\n}\n"},
            "tests/fuzz/a_fuzz.cpp: opens sluice, and its own is sluice::fuzz")
        self.assert_caught(
            {"app/src/version.h.in": "namespace sluice {\n}\n"},
            "app/src/version.h.in: opens sluice, and its own is sluice::app")

    def test_opening_all_of_a_room_is_named(self):
        self.assert_caught(
            {"app/src/a.cpp": "using namespace sluice::runtime;\n"},
            "app/src/a.cpp: opens all of sluice::runtime; write out what it needs")

    def test_a_type_outside_of_any_namespace_is_named(self):
        self.assert_caught(
            {"runtime/src/a.cpp": "struct Run {};\nnamespace sluice::runtime {\n}\n"},
            "runtime/src/a.cpp: defines Run outside of sluice::runtime")


if __name__ == "__main__":
    unittest.main()
