"""`sluice trace` and --flight-recorder: what is in the files, by readers that know nothing of Sluice."""
import json
import re
import signal
import unittest

from cli import WAITING, CliTest, until

try:
    import perfetto
except ImportError:
    perfetto = None

STRETCH = 2_000_000  # ns; within a maker's and a taker's stretch of short intervals the order is not told

# Most rows take a moment, one in a while takes long; which ones the seed says.
STUCK = """
name = "stuck"
epochs = 0
[source]
name = "list"
kind = "range"
count = 100000
capacity = 1
[[op]]
name = "fetch"
kind = "synthetic"
wait = {dist = "lognormal", mean = "20ms", cv = 20}
capacity = 1
max_workers = 1
"""


class TraceTest(CliTest):
    def trace(self, *arguments, name="run.perfetto-trace"):
        return self.sluice("trace", *arguments, "-o", name)

    def start_trace(self):
        """Of a run beside it, until somebody ends it; and the file, when a part of it is there."""
        run = self.start_run("--quiet")
        self.until_listed(run)
        tracer = self.start("trace", "--seconds", "3000", "-o", "run.perfetto-trace")
        file = self.folder / "run.perfetto-trace"
        until(lambda: file.exists() and file.stat().st_size > 50_000, lambda: "a part of the trace" + tracer.errors())
        return run, tracer, file


