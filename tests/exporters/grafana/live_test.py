"""Every expression of every dashboard, asked of a real Prometheus that scrapes a tuned run and a wrapped one of two ranks.

An error fails, and so does an empty answer, unless the panel says for itself why it may be empty ("No data: ...") and that is no
option: these are given here.
"""
import contextlib
import os
import re
import shutil
import signal
import socket
import tempfile
import unittest
from pathlib import Path
from typing import Any

from boards_at_hand import ROOT, Json, dashboards, substituted, targets_of
from cli import PROGRAM, WAITING, Running
from prometheus_server import Prometheus, serving, until

SERVER = os.environ.get("SLUICE_PROMETHEUS") or shutil.which("prometheus")
PYTHON = "/usr/bin/python3"
RULES = [ROOT / "exporters" / "prometheus" / name for name in ("rules.yml", "alerts.yml")]

OUTLIVES_NOBODY = ("timeout", "--kill-after=10", "300")  # nor a test that is killed
LATELY = 120  # seconds that a panel shows here; longer than the runs are
ALL = {"datasource": "prometheus", "job": ".+", "instance": ".+", "rank": ".*", "loader": ".*", "op": ".+",
       "__rate_interval": "5s", "__range": f"{LATELY}s"}

# Slow enough for a scrape before the first decision.
SLOWLY_TUNED = WAITING.replace('"4ms"', '"20ms"')

# Trains until it is killed. Rank 1 has the slower rows.
TRAIN = """
import os, time, torch
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 8 * 200
    def __getitem__(self, index):
        time.sleep(0.004 if os.environ["RANK"] == "1" else 0.001)
        return torch.tensor([index])
if __name__ == "__main__":
    loader = DataLoader(Slow(), batch_size=8, num_workers=1, persistent_workers=True)
    while True:
        for batch in loader: time.sleep(0.005)
"""
TWO_RANKS = 'export WORLD_SIZE=2; for RANK in 0 1; do RANK=$RANK "$0" "$1" & done; wait'


class Runs:
    """A run and a wrapped one, with a server that scrapes both; the jobs are called `run` and `wrap`."""

    def __init__(self, stack: type[unittest.TestCase], server: Prometheus, folder: Path, jobs: dict[str, str]) -> None:
        self._stack, self._server, self._folder = stack, server, folder
        (folder / "runtime").mkdir(mode=0o700)
        (folder / "train.py").write_text(TRAIN)
        (folder / "waiting.toml").write_text(SLOWLY_TUNED)
        self._start("wrap", "--metrics", jobs["wrap"], "--metrics-workers", 16, "--", "sh", "-c", TWO_RANKS, PYTHON, folder / "train.py")
        until(lambda: server.now('up{job="run"}'), lambda: "the first scrape, of what is not there yet")
        self._start("run", folder / "waiting.toml", "--metrics", jobs["run"], "--metrics-workers", 16, "--quiet", "--memory", "1GiB")

    def _start(self, *arguments: object) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("SLUICE", "RANK", "WORLD_SIZE"))}
        environment = {**own, "XDG_RUNTIME_DIR": str(self._folder / "runtime"), "LC_ALL": "C.UTF-8"}
        running = Running([*OUTLIVES_NOBODY, PROGRAM, *map(str, arguments)], cwd=self._folder, env=environment, start_new_session=True)
        self._stack.addClassCleanup(end, running)
        until(lambda: re.search(r"metrics at http://127\.0\.0\.1:\d+/metrics", running.errors()), running.errors)

    def until_tuned(self) -> None:
        """Decisions of the run have come to something, and both ranks take batches."""
        for query in ('sum(sluice_decisions_total{job="run",outcome=~"kept|rolled_back"}) > 0',
                      'sluice_last_decision_timestamp_seconds{job="run"}',
                      'count(rate(sluice_consumer_items_total{job="wrap",rank=~"0|1"}[5s]) > 0) == 2',
                      'count(rate(sluice_op_busy_seconds_total{job="wrap"}[5s]) > 0) >= 2'):
            until(lambda: self._server.now(query), lambda: query)
        made = 'increase(sluice_decisions_total{job="run"}[5s]) > 0'
        until(lambda: self._server.lately(made, LATELY), lambda: "a decision between two scrapes")


def end(running: Running) -> None:
    """With the trainers of the wrapped one."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGTERM)
        until(lambda: running.process.poll() is not None, running.errors)
        os.killpg(running.pid, signal.SIGKILL)
    running.end()


def free_addresses(count: int) -> list[str]:
    """Nothing listens there now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return ["127.0.0.1:%d" % each.getsockname()[1] for each in sockets]


def escaped(value: str) -> str:
    """As Grafana writes a chosen value into a matcher."""
    return re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\\\1", value)


def asked(server: Prometheus, target: Json, values: dict[str, str]) -> list[Any]:
    query = substituted(target["expr"], values)
    return server.now(query) if target.get("instant") else server.lately(query, LATELY)


def shown(found: list[Any]) -> bool:
    """Whether there is a number to draw: 0 divided by 0 is none."""
    return any(sample[1] != "NaN" for series in found for sample in series.get("values", [series.get("value")]))


