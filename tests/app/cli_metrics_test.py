"""What --metrics serves while a run goes on."""
import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from cli import ROOT, WAITING, CliTest, until

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    from prometheus_client.parser import text_string_to_metric_families as families_of_text
except ImportError:
    text_string_to_metric_families = None

PROMTOOL = os.environ.get("SLUICE_PROMTOOL") or shutil.which("promtool")


def scrape(url, context=None, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10, context=context) as answer:
        return answer.read().decode()


def basic(pair):
    return "Basic " + base64.b64encode(pair.encode()).decode()


def samples(text):
    return {name: float(value) for name, value in re.findall(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)}


class Serving(CliTest):
    def start_serving(self, *options):
        run = self.start_run("--metrics", "127.0.0.1:0", "--quiet", *options)
        url = until(lambda: re.search(r"metrics at (https?://127\.0\.0\.1:\d+/metrics)", run.errors()), "the address")[1]
        if options:
            return run, url

        def ready():
            try:
                return scrape(url)
            except (urllib.error.HTTPError, ConnectionError):
                return None
        until(ready, "the first metrics")
        return run, url


class Metrics(Serving):
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

    @unittest.skipUnless(text_string_to_metric_families, "python3-prometheus-client is not installed")
    def test_name_items_of_a_trace_by_what_they_took(self):
        _, url = self.start_serving("--flight-recorder", "flight")

        def buckets():
            try:
                text = scrape(url, Accept="application/openmetrics-text; version=1.0.0")
            except (urllib.error.HTTPError, ConnectionError):  # nothing to tell yet
                return []
            return [one for family in text_string_to_metric_families(text) for one in family.samples
                    if one.exemplar is not None and one.labels["op"] == "fetch"]
        for bucket in until(buckets, "an exemplar"):
            self.assertLessEqual(bucket.exemplar.value, float(bucket.labels["le"]))
            self.assertGreater(bucket.exemplar.value, 0.004, "fetch waits for 4 ms")
            self.assertRegex(bucket.exemplar.labels["item"], r"^\d+$")
            self.assertLess(abs(float(bucket.exemplar.timestamp) - time.time()), 600)
        self.assertNotIn(" # {", scrape(url))

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


def of_workers(text):
    """What each worker has counted: (metric, op, worker) -> value."""
    return {(one.name, one.labels["op"], one.labels["worker"]): one.value
            for family in families_of_text(text) for one in family.samples if "worker" in one.labels}


@unittest.skipUnless(text_string_to_metric_families, "python3-prometheus-client is not installed")
class Workers(Serving):
    COUNTERS = {f"sluice_worker_{what}_total" for what in ("items", "busy_seconds", "starved_seconds", "backed_up_seconds")}

    def text_of(self, *options):
        file = self.folder / "sluice.prom"
        self.assert_done(self.sluice("run", self.scenario(WAITING), "--rows", "80", "--no-tune", "--metrics-textfile", file, *options))
        return file.read_text()

    def test_have_counters_that_never_fall_while_tuning_starts_others(self):
        _, url = self.start_serving("--metrics-workers", "64")
        before = {}

        def of_fetch():
            try:
                now = of_workers(scrape(url))
            except urllib.error.HTTPError:  # nothing to tell yet
                return set()
            for key, counted in before.items():
                self.assertGreaterEqual(now[key], counted, key)
            before.update(now)
            return {worker for _, op, worker in now if op == "fetch"}
        until(lambda: of_fetch() >= {"0", "1"}, "a second worker")
        self.assertEqual({metric for metric, _, _ in before}, self.COUNTERS)
        taken = before["sluice_worker_items_total", "fetch", "0"]
        until(lambda: of_fetch() and before["sluice_worker_items_total", "fetch", "0"] > taken, "more of the first one")

    def test_add_up_to_what_their_op_has_finished(self):
        text = self.text_of("--metrics-workers", "64", "--set", "fetch.workers=3")
        counted = of_workers(text)
        self.assertEqual({worker for _, op, worker in counted if op == "fetch"}, {"0", "1", "2"})
        for op in ("list", "fetch", "batch"):
            own = sum(value for (metric, of, _), value in counted.items() if (metric, of) == ("sluice_worker_items_total", op))
            self.assertEqual(own, samples(text)[f'sluice_op_items_total{{op="{op}"}}'])
        self.assertEqual(samples(text)["sluice_workers_without_series"], 0)

    def test_beyond_the_limit_are_counted_instead(self):
        text = self.text_of("--metrics-workers", "2", "--set", "fetch.workers=3")
        self.assertEqual({(op, worker) for _, op, worker in of_workers(text)}, {("list", "0"), ("fetch", "0")})
        self.assertEqual(samples(text)["sluice_workers_without_series"], 3)

    def test_are_not_told_of_to_those_who_do_not_ask(self):
        text = self.text_of()
        self.assertIn("sluice_op_workers", text)
        self.assertNotRegex(text, "sluice_workers?_")

    def test_a_number_that_is_none_is_refused(self):
        for number in ("-1", "0", "10001", "99999999999999999999", "1.5", "many", ""):
            with self.subTest(number):
                done = self.sluice("run", self.scenario(WAITING), "--rows", "8", "--metrics", "127.0.0.1:0", "--metrics-workers", number)
                self.assert_refused(done, rf"--metrics-workers: '{number}' is not a whole number from 1 to 10000")

    def test_without_metrics_they_are_refused(self):
        done = self.sluice("run", self.scenario(WAITING), "--rows", "8", "--metrics-workers", "8")
        self.assert_refused(done, "--metrics-workers.*--metrics HOST:PORT.*--metrics-textfile", code=1)


