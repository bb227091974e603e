"""Every dashboard holds together, with itself and with the others; a planted fault is found."""
import copy
import json
import unittest
from collections.abc import Callable

import structure
from boards_at_hand import Json, dashboards, panels_of

# What is said of the fault, and what breaks it.
PLANTED: dict[str, Callable[[Json], object]] = {
    "id is 7": lambda d: d.update(id=7),
    "schemaVersion is 36": lambda d: d.update(schemaVersion=36),
    "graphTooltip is 0": lambda d: d.update(graphTooltip=0),
    "uid is ''": lambda d: d.update(uid=""),
    "would lose a choice": lambda d: d["templating"]["list"].pop(),
    "nobody declares ['host']": lambda d: d["panels"][1]["targets"][0].update(expr='up{job=~"$job",host="$host"}'),
    "which come after it": lambda d: d["templating"]["list"].insert(1, d["templating"]["list"].pop(2)),
    "ids are not unique": lambda d: d["panels"][3].update(id=2),
    "two queries with one refId": lambda d: panels_of(d)[0]["targets"].append(panels_of(d)[0]["targets"][0]),
    "overlaps another panel": lambda d: d["panels"][2]["gridPos"].update(x=0),
    "or the edge": lambda d: d["panels"][1]["gridPos"].update(w=25),
    "has units for": lambda d: renamed(d).update({"Value #A": "Waits"}),
    "forgets the variables": lambda d: d["links"][0].update(includeVars=False),
    "which there is not": lambda d: linked(d).update(url=linked(d)["url"].replace("sluice-", "sluice-x")),
    "forgets a variable": lambda d: linked(d).update(url=linked(d)["url"].replace("${rank:queryparam}", "")),
}


def linked(dashboard: Json) -> Json:
    link: Json = next(panel["fieldConfig"]["defaults"]["links"][0] for panel in panels_of(dashboard)
                      if panel["fieldConfig"]["defaults"].get("links"))
    return link


def renamed(dashboard: Json) -> Json:
    """Names of a table's columns."""
    names: Json = next(panel for panel in panels_of(dashboard) if panel["type"] == "table")["transformations"][1]["options"]["renameByName"]
    return names


class Structure(unittest.TestCase):
    def test_no_dashboard_has_a_fault(self) -> None:
        found = dashboards()
        self.assertEqual(len(found), 5)
        for name, dashboard in found.items():
            with self.subTest(name):
                self.assertEqual(structure.faults_of(dashboard, set(found)), [])
                self.assertEqual(dashboard["uid"], name)

    def test_each_planted_fault_is_found(self) -> None:
        found = dashboards()
        for said, plant in PLANTED.items():
            with self.subTest(said):
                dashboard = copy.deepcopy(found["sluice-overview"])
                plant(dashboard)
                self.assertIn(said, json.dumps(structure.faults_of(dashboard, set(found)), ensure_ascii=False))


if __name__ == "__main__":
    unittest.main()
