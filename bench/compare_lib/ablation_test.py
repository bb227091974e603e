import unittest

from . import ablation


def run(ours, without, met=(10, 10), ooms=(0, 0)):
    """Of two controllers: (final, lost) of each."""
    return {name: {"final": final, "lost": lost, "met": met[i], "of": 12, "ooms": ooms[i]}
            for i, (name, (final, lost)) in enumerate((("sluice", ours), ("without-trust", without)))}


class Compare(unittest.TestCase):
    def test_a_loss_without_the_rule_is_positive(self):
        cost = ablation.compare({i: run((1.0, 2.0), (0.9, 5.0), (10, 8), (0, 1)) for i in range(4)}, "trust")
        self.assertAlmostEqual(cost["lost"][0], 3)
        self.assertAlmostEqual(cost["final"][0], 0.1)
        self.assertEqual((cost["floors"], cost["ooms"], cost["differs"]), (8, 4, 4))
        self.assertEqual(ablation.pays(*cost["lost"]), 1)

    def test_noise_is_no_worth(self):
        runs = {i: run((1.0, 2.0), (1.0, 2.0 + delta)) for i, delta in enumerate((3, -3, 2, -1))}
        self.assertEqual(ablation.pays(*ablation.compare(runs, "trust")["lost"]), 0)
        self.assertEqual(ablation.pays(*ablation.compare({0: run((1, 2), (1, 2))}, "trust")["lost"]), 0, "no difference at all")

    def test_a_rule_that_harms_is_told(self):
        runs = {i: run((0.9, 5.0), (1.0, 2.0 + 0.1 * i)) for i in range(4)}
        self.assertEqual(ablation.pays(*ablation.compare(runs, "trust")["lost"]), -1)


class Figures(unittest.TestCase):
    def test_floors_that_do_not_apply_do_not_count(self):
        told = {"floors_met": {"final": True, "shift": None, "lost": False},
                "figures": {"final_share": {"median": 0.5}, "lost_seconds": {"median": 3}, "ooms": None}}
        self.assertEqual(ablation.figures(told), {"final": 0.5, "lost": 3, "met": 1, "of": 2, "ooms": 0})


class Table(unittest.TestCase):
    def test_begins_with_what_costs_most_and_marks_what_pays(self):
        runs = {i: run((1.0, 2.0), (0.9, 5.0)) | {"without-trim": {"final": 1.0, "lost": 2.0, "met": 10, "of": 12, "ooms": 0}}
                for i in range(4)}
        text = ablation.table({"trim": "trims", "trust": "trusts"}, {"random": runs}, "Some")
        self.assertIn("Some. With all rules, random: 4 runs, 40 of 48 floors, 2.00 s lost on average.", text)
        self.assertLess(text.index("| `trust` | trusts | **+3.00 ± 0.00** | **+10.00 ± 0.00** | +0 | 4 of 4 |"),
                        text.index("| `trim` | trims | +0.00 ± 0.00 | +0.00 ± 0.00 | +0 | 0 of 4 |"))


if __name__ == "__main__":
    unittest.main()