class WebConfig(Serving):
    def config(self, text):
        file = self.folder / "web.yml"
        file.write_text(text)
        return file

    def make_certificate(self, name):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / f"{name}.key",
                        "-out", self.folder / f"{name}.crt"], check=True, capture_output=True, timeout=30)

    def assert_promtool_agrees(self, file):
        if PROMTOOL:
            checked = subprocess.run([PROMTOOL, "check", "web-config", file], capture_output=True, text=True, timeout=30)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_example_of_the_documents_asks_for_its_password(self):
        example = ROOT / "docs/web-config.yml"
        self.assert_promtool_agrees(example)
        _, url = self.start_serving("--web.config.file", example)
        for headers in ({}, {"Authorization": basic("prometheus:wrong")}):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                scrape(url, **headers)
            self.assertEqual(refused.exception.code, 401)
            self.assertIn("Basic", refused.exception.headers["WWW-Authenticate"])
            refused.exception.close()
        right = {"Authorization": basic("prometheus:correct horse battery staple")}
        self.assertEqual(scrape(url.replace("metrics", "-/healthy"), **right), "Sluice is healthy.\n")

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_tls_is_spoken_to_those_whose_certificate_is_signed(self):
        self.make_certificate("server")
        self.make_certificate("client")
        file = self.config("tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
                           "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: client.crt\n")
        self.assert_promtool_agrees(file)
        _, url = self.start_serving("--web.config.file", file)
        self.assertRegex(url, "^https://")
        healthy = url.replace("metrics", "-/healthy")
        stranger = ssl.create_default_context(cafile=self.folder / "server.crt")
        with self.assertRaises(OSError):
            scrape(healthy, stranger)
        with self.assertRaises((OSError, http.client.HTTPException)):
            scrape(healthy.replace("https", "http"))
        known = ssl.create_default_context(cafile=self.folder / "server.crt")
        known.load_cert_chain(self.folder / "client.crt", self.folder / "client.key")
        self.assertEqual(scrape(healthy, known), "Sluice is healthy.\n")

    def test_a_changed_password_counts_without_a_restart_and_a_broken_file_changes_nothing(self):
        example = (ROOT / "docs/web-config.yml").read_text()
        file = self.config(example)
        run, url = self.start_serving("--web.config.file", file)
        healthy = url.replace("metrics", "-/healthy")

        def answers(user):
            try:
                return scrape(healthy, Authorization=basic(f"{user}:correct horse battery staple"))
            except urllib.error.HTTPError as refused:
                refused.close()
                self.assertIn(refused.code, (401, 429))
                return None
        self.assertTrue(answers("prometheus"))
        file.write_text("basic_auth_users: 5\n")
        self.assertTrue(answers("prometheus"))
        until(lambda: re.search(r"web\.yml:1: basic_auth_users must be a table.*what held before goes on", run.errors()),
              "a word on the broken file")
        self.assertTrue(answers("prometheus"))
        file.write_text(example.replace("prometheus:", "grafana:"))
        until(lambda: answers("grafana"), "the new name")
        self.assertIsNone(answers("prometheus"))
        self.assertEqual(run.errors().count("web.yml:1"), 1)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_a_replaced_certificate_is_served_once_its_key_is_there(self):
        self.make_certificate("server")
        self.make_certificate("new")
        file = self.config("tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n")
        run, url = self.start_serving("--web.config.file", file)
        address = ("127.0.0.1", int(url.split(":")[2].split("/")[0]))

        def served():
            return ssl.get_server_certificate(address, timeout=10)
        old, new = ((self.folder / f"{name}.crt").read_text() for name in ("server", "new"))
        self.assertEqual(served(), old)
        (self.folder / "server.crt").unlink()
        self.assertEqual(served(), old)
        (self.folder / "new.crt").replace(self.folder / "server.crt")
        self.assertEqual(served(), old)
        until(lambda: "server.key is no key of the certificate" in run.errors(), "a word on the key")
        (self.folder / "new.key").replace(self.folder / "server.key")
        self.assertEqual(served(), new)
        file.write_text("basic_auth_users: {}\n")
        self.assertEqual(served(), new)
        until(lambda: "whether TLS is spoken is settled at the start" in run.errors(), "a word on TLS")

    def test_tls_that_cannot_be_given_is_a_refusal_to_start(self):
        (self.folder / "server.crt").write_text("no certificate")
        file = self.config("tls_server_config:\n  cert_file: server.crt\n  key_file: server.crt\n")
        done = self.sluice("run", self.scenario(WAITING), "--rows", "8", "--metrics", "127.0.0.1:0", "--web.config.file", file)
        self.assert_refused(done, r"--metrics: .*server\.crt is no certificate", code=1)

    def test_a_key_that_is_not_known_is_a_warning(self):
        run, _ = self.start_serving("--web.config.file", self.config("rate_limit: 5\n"))
        self.assertRegex(run.errors(), r"web\.yml:1: rate_limit is not known")

    def test_a_file_without_a_server_is_refused(self):
        done = self.sluice("run", self.scenario(WAITING), "--rows", "8", "--web.config.file", self.config(""))
        self.assert_refused(done, "--web.config.file.*--metrics", code=1)