def may_be_empty(panel: Json) -> bool:
    why = panel["description"].partition("\n\nNo data: ")[2]
    return bool(why) and "--metrics-workers" not in why


def faults_of(server: Prometheus, dashboard: Json, values: dict[str, str]) -> list[str]:
    """Panels that ask for what there is not, or ask wrongly."""
    faults = []
    for panel, target in targets_of(dashboard):
        where = f'{dashboard["uid"]} "{panel["title"]}" {target["refId"]}'
        try:
            found = asked(server, target, values)
        except ValueError as error:
            faults.append(f"{where}: {error}")
            continue
        if not shown(found) and not may_be_empty(panel):
            faults.append(f"{where} is empty: {substituted(target['expr'], values)}")
    return faults


@unittest.skipUnless(SERVER, "the prometheus server is not installed")
class Live(unittest.TestCase):
    server: Prometheus

    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(tempfile.mkdtemp(prefix="sluice-live-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        assert SERVER
        jobs = dict(zip(("run", "wrap"), free_addresses(2)))
        cls.server = cls.enterClassContext(serving(SERVER, folder, RULES, jobs))
        Runs(cls, cls.server, folder, jobs).until_tuned()

    def shows(self, dashboard: Json, values: dict[str, str]) -> None:
        """Within the patience of `until`: on a busy machine two scrapes may lie further apart than a rate looks back."""
        faults: list[str] = []

        def none() -> bool:
            faults[:] = faults_of(self.server, dashboard, values)
            return not faults
        until(none, lambda: "\n".join(faults))

    def test_every_panel_shows_something_of_a_run_of_a_wrapped_one_and_of_both(self) -> None:
        for name, dashboard in dashboards().items():
            for job in ("run", "wrap", ".+"):
                with self.subTest(f"{name} of {job}"):
                    self.shows(dashboard, {**ALL, "job": job})

    def test_every_panel_shows_something_of_one_rank_and_loader_and_op(self) -> None:
        found = self.server.now('sluice_op_workers{job="wrap",rank="1"}')[0]["metric"]
        chosen = {name: escaped(found[name]) for name in ("job", "instance", "rank", "loader", "op")}
        for name, dashboard in dashboards().items():
            with self.subTest(name):
                self.shows(dashboard, {**ALL, **chosen, "op": ".+"})
        ops = dashboards()["sluice-ops"]
        self.assertTrue(asked(self.server, targets_of(ops)[0][1], {**ALL, **chosen}), chosen)

    def test_decisions_are_marked_at_the_moment_they_were_made(self) -> None:
        for name, dashboard in dashboards().items():
            made, outcome = (each for each in dashboard["annotations"]["list"] if not each.get("builtIn"))
            for annotation in (made, outcome):
                with self.subTest(f"{name}: {annotation['name']}"):
                    found = self.server.lately(substituted(annotation["expr"], {**ALL, "job": "run"}), LATELY)
                    self.assertTrue(found)
            first = self.server.lately(substituted(made["expr"], {**ALL, "job": "run"}), LATELY)[0]["values"][-1]
            age = first[0] - float(first[1]) / 1000
            self.assertTrue(made["useValueForTime"] and 0 <= age < LATELY, f"{age} s before it was scraped")

    def test_variables_offer_what_there_is(self) -> None:
        wanted = {"job": ({"run"}, {"wrap"}), "rank": (set(), {"0", "1"}), "loader": (set(), {"train.py: loader (Slow)"})}
        for name, dashboard in dashboards().items():
            for variable in dashboard["templating"]["list"][1:]:
                for at, job in enumerate(("run", "wrap")):
                    with self.subTest(f"{name}: {variable['name']} of {job}"):
                        offered = self.offered(variable, {**ALL, "job": job})
                        if variable["name"] in wanted:
                            self.assertLessEqual(wanted[variable["name"]][at], offered)
                        else:
                            self.assertTrue(offered)

    def offered(self, variable: Json, values: dict[str, str]) -> set[str]:
        match = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"])
        assert match
        return set(self.server.label_values(substituted(match[1], values), match[2]))

    def test_a_misspelt_metric_or_a_wrong_query_is_found(self) -> None:
        panel = {"title": "P", "description": "A panel.", "type": "stat"}
        for expression, said in (('sluice_op_worker{job=~"$job"}', "is empty"), ('rate(up{job=~"$job"})', "expected type range vector")):
            dashboard = {"uid": "sluice-test", "panels": [{**panel, "targets": [{"refId": "A", "expr": expression}]}]}
            found = faults_of(self.server, dashboard, ALL)
            self.assertEqual(len(found), 1)
            self.assertIn(said, found[0])

    def test_no_alert_fires(self) -> None:
        """Rules that Prometheus itself evaluates, of metrics as they are: those of promtool's tests are made up."""
        self.assertEqual(self.server.now('ALERTS{alertstate="firing"}'), [])
        for name in ("loader:sluice_consumer_starved:ratio_rate5m", "op:sluice_op_busy:ratio_rate5m", "knob:sluice_decisions:increase1h"):
            until(lambda: self.server.now(name), lambda: name)


if __name__ == "__main__":
    unittest.main()
