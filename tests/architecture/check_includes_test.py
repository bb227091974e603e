"""Plants one fault at a time in a small clean tree and expects check_includes.py to name it."""
import tempfile
import unittest
from pathlib import Path

import check_includes

TABLE = """
base: base: -
image: runtime/image: base
runtime: runtime: base image
autotune: autotune: base
app: app: base image runtime autotune
"""

CLEAN = {
    "base/CMakeLists.txt": "sluice_module(base)",
    "base/README.md": "`text` is text",
    "runtime/README.md": "`pipeline`",
    "runtime/image/README.md": "`tensor`, `row`",
    "autotune/README.md": "`controller`",
    "app/README.md": "`main`",
    "base/include/sluice/base/text.h": "#pragma once\n#include <string>\n",
    "runtime/image/include/sluice/image/tensor.h": '#pragma once\n#include "sluice/base/text.h"\n',
    "runtime/image/src/row.h": '#pragma once\n#include "sluice/image/tensor.h"\n',
    "runtime/image/src/row.cpp": '#include "row.h"\n',
    "runtime/include/sluice/runtime/pipeline.h": '#pragma once\n#include "sluice/image/tensor.h"\n',
    "autotune/include/sluice/autotune/controller.h": '#pragma once\n#include "sluice/base/text.h"\n',
    "app/src/main.cpp": '#include "sluice/autotune/controller.h"\n#include "sluice/runtime/pipeline.h"\n',
    "tests/runtime/pipeline_test.cpp": '#include <gtest/gtest.h>\n#include "sluice/runtime/pipeline.h"\n',
}


class CheckIncludes(unittest.TestCase):
    def violations_of(self, planted, removed=(), table=TABLE):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**CLEAN, **planted}.items():
                if name not in removed:
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(text)
            (root / "rooms.txt").write_text(table)
            return check_includes.violations(root, check_includes.read_table(root / "rooms.txt"))

    def assert_caught(self, planted, words, **kwargs):
        found = self.violations_of(planted, **kwargs)
        self.assertTrue(any(words in problem for problem in found), found)

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.violations_of({}), [])

    def test_a_room_that_includes_one_beside_the_table_is_named(self):
        self.assert_caught(
            {"autotune/src/plan.cpp": '#include "sluice/runtime/pipeline.h"\n'},
            "autotune/src/plan.cpp: may not include runtime")

    def test_a_source_that_its_readme_does_not_name_is_named(self):
        self.assert_caught({"base/src/rope.cpp": ""}, "base/README.md: does not name rope")
        self.assert_caught({"python/sluice/_hook.py": "", "python/README.md": ""}, "does not name _hook")

    def test_an_inner_room_is_not_taken_for_the_one_around_it(self):
        self.assert_caught(
            {"runtime/image/src/row.cpp": '#include "sluice/runtime/pipeline.h"\n'}, "may not include runtime")

    def test_angle_brackets_hide_nothing(self):
        self.assert_caught({"base/src/a.cpp": "  # include <sluice/image/tensor.h>\n"}, "may not include image")

    def test_nothing_includes_app(self):
        self.assert_caught({
            "app/include/sluice/app/verb.h": "#pragma once\n",
            "runtime/src/a.cpp": '#include "sluice/app/verb.h"\n'}, "may not include app")

    def test_a_test_sees_no_more_than_its_room(self):
        self.assert_caught(
            {"tests/autotune/plan_test.cpp": '#include "sluice/runtime/pipeline.h"\n'}, "may not include runtime")

    def test_tests_of_no_room_are_named(self):
        self.assert_caught({"tests/nothing/a_test.cpp": ""}, "no room is called nothing")

    def test_climbing_out_of_a_folder_is_named(self):
        self.assert_caught({"runtime/src/a.cpp": '#include "../image/src/row.h"\n'}, "climbs out")

    def test_a_private_header_of_another_room_is_named(self):
        self.assert_caught({"runtime/src/a.cpp": '#include "row.h"\n'}, "reaches into runtime/image/src/row.h")

    def test_fuzzers_look_at_what_is_private(self):
        self.assertEqual(self.violations_of({"tests/fuzz/row_fuzz.cpp": '#include "row.h"\n'}), [])

    def test_a_header_that_is_gone_is_named(self):
        self.assert_caught({"app/src/a.cpp": '#include "sluice/base/gone.h"\n'}, "which does not exist")

    def test_a_public_header_under_a_foreign_name_is_named(self):
        self.assert_caught({"runtime/include/sluice/base/mine.h": "#pragma once\n"}, "belongs in include/sluice/runtime")

    def test_a_header_without_a_guard_is_named(self):
        self.assert_caught({"base/include/sluice/base/bare.h": ""}, "lacks #pragma once")

    def test_a_link_beside_the_table_is_named(self):
        self.assert_caught({
            "autotune/README.md": "",
            "autotune/CMakeLists.txt": "sluice_module(autotune DEPENDS sluice::base sluice::runtime)"},
            "autotune/CMakeLists.txt: may not link runtime")

    def test_a_circle_of_headers_is_named(self):
        self.assert_caught({
            "base/include/sluice/base/text.h": '#pragma once\n#include "sluice/base/units.h"\n',
            "base/include/sluice/base/units.h": '#pragma once\n#include "sluice/base/text.h"\n'},
            "includes in a circle")

    def test_parts_of_a_room_in_a_circle_are_named(self):
        parts = {"app/README.md": "main a b c d", "app/src/low/a.h": "#pragma once\n", "app/src/low/d.h": "#pragma once\n",
                 "app/src/high/b.h": '#pragma once\n#include "low/a.h"\n'}
        self.assertEqual(self.violations_of(parts), [])
        self.assert_caught({**parts, "app/src/low/c.cpp": '#include "high/b.h"\n'}, "parts in a circle")

    def test_a_part_of_too_many_units_is_named(self):
        units = [f"unit{i}" for i in range(check_includes.MOST_UNITS + 1)]
        files = {f"app/src/part/{name}.h": "#pragma once\n" for name in units}
        self.assert_caught({"app/README.md": " ".join(["main", *units]), **files}, "app/part: 16 units")

    def test_a_circle_in_the_table_is_named(self):
        self.assert_caught({}, "rooms in a circle", table=TABLE.replace("base: base: -", "base: base: app"))

    def test_a_room_without_a_readme_is_named(self):
        self.assert_caught({}, "base: has no README.md", removed=("base/README.md",))


if __name__ == "__main__":
    unittest.main()
