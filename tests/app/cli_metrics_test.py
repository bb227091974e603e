"""What --metrics serves while a run goes on."""
import contextlib
import http.client
import os
import re
import shutil
import socket
import subprocess
import unittest
import urllib.error
import urllib.request

from cli import ROOT, WAITING, CliTest, until

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

PROMTOOL = os.environ.get("SLUICE_PROMTOOL") or shutil.which("promtool")


def scrape(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return answer.read().decode()


def samples(text):
    return {name: float(value) for name, value in re.findall(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)}


class Metrics(CliTest):
    def start_serving(self):
        run = self.start_run("--metrics", "127.0.0.1:0", "--quiet")
        url = until(lambda: re.search(r"metrics at (http://127\.0\.0\.1:\d+/metrics)", run.errors()), "the address")[1]

        def ready():
            try:
                return scrape(url)
            except (urllib.error.HTTPError, ConnectionError):
                return None
        until(ready, "the first metrics")
        return run, url

    def test_name_every_fact_and_grow(self):
        _, url = self.start_serving()
        first = samples(scrape(url))
        names = {name.split("{")[0] for name in first}
        for fact in ("op_items_total", "op_busy_seconds_total", "op_starved_seconds_total",
                     "op_backed_up_seconds_total", "op_workers", "connector_depth", "connector_capacity",
                     "connector_buffered_bytes", "knob_value", "decisions_total"):
            self.assertTrue(any(fact in name for name in names), f"{fact} in {sorted(names)}")
        fetched = next(name for name in first if "op_items_total" in name and 'op="fetch"' in name)
        until(lambda: samples(scrape(url))[fetched] > first[fetched], "a counter that grows")

    @unittest.skipUnless(PROMTOOL, "promtool is not installed")
    def test_pass_promtool(self):
        run, url = self.start_serving()
        until(lambda: re.search(r"decisions\w*\{.*\} [1-9]", scrape(url)), "a decision")
        checked = subprocess.run([PROMTOOL, "check", "metrics"], input=scrape(url), capture_output=True, text=True,
                                 timeout=30)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        self.assertIsNone(run.process.poll())

    @unittest.skipUnless(text_string_to_metric_families, "python3-prometheus-client is not installed")
    def test_are_openmetrics_for_those_who_ask(self):
        _, url = self.start_serving()
        text = scrape(url, Accept="application/openmetrics-text; version=1.0.0")
        types = {family.name: family.type for family in text_string_to_metric_families(text)}
        self.assertEqual((types["sluice_run"], types["sluice_verdict"], types["sluice_op_items"]),
                         ("info", "stateset", "counter"))

    def test_a_crowd_of_silent_clients_takes_neither_the_runs_descriptors_nor_a_scrape(self):
        run, url = self.start_serving()
        before = len(os.listdir(f"/proc/{run.pid}/fd"))
        port = int(url.split(":")[2].split("/")[0])
        with contextlib.ExitStack() as crowd:
            for _ in range(500):
                crowd.enter_context(socket.create_connection(("127.0.0.1", port)))
            self.assertIn("sluice_run_info", scrape(url))
            self.assertLessEqual(len(os.listdir(f"/proc/{run.pid}/fd")), before + 64 + 1)

    def test_take_no_orders(self):
        run, url = self.start_serving()
        connection = http.client.HTTPConnection("127.0.0.1", int(url.split(":")[2].split("/")[0]), timeout=10)
        for method, path, expected in (("POST", "/metrics", [405]), ("GET", "/other", [404]), ("HEAD", "/metrics", [200]),
                                       ("GET", "/-/healthy", [200]), ("GET", "/-/ready", [200]), ("GET", "/", [200])):
            connection.request(method, path)
            answer = connection.getresponse()
            answer.read()
            self.assertIn(answer.status, expected, (method, path))
        self.assertIsNone(run.process.poll())


class Catalogue(CliTest):
    def test_is_that_of_the_tree(self):
        told = self.assert_done(self.sluice("export", "metrics")).stdout
        self.assertEqual(told, (ROOT / "exporters/prometheus/metrics.json").read_text())


class Refused(CliTest):
    def run_with(self, address):
        return self.sluice("run", self.scenario(WAITING), "--rows", "8", "--metrics", address)

    def test_a_busy_port_is_told(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.assert_refused(self.run_with(f"127.0.0.1:{port}"), rf"--metrics.*{port}.*in use", code=1)

    def test_an_address_that_others_can_reach_is_refused(self):
        self.assert_refused(self.run_with("0.0.0.0:0"), "--metrics.*0.0.0.0", code=1)

    def test_an_address_without_a_port_comes_with_an_example(self):
        self.assert_refused(self.run_with("localhost"), "--metrics.*127.0.0.1:9464", code=1)


if __name__ == "__main__":
    unittest.main()
