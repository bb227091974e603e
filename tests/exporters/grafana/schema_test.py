"""Every dashboard fits the schema of a pinned @grafana/schema (schema/README.md); a misspelt key does not."""
import copy
import json
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
from boards_at_hand import Json, dashboards, panels_of

SCHEMAS = Path(__file__).resolve().parent / "schema"

# Keys of an annotation that belong to Prometheus' data source, and so are not in the schema of all dashboards. By what it reads.
OF_PROMETHEUS = {"expr": str, "step": str, "titleFormat": str, "textFormat": str, "tagKeys": str, "useValueForTime": bool}

PLANTED: dict[str, Callable[[Json], object]] = {
    "'descripton' was unexpected": lambda d: panels_of(d)[0].update(descripton="x"),
    "'schemaVersion' is a required property": lambda d: d.pop("schemaVersion"),
    "'linewidth' was unexpected": lambda d: one(d, "timeseries")["fieldConfig"]["defaults"]["custom"].update(linewidth=1),
    "'huge' is not one of": lambda d: one(d, "stat")["options"].update(colorMode="huge"),
    "'showheader' was unexpected": lambda d: one(d, "table")["options"].update(showheader=True),
    "'showvalue' was unexpected": lambda d: one(d, "state-timeline")["options"].update(showvalue="never"),
    "'legende' was unexpected": lambda d: one(d, "heatmap")["options"].update(legende={}),
    "'expression' was unexpected": lambda d: d["annotations"]["list"][1].update(expression="up"),
    "annotation Decisions: useValueForTime": lambda d: d["annotations"]["list"][1].update(useValueForTime="on"),
    "'query' is not of type": lambda d: d["templating"]["list"][1].update(hide="query"),
}


def one(dashboard: Json, kind: str) -> Json:
    """A panel of this kind: of another dashboard where this one has none."""
    found = [panel for each in (dashboard, *dashboards().values()) for panel in panels_of(each) if panel["type"] == kind]
    panel: Json = found[0]
    if panel not in dashboard["panels"]:
        dashboard["panels"].append(panel)
    return panel


def schema_of(name: str) -> Json:
    schema: Json = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    return schema


def against(name: str, value: Json) -> Iterator[str]:
    for error in jsonschema.Draft7Validator(schema_of(name)).iter_errors(value):
        for fault in innermost(error):
            yield f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}"


def innermost(error: jsonschema.ValidationError) -> Iterator[jsonschema.ValidationError]:
    """Of what fits none of several schemas: why it does not fit each of them."""
    for each in error.context:
        yield from innermost(each)
    if not error.context:
        yield error


def annotation_faults(dashboard: Json) -> Iterator[str]:
    """Takes from the annotations what is Prometheus', so that the schema can be asked of the rest."""
    for annotation in dashboard["annotations"]["list"]:
        if annotation.get("builtIn"):
            continue
        for key, kind in OF_PROMETHEUS.items():
            if not isinstance(annotation.pop(key, None), kind):
                yield f"annotation {annotation['name']}: {key} is no {kind.__name__}"


def faults_of(dashboard: Json) -> list[str]:
    rest = copy.deepcopy(dashboard)
    faults = [*annotation_faults(rest), *against("dashboard", rest)]
    for panel in panels_of(dashboard):
        for part, value in (("options", panel["options"]), ("custom", panel["fieldConfig"]["defaults"]["custom"])):
            if (SCHEMAS / f"{panel['type']}.{part}.schema.json").exists():
                faults += [f'"{panel["title"]}" {part}/{fault}' for fault in against(f"{panel['type']}.{part}", value)]
    return faults


class Schema(unittest.TestCase):
    def test_every_dashboard_fits(self) -> None:
        for name, dashboard in dashboards().items():
            with self.subTest(name):
                self.assertEqual(faults_of(dashboard), [])

    def test_each_kind_of_panel_has_a_schema_of_its_options(self) -> None:
        kinds = {panel["type"] for dashboard in dashboards().values() for panel in panels_of(dashboard)}
        self.assertEqual(kinds, {path.name.partition(".")[0] for path in SCHEMAS.glob("*.options.schema.json")})

    def test_what_is_misspelt_is_found(self) -> None:
        for said, plant in PLANTED.items():
            with self.subTest(said):
                dashboard = copy.deepcopy(dashboards()["sluice-overview"])
                plant(dashboard)
                self.assertIn(said, "\n".join(faults_of(dashboard)))


if __name__ == "__main__":
    unittest.main()