class Discovery(Serving):
    def test_a_run_is_found_by_a_file_for_as_long_as_it_goes_on(self):
        targets = self.folder / "targets.json"
        run, url = self.start_serving("--metrics-targets", targets)
        until(targets.exists, "the targets")
        told = json.loads(targets.read_text())
        self.assertEqual([f"http://{target}/metrics" for target in told[0]["targets"]], [url])
        self.assertEqual(json.loads(scrape(url.replace("metrics", "-/sd"))), told)
        run.process.send_signal(signal.SIGINT)
        run.process.wait(60)
        self.assertFalse(targets.exists())

    def test_the_last_metrics_can_be_scraped_once_more(self):
        run = self.start("run", self.scenario(WAITING), "--rows", "800", "--metrics", "127.0.0.1:0", "--quiet")
        url = until(lambda: re.search(r"metrics at (\S+)", run.errors()), "the address")[1]

        def finished():
            try:
                return samples(scrape(url)).get("sluice_run_finished") == 1
            except urllib.error.HTTPError:
                return False
        until(finished, "the final metrics")
        self.assertEqual(run.process.wait(60), 0)

    def test_a_textfile_has_the_final_metrics_when_the_run_is_over(self):
        file = self.folder / "sluice.prom"
        self.assert_done(self.sluice("run", self.scenario(WAITING), "--rows", "80", "--metrics-textfile", file))
        told = samples(file.read_text())
        self.assertEqual((told["sluice_run_finished"], told["sluice_consumer_rows_total"]), (1, 80))

    def test_a_textfile_that_no_collector_would_read_is_refused(self):
        done = self.sluice("run", self.scenario(WAITING), "--rows", "8", "--metrics-textfile", "metrics.txt")
        self.assert_refused(done, r"--metrics-textfile.*metrics\.txt\.prom", code=1)

    def test_a_run_that_was_started_without_is_served_by_top(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        file = self.folder / "top.prom"
        self.assert_done(self.sluice("top", run.pid, "--quiet", "--duration", "500ms", "--metrics-textfile", file,
                                     "--metrics-workers", "8"))
        text = file.read_text()
        self.assertRegex(text, r'sluice_worker_items_total\{loader="waiting",op="fetch",worker="0"\} [1-9]')
        self.assertRegex(text, r'sluice_run_info\{scenario="top"')
        self.assertRegex(text, rf'sluice_process_cpu_seconds_total\{{pid="{run.pid}"\}}')
        self.assertRegex(text, r'sluice_op_items_total\{loader="waiting",op="fetch"\} [1-9]')


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
