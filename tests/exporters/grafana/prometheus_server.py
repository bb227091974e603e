"""A Prometheus server for a test: on a free port of the loopback interface, scraping each second what it is told of.

Of jobs it is told at its start, by name and address, before anything serves there: so it sees the first second of a run.
"""
import contextlib
import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DEADLINE = 60  # seconds; only ever reached by a failure


class Prometheus:
    """REQUIRES: to be ended by `end`."""

    def __init__(self, program: str, folder: Path, rules: list[Path], jobs: dict[str, str]) -> None:
        self._log = folder / "prometheus.log"
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(path) for path in rules],
                  "scrape_configs": [{"job_name": job, "static_configs": [{"targets": [address]}]} for job, address in jobs.items()]}
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        with open(self._log, "w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [program, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'tsdb'}",
                 "--web.listen-address=127.0.0.1:0", "--log.level=info"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._url = self._listening()

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(DEADLINE)

    def now(self, query: str) -> list[Any]:
        return self._ask("query", query=query)

    def lately(self, query: str, seconds: int) -> list[Any]:
        """Each second of so many, as a panel asks for a course of time."""
        end = time.time()
        return self._ask("query_range", query=query, start=str(end - seconds), end=str(end), step="1")

    def label_values(self, metric: str, label: str) -> list[str]:
        values: list[str] = self._get(f"label/{label}/values", {"match[]": metric})
        return values

    def _ask(self, what: str, **parameters: str) -> list[Any]:
        found: list[Any] = self._get(what, parameters)["result"]
        return found

    def _get(self, what: str, parameters: dict[str, str]) -> Any:
        try:
            with urllib.request.urlopen(f"{self._url}/api/v1/{what}?{urllib.parse.urlencode(parameters)}", timeout=30) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise ValueError(json.load(error)["error"]) from None

    def _listening(self) -> str:
        found = until(self._address, lambda: self._log.read_text())
        until(lambda: self._ready(f"http://{found}/-/ready"), lambda: self._log.read_text())
        return f"http://{found}"

    def _address(self) -> str | None:
        if self._process.poll() is not None:
            raise AssertionError(self._log.read_text())
        found = re.search(r'msg="Listening on" address=(127\.0\.0\.1:[1-9]\d*)', self._log.read_text())
        return found[1] if found else None

    @staticmethod
    def _ready(url: str) -> bool:
        with contextlib.suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(url, timeout=10):
            return True
        return False


def until(condition: Any, what: Any) -> Any:
    """The first true value of `condition()`; `what()` says what was missing."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {DEADLINE} s: {what()}")


@contextlib.contextmanager
def serving(program: str, folder: Path, rules: list[Path], jobs: dict[str, str]) -> Iterator[Prometheus]:
    server = Prometheus(program, folder, rules, jobs)
    try:
        yield server
    finally:
        server.end()
