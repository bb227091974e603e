"""The control socket of a run, as its users meet it: http.client or raw bytes over the Unix socket (docs/control-api.md)."""
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import unittest

from cli import DEADLINE, PROGRAM, ROOT, WAITING, CliTest, UnixConnection, until

MIXED = ROOT / "scenarios" / "mixed.toml"
HUGE = 1 << 20


class ControlTest(CliTest):
    def start_steered(self, *arguments, scenario=MIXED):
        run = self.start("run", scenario, "--cores", "2", "--plain", *arguments)
        self.socket = self.folder / "runtime" / "sluice" / f"{run.pid}.control"
        until(self.socket.exists, lambda: "the socket: " + run.errors())
        return run

    def ask(self, method, path, body=None, lease=""):
        """The status and what is told."""
        with contextlib.closing(UnixConnection(self.socket)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Sluice-Lease": lease} if lease else {})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def told(self, method, path, body=None, lease=""):
        status, answer = self.ask(method, path, body, lease)
        self.assertEqual(status, 200, answer)
        return answer

    def refused(self, status, *asked):
        got, answer = self.ask(*asked)
        self.assertEqual(got, status, answer)
        self.assertTrue(answer["error"])
        return answer

    def lease(self, name="alice", **more):
        return self.told("POST", "/v1/lease", {"name": name, **more})["lease"]

    def post(self, what, body, lease):
        return self.told("POST", "/v1/pipelines/0/" + what, body, lease)

    def knob(self, name):
        return next(k for k in self.told("GET", "/v1/pipelines/0")["knobs"] if k["name"] == name)

    def raw(self):
        stream = socket.socket(socket.AF_UNIX)
        stream.settimeout(DEADLINE)
        self.addCleanup(stream.close)
        stream.connect(str(self.socket))
        return stream

    def stream(self, lease=""):
        """Its answer, read line by line."""
        connection = UnixConnection(self.socket)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/pipelines/0/stream", headers={"Sluice-Lease": lease} if lease else {})
        answer = connection.getresponse()
        self.addCleanup(answer.close)
        self.assertEqual(answer.status, 200)
        return answer

    def end(self, run):
        run.send(signal.SIGINT)
        self.assertEqual(run.wait(), 130, run.errors())
        self.assertFalse(self.socket.exists(), "the socket is gone with its run")


# Of a user of its own: tries to read what it is given, and prints how that ends.
INTRUDER = """
import socket, sys
for path in sys.argv[1:]:
    try:
        if path.endswith(".control"):
            stream = socket.socket(socket.AF_UNIX)
            stream.connect(path)
            stream.sendall(b"POST /v1/lease HTTP/1.1\\r\\nHost: sluice\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
            print(stream.recv(100).split(b"\\r")[0].decode())
        else:
            print(len(open(path, "rb").read()))
    except PermissionError:
        print("forbidden")
"""


@unittest.skipIf(os.geteuid() != 0, "only root can become another user")
class AnotherUser(ControlTest):
    def intrude(self, *paths):
        done = subprocess.run(["/usr/bin/python3", "-c", INTRUDER, *map(str, paths)], capture_output=True, text=True,
                              timeout=DEADLINE, user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_can_neither_read_nor_steer(self):
        self.start_steered("--no-tune")
        folder = self.socket.parent
        segment = next(path for path in folder.iterdir() if path.suffix != ".control")
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual(self.intrude(self.socket, segment), ["forbidden"] * 2)
        for path in (self.folder, folder.parent, folder):
            path.chmod(0o755)  # as a careless administrator might
        self.assertEqual(segment.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.intrude(self.socket, segment), ["forbidden"] * 2)
        self.socket.chmod(0o666)
        self.assertEqual(self.intrude(self.socket), ["HTTP/1.1 403 Forbidden"])
        self.assertIsNone(self.told("GET", "/v1")["lease"])


class FromAfar(ControlTest):
    """`sluice ui` reads a run over its socket, or through a port that a token opens."""

    def start_open(self, *arguments):
        self.token = self.folder / "token"
        self.token.touch(mode=0o600)
        self.token.write_text("0123456789abcdef0123456789abcdef\n")
        run = self.start_steered("--no-tune", "--listen", "127.0.0.1:0", "--token-file", self.token, *arguments)
        said = until(lambda: re.search(r"sluice ui (127\.0\.0\.1:\d+) --token-file", run.errors()), run.errors)
        self.address = said[1]
        return run

    def view(self, *arguments):
        return json.loads(self.assert_done(self.sluice("ui", "--dump-view", *arguments)).stdout)

    def test_a_run_is_seen_as_from_beside_it(self):
        run = self.start_open()
        lease = self.lease()
        self.post("knobs", {"set": {"fetch.workers": 2}}, lease)
        until(lambda: self.knob("fetch.workers")["applied"] == 2, "the change in force")
        views = [self.view(run.pid), self.view(self.socket), self.view(self.address, "--token-file", self.token)]
        for view in views:
            self.assertEqual(view["watched"], "live")
            self.assertEqual([node["name"] for node in view["pipeline"]["nodes"]],
                             [node["name"] for node in views[0]["pipeline"]["nodes"]])
            self.assertTrue(view["steering"]["open"], view["steering"])
            self.assertRegex(json.dumps(view["tables"]["decisions"], ensure_ascii=False), r"fetch\.workers 1 . 2")
            self.assertIsNotNone(view["timeline"]["rows"])
        self.assertEqual(views[2]["origin"], self.address)
        self.end(run)
        self.assert_refused(self.sluice("ui", "--dump-view", self.address, "--token-file", self.token),
                            "nobody answers at 127.0.0.1", code=1)

    def test_a_port_says_nothing_without_its_token(self):
        run = self.start_open()
        self.assert_refused(self.sluice("ui", "--dump-view", self.address), "give --token-file", code=1)
        wrong = self.folder / "wrong"
        wrong.touch(mode=0o600)
        wrong.write_text("f" * 32)
        self.assert_refused(self.sluice("ui", "--dump-view", self.address, "--token-file", wrong), "show the token", code=1)
        host, port = self.address.split(":")
        for headers in ({}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer "}):
            with contextlib.closing(http.client.HTTPConnection(host, int(port), timeout=DEADLINE)) as connection:
                connection.request("GET", "/v1", headers=headers)
                answer = connection.getresponse()
                self.assertEqual(answer.status, 401)
                self.assertNotIn(b"mixed", answer.read())
        self.end(run)

    def test_a_door_that_cannot_be_made_is_a_refusal(self):
        for options, why in ((["--listen", "127.0.0.1:0"], "give a --token-file"),
                             (["--listen", "127.0.0.1:0", "--token-file", "/no/such"], "openssl rand"),
                             (["--token-file", "x"], "no --listen")):
            self.assert_refused(self.sluice("run", MIXED, "--rows", "1", *options), why, code=1)


class Steering(ControlTest):
    def test_a_change_is_applied_told_everywhere_and_undone(self):
        run = self.start_steered("--no-tune", "--json", "result.json", "--record", "run.sluice")
        about = self.told("GET", "/v1")
        self.assertEqual((about["api_version"], about["verb"], about["pid"]), (1, "run", run.pid))
        self.assertEqual(about["pipelines"], [{"pipeline": 0, "name": "mixed", "rank": None, "pid": run.pid, "over": False}])
        lease = self.lease()
        changed = self.post("knobs", {"set": {"fetch.workers": 5}, "because": "to see"}, lease)
        self.assertEqual(changed["decision"]["author"], "user")
        self.assertEqual(changed["decision"]["changes"], [{"knob": "fetch.workers", "from": 1, "to": 5}])
        until(lambda: self.knob("fetch.workers")["applied"] == 5, "the change in force")
        until(lambda: self.knob("fetch.workers")["current"] == 5, "its workers")
        until(lambda: "(by the user)" in run.text(), "the run's own lines tell it")
        self.sluice("top", run.pid, "--duration", "300ms", "--quiet", "--json", "look.json")
        look = json.loads((self.folder / "look.json").read_text())["decisions"][-1]
        self.assertEqual((look["author"], look["fate"]), ("user", "kept"))
        self.assertRegex(look["because"], r"^alice \(control socket\) sets fetch\.workers 1 . 5: to see$")
        undone = self.post("undo", {}, lease)
        self.assertEqual(undone["decision"]["changes"], [{"knob": "fetch.workers", "from": 5, "to": 1}])
        until(lambda: self.knob("fetch.workers")["applied"] == 1, "it is undone")
        self.assertIn("no change here to undo", self.refused(409, "POST", "/v1/pipelines/0/undo", {}, lease)["error"])
        self.end(run)
        result = self.result()
        self.assertEqual([decision["author"] for decision in result["decisions"]], ["user", "user"])
        self.assertIn("(by the user)", self.assert_done(self.sluice("replay", "run.sluice", "--plain")).stdout)

    def test_what_is_foretold_is_measured(self):
        run = self.start_steered("--no-tune", scenario=self.scenario(WAITING))
        asked = ("POST", "/v1/pipelines/0/forecast", {"set": {"fetch.workers": 3}})
        until(lambda: self.ask(*asked)[0] == 200, "enough for a forecast")
        until(lambda: self.told("GET", "/v1/pipelines/0")["run_seconds"] > 4, "a rate to compare with")
        forecast = self.told(*asked)
        self.assertEqual(forecast["changes"], [{"knob": "fetch.workers", "from": 1, "to": 3}])
        self.assertGreater(forecast["gain_fraction"], 1.5)
        self.assertEqual(forecast["op"], "fetch")
        self.assertIsNone(self.told("GET", "/v1")["lease"], "it needs none")
        self.post("knobs", {"set": {"fetch.workers": 3}}, self.lease())

        def decision():
            return self.told("GET", "/v1/pipelines/0")["decisions"][-1]
        self.assertGreater(decision()["predicted_gain_fraction"], 1.5)
        until(lambda: decision()["measured_gain_fraction"], "what came of it")
        self.assertGreater(decision()["measured_gain_fraction"], 0.5)
        self.end(run)

    def test_one_controller_at_a_time_and_everybody_reads(self):
        run = self.start_steered("--no-tune")
        self.refused(423, "POST", "/v1/pipelines/0/knobs", {"set": {"fetch.workers": 2}})
        lease = self.lease()
        for asked in (("POST", "/v1/lease", {"name": "bob"}),
                      ("POST", "/v1/pipelines/0/knobs", {"set": {"fetch.workers": 2}}, "guessed"),
                      ("POST", "/v1/pipelines/0/hold", {}), ("DELETE", "/v1/lease")):
            self.assertEqual(self.refused(423, *asked)["holder"], "alice", asked)
        self.assertEqual(self.told("GET", "/v1/pipelines/0")["lease"]["holder"], "alice")
        self.told("DELETE", "/v1/lease", None, lease)
        self.assertIsNone(self.told("GET", "/v1")["lease"])
        self.lease("bob", seconds=1)
        until(lambda: self.told("GET", "/v1")["lease"] is None, "a lease ends by itself")
        self.assertEqual(self.knob("fetch.workers")["requested"], 1, "what was refused has changed nothing")
        self.end(run)

    def test_a_pinned_knob_stays_and_a_tuner_that_holds_changes_nothing(self):
        run = self.start_steered("--record", "run.sluice")
        lease = self.lease(seconds=600)
        self.assertEqual(self.post("hold", {}, lease)["held_by"], "alice")
        until(lambda: "no change" in run.text(), "the run's own lines tell it")
        self.post("knobs", {"set": {"fetch.workers": 2, "tokenize.workers": 2}, "pin": True}, lease)
        until(lambda: self.knob("fetch.workers")["applied"] == 2, "the change in force")
        made = len(self.told("GET", "/v1/pipelines/0")["decisions"])
        start = self.told("GET", "/v1/pipelines/0")["consumer"]["items"]
        until(lambda: self.told("GET", "/v1/pipelines/0")["consumer"]["items"] > start + 20, "the run goes on")
        looked = self.told("GET", "/v1/pipelines/0")
        self.assertEqual((len(looked["decisions"]), looked["held_by"]), (made, "alice"))
        self.post("unpin", {"knobs": ["fetch.workers"]}, lease)
        self.assertIsNone(self.post("resume", {}, lease)["held_by"])
        until(lambda: self.knob("fetch.workers")["applied"] > 2, "the tuner goes on")
        self.assertEqual((self.knob("tokenize.workers")["applied"], self.knob("tokenize.workers")["holder"]), (2, "user"))
        self.end(run)
        told = self.assert_done(self.sluice("replay", "run.sluice", "--plain")).stdout
        for what in ("holds the tuner", "unpins fetch.workers", "lets the tuner go on"):
            self.assertIn(f"alice (control socket) {what}", told)

    def test_the_tuner_keeps_within_bounds(self):
        run = self.start_steered("--record", "run.sluice")
        lease = self.lease(seconds=600)
        self.post("bounds", {"bounds": {"fetch.workers": {"max": 3}}}, lease)
        self.assertEqual(self.knob("fetch.workers")["bounds"], {"min": 1, "max": 3})
        until(lambda: self.knob("fetch.workers")["applied"] == 3, "the tuner goes as far as it may")
        start = self.told("GET", "/v1/pipelines/0")["run_seconds"]
        until(lambda: self.told("GET", "/v1/pipelines/0")["run_seconds"] > start + 3, "and looks on")
        self.assertEqual(self.knob("fetch.workers")["requested"], 3)
        self.refused(422, "POST", "/v1/pipelines/0/knobs", {"set": {"fetch.workers": 4}}, lease)
        moved = self.post("bounds", {"bounds": {"fetch.workers": {"min": 5, "max": 6}}}, lease)
        self.assertEqual(moved["decision"]["changes"], [{"knob": "fetch.workers", "from": 3, "to": 5}])
        until(lambda: self.knob("fetch.workers")["applied"] in (5, 6), "it is brought inside")  # where the tuner goes on
        self.post("bounds", {"bounds": {"fetch.workers": None}}, lease)
        self.assertIsNone(self.knob("fetch.workers")["bounds"])
        self.end(run)
        told = self.assert_done(self.sluice("replay", "run.sluice", "--plain")).stdout
        self.assertIn("alice (control socket) bounds fetch.workers to 1..3", told)

    def test_what_is_asked_wrongly_is_refused_and_the_run_goes_on(self):
        run = self.start_steered("--no-tune")
        lease = self.lease(seconds=600)
        knobs = "/v1/pipelines/0/knobs"
        for status, path, body, told in (
                (422, knobs, {"set": {"fetch.workers": 10 ** 6}}, r"set\.fetch\.workers: 1000000 is out of range; give 1 to \d+"),
                (422, knobs, {"set": {"fetsh.workers": 2}}, r"no knob \"fetsh\.workers\"; did you mean fetch\.workers\?"),
                (400, knobs, {"set": {"fetch.workers": "2"}}, r"set\.fetch\.workers: \"2\" is no whole number"),
                (400, knobs, {"sett": {}}, r"no field \"sett\""), (400, knobs, [], "send an object"),
                (404, "/v1/pipelines/1/knobs", {}, "no such pipeline"), (404, "/v2/lease", {}, "version"),
                (413, knobs, {"set": {"a" * HUGE: 1}}, "longer than 65536 bytes")):
            with self.subTest(path=path, body=str(body)[:80]):
                self.assertRegex(self.refused(status, "POST", path, body, lease)["error"], told)
        head = f"POST {knobs} HTTP/1.1\r\nSluice-Lease: {lease}\r\nContent-Length: 7\r\n\r\n".encode()
        for sent, status in ((head + b'{"set":', b"400"), (b"\xff" + os.urandom(4096), b"400"),
                             (b"\x16\x03\x01\x02\x00", b"400"), (b"GET /v1 HTTP/1.1\r\nX: " + b"x" * HUGE, b"431")):
            with self.subTest(sent=sent[:40]):
                client = self.raw()
                with contextlib.suppress(BrokenPipeError):
                    client.sendall(sent)
                self.assertEqual(client.recv(12)[9:12], status)
        silent = [self.raw() for _ in range(40)]  # more than it keeps
        self.assertEqual(self.told("GET", "/v1")["pid"], run.pid)
        self.assertEqual(len(silent), 40)
        self.assertEqual(self.knob("fetch.workers")["requested"], 1)
        self.end(run)


class Page(ControlTest):
    def test_its_commands_do_what_it_says(self):
        commands = (ROOT / "docs" / "control-api.md").read_text().split("```\n")[1]
        self.assertIn("sluice run", commands)
        script = "set -e\ntrap 'kill $!' EXIT\n" + commands + 'kill $!\nwait $! || test $? = 143\ntrap - EXIT\ntest ! -e "$socket"\n'
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "sluice").symlink_to(PROGRAM)
        done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE,
                              env={**self.environment, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        self.assert_done(done)
        self.assertNotIn('"error"', done.stdout)
        self.assertIn("alice (control socket) undoes decision", done.stdout)
        self.assertEqual(done.stdout.count('"last_decision"'), 3)


class Watching(ControlTest):
    def test_a_stream_has_a_line_for_each_tick_until_the_run_ends(self):
        run = self.start_steered()
        streams = [self.stream() for _ in range(2)]
        for stream in streams:
            lines = [json.loads(stream.readline()) for _ in range(5)]
            times = [line["run_seconds"] for line in lines]
            self.assertEqual(times, sorted(set(times)))
            self.assertEqual({line["name"] for line in lines}, {"mixed"})
            self.assertTrue(lines[-1]["verdict"]["sentence"])
        run.send(signal.SIGINT)
        rest = [json.loads(line) for line in streams[0]]
        self.assertEqual(rest[-1], {"notice": "ended"})
        self.assertEqual(run.wait(), 130)

    def test_a_slow_viewer_is_told_that_it_gets_less_and_slows_nobody(self):
        run = self.start_steered("--no-tune")
        slow, quick = self.stream(), self.stream()
        length = len(quick.readline())
        for _ in range(2 * self.room() // length + 10):  # as much as its socket holds, and more
            self.assertNotIn("notice", json.loads(quick.readline()))
        notice = until(lambda: next((told for told in [json.loads(slow.readline())] if "notice" in told), None), "a notice")
        self.assertEqual(notice["notice"], "slow viewer")
        self.assertGreaterEqual(notice["every"], 2)
        self.assertGreater(notice["skipped"], 0)
        self.end(run)

    def room(self):
        with socket.socket(socket.AF_UNIX) as one:
            return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)

    def test_a_lease_ends_with_the_stream_that_holds_it(self):
        run = self.start_steered("--no-tune")
        lease = self.lease(seconds=3600)
        viewer = self.start_viewer(lease)
        self.assertEqual(self.told("GET", "/v1")["lease"]["holder"], "alice")
        viewer.kill()
        viewer.wait()
        until(lambda: self.told("GET", "/v1")["lease"] is None, "the lease of a viewer that has died")
        self.end(run)

    def start_viewer(self, lease):
        viewer = subprocess.Popen(
            ["curl", "--silent", "--no-buffer", "--unix-socket", self.socket, "-H", f"Sluice-Lease: {lease}",
             "http://sluice/v1/pipelines/0/stream"], stdout=subprocess.PIPE)
        self.addCleanup(viewer.stdout.close)
        self.assertIn(b'"pipeline"', viewer.stdout.readline())
        return viewer


class Access(ControlTest):
    def test_what_a_killed_run_has_left_is_removed_by_the_next(self):
        killed = self.start_steered()
        killed.send(signal.SIGKILL)
        killed.wait()
        left = self.socket
        self.assertTrue(left.exists())
        self.end(self.start_steered())
        self.assertFalse(left.exists())

    def test_without_it_there_is_no_socket(self):
        run = self.start("run", MIXED, "--no-control", "--rows", "32", "--quiet")
        self.assertEqual(run.wait(), 0)
        self.assertEqual(list((self.folder / "runtime").glob("sluice/*.control")), [])

    def test_a_socket_that_cannot_be_made_is_a_warning(self):
        deep = self.folder / ("d" * 100)
        (deep / "sluice").mkdir(parents=True, mode=0o700)
        done = self.sluice("run", MIXED, "--rows", "32", "--quiet", env={"XDG_RUNTIME_DIR": str(deep)})
        self.assertIn("control socket", self.assert_done(done).stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become somebody else")
    def test_another_user_can_neither_read_nor_steer(self):
        run = self.start_steered("--no-tune")
        ask = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
               "s.sendall(b'GET /v1 HTTP/1.1\\r\\n\\r\\n'); print(s.recv(4096).decode())")

        def as_somebody_else():
            return subprocess.run([sys.executable, "-c", ask, self.socket], capture_output=True, text=True, user=65534,
                                  group=65534, extra_groups=[], timeout=DEADLINE)
        self.assertEqual(self.socket.stat().st_mode & 0o777, 0o600)
        self.assertIn("PermissionError", as_somebody_else().stderr)
        for path in (self.folder, self.folder / "runtime", self.socket.parent):
            path.chmod(0o755)
        self.assertIn("PermissionError", as_somebody_else().stderr, "the socket's own mode")
        self.socket.chmod(0o666)
        answer = as_somebody_else().stdout
        self.assertIn("403 Forbidden", answer)
        self.assertNotIn("pipelines", answer)
        self.assertEqual(self.told("GET", "/v1")["pid"], run.pid)
        self.end(run)


if __name__ == "__main__":
    unittest.main()