@unittest.skipIf(perfetto is None, "python3-protobuf is not installed")
class Tracing(TraceTest):
    def test_shows_each_worker_and_how_items_go_from_op_to_op(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        done = self.assert_done(self.trace(run.pid, "--seconds", "1.5"))
        self.assertRegex(done.stdout, r"run.perfetto-trace: \d+ spans of \d+ workers in 1\.\d s; open it at ")
        trace = perfetto.read(self.folder / "run.perfetto-trace")
        self.assertEqual(list(trace.pipelines().values()), [f"waiting (pid {run.pid})"])
        fetches = trace.named("fetch")
        self.assertGreater(len(fetches), 50)
        self.assertTrue(all(re.fullmatch(r"fetch/\d+", trace.track_of(one)) for one in fetches))
        self.assertGreater(min(one.end - one.begin for one in fetches if one.end), 3_000_000)  # ns; it waits for 4 ms
        self.assertTrue(trace.named("step") and trace.named("starved"))
        made = {flow: one for one in fetches for flow in one.makes}
        batches = [one for one in trace.named("batch") if one.takes and set(one.takes) <= made.keys()]
        self.assertGreater(len(batches), 5)
        for batch in batches:
            for flow in batch.takes:
                self.assertLessEqual(made[flow].begin, (batch.end or trace.clocks[-1][perfetto.MONOTONIC]) + STRETCH)
        arrows = {flow for one in trace.named("batch") for flow in one.makes}
        steps = [one for one in trace.named("step") if set(one.takes) & arrows]
        self.assertGreater(len(steps), 5)
        self.assertIn("items", fetches[0].notes)

    def test_has_depths_capacities_workers_and_clocks(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        self.assert_done(self.trace("--seconds", "1.2"))
        trace = perfetto.read(self.folder / "run.perfetto-trace")
        for name in ("fetch->batch depth", "fetch->batch capacity", "fetch.workers workers", "buffered bytes"):
            self.assertGreater(len(trace.counters[name]), 5, name)
        units = {track.name: track.counter for track in trace.tracks.values() if track.HasField("counter")}
        self.assertEqual(units["buffered bytes"].unit, 3)
        self.assertEqual(units["fetch->batch depth"].unit_name, "items")
        self.assertEqual(units["fetch->batch depth"].y_axis_share_key, units["fetch->batch capacity"].y_axis_share_key)
        self.assertGreater(len(trace.clocks), 1)
        for clock in trace.clocks:
            self.assertGreater(clock[perfetto.REALTIME], 1_700_000_000 * 10**9)
        first, last = trace.clocks[0][perfetto.MONOTONIC], trace.clocks[-1][perfetto.MONOTONIC]
        self.assertTrue(all(first - 10**9 < one.begin < last + 10**9 for one in trace.named("fetch")))
        order = {track.name: track.sibling_order_rank for track in trace.tracks.values() if track.parent_uuid}
        self.assertLess(order["list/0"], order["fetch/0"])
        self.assertLess(order["fetch/0"], order["consumer"])

    def test_begins_anew_where_another_one_has_ended(self):
        """What a worker had gathered for the first one is older than the second, which takes longer to start than a stretch."""
        run = self.start_run("--quiet")
        self.until_listed(run)
        self.assert_done(self.trace("--seconds", "0.3"))
        self.assert_done(self.trace("--seconds", "0.3", name="second.perfetto-trace"))
        trace = perfetto.read(self.folder / "second.perfetto-trace")
        begun = trace.clocks[0][perfetto.MONOTONIC]
        spans = [one for name in ("fetch", "batch", "step", "starved", "backed up") for one in trace.named(name)]
        self.assertGreater(len(spans), 20)
        self.assertTrue(all(one.end is None or one.end >= begun - STRETCH for one in spans))

    def test_marks_decisions(self):
        first = self.start_run("--quiet", "--no-tune")
        self.until_listed(first)
        tracer = self.start("trace", "--seconds", "3000", "-o", "run.perfetto-trace")  # also what comes later
        slow = WAITING.replace('wait = "4ms"', 'wait = "1s"')  # its growth takes several steps, and each some seconds
        self.start_run("--quiet", "--duration", "12s", text=slow).wait()
        tracer.send(signal.SIGINT)
        tracer.wait()
        marks = perfetto.read(self.folder / "run.perfetto-trace").marks
        self.assertTrue(any("limit" in name for name, _ in marks), marks)  # a verdict
        self.assertTrue(any(re.search(r"\w+\.\w+ \d+ (->|→) \d+.* \((trial|kept)\)", name) for name, _ in marks), marks)

    def test_several_runs_are_on_one_clock(self):
        runs = [self.start_run("--quiet"), self.start_run("--quiet")]
        self.until_listed(*runs)
        self.assert_done(self.trace("--seconds", "0.5"))
        trace = perfetto.read(self.folder / "run.perfetto-trace")
        self.assertEqual(sorted(trace.pipelines().values()), sorted(f"waiting (pid {run.pid})" for run in runs))
        spans = {}
        for one in trace.named("fetch"):
            spans.setdefault(trace.tracks[one.track].parent_uuid, []).append(one.begin)
        first, second = spans.values()
        self.assertLess(max(min(first), min(second)), min(max(first), max(second)), "they ran at the same time")

    def test_may_be_cut_anywhere(self):
        run, tracer, file = self.start_trace()
        tracer.send(signal.SIGKILL)
        tracer.wait()
        data = file.read_bytes()
        whole = 0
        while whole < len(data):  # as far as whole packets go: a tag, a varint, as many bytes
            self.assertEqual(data[whole], 0x0A)
            at, shift, length = whole + 1, 0, 0
            while True:
                length |= (data[at] & 0x7F) << shift
                at, shift = at + 1, shift + 7
                if data[at - 1] < 0x80:
                    break
            if at + length > len(data):
                break
            whole = at + length
        self.assertGreater(len(perfetto.Trace(data[:whole]).slices), 10)
        self.assertIsNone(run.process.poll(), "the run goes on")

    def test_ends_early_and_whole_at_ctrl_c(self):
        _, tracer, file = self.start_trace()
        tracer.send(signal.SIGINT)
        self.assertEqual(tracer.wait(), 0, tracer.errors())
        self.assertTrue(perfetto.read(file).slices)

    def test_ends_with_the_run(self):
        run = self.start_run("--quiet", "--duration", "1.5s")
        self.until_listed(run)
        self.assert_done(self.trace("--seconds", "3000"))
        self.assertEqual(run.wait(), 0)
        self.assertTrue(perfetto.read(self.folder / "run.perfetto-trace").slices)
        self.assertEqual(self.segments(), [], "nothing is left of the room for spans")


class ChromeJson(TraceTest):
    def events(self, name="run.json"):
        return json.loads((self.folder / name).read_text(), parse_constant=self.fail)

    def test_is_what_its_viewers_read(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        self.assert_done(self.trace("--seconds", "1", name="run.json"))
        events = self.events()
        self.assertLessEqual({event["ph"] for event in events}, set("MXCisf"))
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        slices = [event for event in events if event["ph"] == "X"]
        self.assertGreater(len(slices), 50)
        last = {}
        for event in sorted(slices, key=lambda one: one["ts"]):
            thread = (event["pid"], event["tid"])
            self.assertIn(thread, names)
            self.assertGreaterEqual(event["ts"], last.get(thread, 0) - 0.001, "they nest")  # us
            last[thread] = event["ts"] + event["dur"]
        starts = {event["id"]: event["ts"] for event in events if event["ph"] == "s"}
        ends = [event for event in events if event["ph"] == "f" and event["id"] in starts]
        self.assertGreater(len(ends), 20)
        for event in ends:
            self.assertEqual(event["bp"], "e")
            self.assertGreaterEqual(event["ts"], starts[event["id"]] - STRETCH / 1000)
        counters = [event for event in events if event["ph"] == "C"]
        self.assertTrue(any(set(event["args"]) == {"depth", "capacity"} for event in counters))
        self.assertIn(f"waiting (pid {run.pid})",
                      [event["args"]["name"] for event in events if event["name"] == "process_name"])

    def test_may_be_cut_anywhere(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        self.assert_done(self.trace("--seconds", "0.5", name="run.json"))
        text = (self.folder / "run.json").read_text()
        for cut in range(1, min(len(text), 4000), 7):
            lines = text[:cut].rpartition("\n")[0].rstrip().rstrip(",")
            if lines:
                json.loads(lines + "]")

    def test_a_name_cannot_break_it(self):
        run = self.start_run("--quiet", text=WAITING.replace('name = "waiting"', r'name = "a\"b\\c\u0001"'))
        self.until_listed(run)
        self.assert_done(self.trace("--seconds", "0.2", name="run.json"))
        self.assertTrue(any('a"b\\c' in event["args"]["name"] for event in self.events() if event["name"] == "process_name"))


class Mistakes(TraceTest):
    def test_are_explained(self):
        self.assert_refused(self.trace(), "no measured process; start one with `sluice run SCENARIO`", code=1)
        self.assert_refused(self.trace("4242424"), "process 4242424 is not measured; `sluice ls`", code=1)
        self.assert_refused(self.trace("--loader", "nobody"), "nothing measured has 'nobody' in its name", code=1)
        self.assert_refused(self.trace(name="no/such/file"), "--output: there is no folder no/such")
        self.assert_refused(self.sluice("trace"), "--output")
        self.assert_refused(self.trace("--seconds", "0"), "seconds")
        self.assert_refused(self.sluice("run", self.scenario(WAITING), "--flight-stall", "1s"),
                            "--flight-stall needs --flight-recorder DIR")
        self.assert_refused(self.sluice("run", self.scenario(WAITING), "--flight-recorder", "f", "--flight-stall", "1ms"),
                            "--flight-stall: at least 100ms")

    def test_a_file_that_is_there_is_left_alone_where_nothing_can_be_traced(self):
        (self.folder / "run.perfetto-trace").write_text("of yesterday")
        self.assert_refused(self.trace(), "no measured process", code=1)
        self.assertEqual((self.folder / "run.perfetto-trace").read_text(), "of yesterday")

    def test_a_full_disk_ends_the_trace_and_not_the_run(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        self.assert_refused(self.trace("--seconds", "1", name="/dev/full"), "/dev/full.*No space left", code=1)
        self.assertIsNone(run.process.poll())


@unittest.skipIf(perfetto is None, "python3-protobuf is not installed")
class FlightRecorder(TraceTest):
    def test_writes_the_seconds_before_a_stall_and_the_stall(self):
        run = self.start_run("--quiet", "--no-tune", "--flight-recorder", "flight", "--flight-stall", "300ms", text=STUCK)
        files = until(lambda: list((self.folder / "flight").glob("stall-*Z-2.perfetto-trace")), "two stalls")
        self.assertRegex(run.errors(), r"stuck has waited 0\.\d s for an item; what its workers did before is in "
                                       r"flight/stall-\d{8}T\d{6}Z-1.perfetto-trace")
        first = perfetto.read(files[0].with_name(files[0].name.replace("-2.", "-1.")))  # whole by now
        longest = max(first.named("starved"), key=lambda one: (one.end or one.begin) - one.begin)
        self.assertEqual(first.track_of(longest), "consumer")
        self.assertGreater(longest.end - longest.begin, 300_000_000)  # ns
        stuck = max(first.named("fetch"), key=lambda one: (one.end or one.begin) - one.begin)
        self.assertGreater(stuck.end - stuck.begin, 300_000_000)
        self.assertLess(stuck.begin, longest.end)

    def test_writes_nothing_where_nothing_stalls(self):
        self.assert_done(self.sluice("run", self.scenario(WAITING), "--quiet", "--duration", "2s", "--flight-recorder",
                                     "flight"))
        self.assertEqual(list((self.folder / "flight").iterdir()), [])

    def test_a_worker_that_hangs_is_there_as_unfinished(self):
        run = self.start_run("--quiet", "--no-tune", "--flight-recorder", "flight", "--flight-stall", "1s",
                             text=STUCK.replace("20ms", "10s").replace("cv = 20", "cv = 100"))
        files = until(lambda: list((self.folder / "flight").glob("*.perfetto-trace")), "a file")
        run.send(signal.SIGKILL)
        trace = perfetto.read(files[0])
        hanging = [one for one in trace.named("fetch") if one.end is None]
        self.assertEqual([trace.track_of(one) for one in hanging], ["fetch/0"])


if __name__ == "__main__":
    unittest.main()
