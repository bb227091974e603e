"""What Grafana needs of a dashboard beyond its schema, and what holds of all of ours together."""
import json
import re
from collections.abc import Iterator

from boards_at_hand import BUILT_IN, Json, panels_of, placed_in, variables_in

WIDTH = 24
VARIABLES = ["datasource", "job", "instance", "rank", "loader", "op"]


def faults_of(dashboard: Json, uids: set[str]) -> list[str]:
    checks = (frame_faults, variable_faults, id_faults, place_faults, column_faults)
    return [fault for check in checks for fault in check(dashboard)] + list(link_faults(dashboard, uids))


def frame_faults(dashboard: Json) -> Iterator[str]:
    wanted = {"id": None, "schemaVersion": 41, "graphTooltip": 1, "editable": False}
    for key, value in wanted.items():
        if dashboard.get(key, "") != value:
            yield f"{key} is {dashboard.get(key)!r}, not {value!r}"
    if not re.fullmatch(r"sluice-\w+", dashboard.get("uid", "")):
        yield f"uid is {dashboard.get('uid')!r}"


def variable_faults(dashboard: Json) -> Iterator[str]:
    declared = [variable["name"] for variable in dashboard["templating"]["list"]]
    if declared != VARIABLES:
        yield f"variables are {declared}: a link from another dashboard would lose a choice"
    unknown = variables_in(json.dumps(dashboard)) - set(declared) - BUILT_IN - {"__field", "labels"}
    if unknown:
        yield f"nobody declares {sorted(unknown)}"
    for at, variable in enumerate(dashboard["templating"]["list"]):
        later = variables_in(str(variable["query"])) - set(declared[:at])
        if later:
            yield f"{variable['name']} depends on {sorted(later)}, which come after it"


def id_faults(dashboard: Json) -> Iterator[str]:
    ids = [panel["id"] for panel in placed_in(dashboard)]
    if len(set(ids)) != len(ids):
        yield f"ids are not unique: {ids}"
    for panel in panels_of(dashboard):
        letters = [target["refId"] for target in panel["targets"]]
        if len(set(letters)) != len(letters):
            yield f'"{panel["title"]}" has two queries with one refId'


def cells(panel: Json) -> set[tuple[int, int]]:
    place = panel["gridPos"]
    return {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}


def place_faults(dashboard: Json) -> Iterator[str]:
    taken: set[tuple[int, int]] = set()
    for panel in placed_in(dashboard):
        own = cells(panel)
        if not own or own & taken or any(x < 0 or x >= WIDTH for x, _ in own):
            yield f'"{panel["title"]}" overlaps another panel or the edge'
        taken |= own


def column_faults(dashboard: Json) -> Iterator[str]:
    """Names that a table gives its columns are those that its units are for."""
    for panel in panels_of(dashboard):
        named = {name for step in panel.get("transformations", []) for name in step["options"].get("renameByName", {}).values()}
        meant = {override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]}
        if named != meant:
            yield f'"{panel["title"]}" has units for {sorted(meant)} and columns {sorted(named)}'


def link_faults(dashboard: Json, uids: set[str]) -> Iterator[str]:
    for link in dashboard["links"]:
        if not (link["includeVars"] and link["keepTime"]):
            yield f'the link "{link["title"]}" forgets the variables or the time'
    for panel in panels_of(dashboard):
        for link in panel["fieldConfig"]["defaults"].get("links", []):
            yield from data_link_faults(panel["title"], link, uids)


def data_link_faults(title: str, link: Json, uids: set[str]) -> Iterator[str]:
    uid, _, query = link["url"].removeprefix("/d/").partition("?")
    kept = set(re.findall(r"\$\{(\w+):queryparam\}|var-(\w+)=", query))
    names = {first or second for first, second in kept}
    if uid not in uids:
        yield f'"{title}" links to {uid}, which there is not'
    if not names >= set(VARIABLES) - {"op"} or "${__url_time_range}" not in query:
        yield f'the link "{link["title"]}" of "{title}" forgets a variable or the time'
