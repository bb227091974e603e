"""Recorded runs: --record, `sluice replay`, `sluice compare`, `sluice import`, and the queries of docs/session-format.md."""
import contextlib
import csv
import json
import re
import signal
import sqlite3
import unittest
import xml.etree.ElementTree

from cli import DEADLINE, PROGRAM, ROOT, WAITING, CliTest, until
from cli_terminal_test import Terminal

try:
    import tfevents
except ImportError:
    tfevents = None

PAGE = ROOT / "docs" / "session-format.md"


def rows_of(file, query):
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def snapshots(file):
    try:
        return rows_of(file, "SELECT count(*) FROM snapshot")[0][0]
    except sqlite3.OperationalError:  # not there yet
        return 0


class SessionTest(CliTest):
    def record(self, name="run.sluice", *arguments, duration="3s"):
        self.assert_done(self.start_to_end("--record", name, "--duration", duration, "--quiet", *arguments))
        return self.folder / name

    def start_to_end(self, *arguments):
        return self.sluice("run", self.scenario(WAITING), *arguments)


class Recording(SessionTest):
    def test_keeps_what_the_result_tells(self):
        self.record("run.sluice", "--json", "result.json")
        result = self.result()
        file = self.folder / "run.sluice"
        items, rows = rows_of(file, "SELECT items, rows FROM snapshot ORDER BY number DESC LIMIT 1")[0]
        self.assertEqual((items, rows), (result["consumer"]["items"], result["consumer"]["rows"]))
        facts = dict(rows_of(file, "SELECT key, value FROM session"))
        self.assertEqual((facts["verb"], facts["name"], facts["run_id"], facts["outcome"]),
                         ("run", "waiting", result["run"]["run_id"], "reached its limit"))
        decisions = rows_of(file, "SELECT decision, fate FROM decision ORDER BY decision")
        self.assertEqual(decisions, [(one["id"], one["fate"]) for one in result["decisions"]])
        self.assertTrue(decisions, "it was tuned")
        self.assertEqual([path.name for path in self.folder.glob("run.sluice*")], ["run.sluice"])

    def test_can_be_read_while_it_grows_and_survives_a_kill(self):
        run = self.start_run("--record", "run.sluice", "--quiet")
        file = self.folder / "run.sluice"
        seen = until(lambda: snapshots(file), "the first snapshots")
        self.assert_done(self.sluice("replay", file, "--plain"))
        until(lambda: snapshots(file) > seen, "more snapshots")
        before = snapshots(file)
        run.send(signal.SIGKILL)
        run.wait()
        self.assertGreaterEqual(snapshots(file), before)
        self.assertRegex(self.assert_done(self.sluice("replay", file)).stdout, r"t=\d")

    def test_is_refused_before_the_run_where_it_cannot_be(self):
        (self.folder / "thesis.tex").write_text("years of work")
        (self.folder / "earlier.jsonl").write_text("of another run\n")
        run = self.start_to_end("--record", "thesis.tex", "--jsonl", "earlier.jsonl")
        self.assertEqual((self.folder / "earlier.jsonl").read_text(), "of another run\n")
        self.assert_refused(run, r"--record: thesis.tex is no session of Sluice's", code=1)
        self.assertEqual((self.folder / "thesis.tex").read_text(), "years of work")
        self.assert_refused(self.start_to_end("--record", "no/run.sluice"), "--record: there is no folder no", code=1)
        self.assert_refused(self.start_to_end("--record-limit", "1GiB"), "--record-limit needs --record FILE")
        self.assert_refused(self.start_to_end("--record", "a", "--record-limit", "5"), "--record-limit: ")
        self.assert_refused(self.start_to_end("--record", "a", "--record-limit", "5KiB"), "at least 1.00 MiB")

    def test_ends_and_the_run_goes_on_where_the_file_is_taken_away(self):
        run = self.start_run("--record", "run.sluice", "--quiet")
        file = self.folder / "run.sluice"
        until(lambda: snapshots(file), "the first snapshots")
        file.unlink()
        until(lambda: "recording has ended: it has been moved or removed" in run.errors(), run.errors)
        self.assertIsNone(run.process.poll())
        run.send(signal.SIGINT)
        self.assertEqual(run.wait(), 130)

    def test_works_for_an_onlooker(self):
        run = self.start_run("--quiet")
        self.until_listed(run)
        self.assert_done(self.sluice("top", run.pid, "--quiet", "--duration", "2s", "--record", "look.sluice"))
        facts = dict(rows_of(self.folder / "look.sluice", "SELECT key, value FROM session"))
        self.assertEqual((facts["verb"], facts["name"], facts["outcome"]), ("top", "waiting", "still running"))
        self.assertGreater(snapshots(self.folder / "look.sluice"), 3)


class Replay(SessionTest):
    def test_prints_what_was_recorded(self):
        file = self.record()
        text = self.assert_done(self.sluice("replay", file)).stdout
        self.assertRegex(text, r"(?m)^t=[23]\.\d+s .*fetch")
        self.assertRegex(text, r"(?m)^\d.*fetch.workers 1 → \d")
        later = self.assert_done(self.sluice("replay", file, "--at", "2s")).stdout
        moments = [[float(at) for at in re.findall(r"(?m)^t=(\d+\.\d+)s", told)] for told in (text, later)]
        self.assertGreater(moments[0][-1], 2)
        self.assertEqual(moments[1][-1], moments[0][-1])
        self.assertGreater(moments[1][0], 1, "the last one at or before that moment")
        self.assertLess(len(moments[1]), len(moments[0]))
        self.assert_refused(self.sluice("replay", file, "--loader", "nobody"), "nothing in .* has 'nobody'", code=1)
        self.assert_refused(self.sluice("replay", file, "--at", "soon"), "--at: ")
        self.assert_refused(self.sluice("replay", "nowhere.sluice"), "there is no file nowhere.sluice", code=1)

    def test_shows_the_table_and_obeys_keys(self):
        file = self.record()
        terminal = Terminal([PROGRAM, "replay", file, "--at", "1s"],
                            **self.options(env={"TERM": "xterm-256color"}))
        self.addCleanup(terminal.end)
        terminal.read("q leave")
        terminal.type(" ")
        terminal.read("paused")
        terminal.type("\x1b[F")
        terminal.read(re.search(r"of (\S+),", terminal.text)[1] + " of ")
        terminal.type("q")
        terminal.read()
        self.assertEqual(terminal.process.wait(DEADLINE), 0)
        for word in ("waiting", "fetch", "batch", "consumer", "verdict"):
            self.assertIn(word, terminal.text)


class Compare(SessionTest):
    def test_says_what_differs_and_can_be_a_gate(self):
        slow = self.record("slow.sluice", "--no-tune")
        fast = self.record("fast.sluice", "--no-tune", "--set", "fetch.workers=4")
        better = self.assert_done(self.sluice("compare", slow, fast, "--fail-below", "0.95")).stdout
        self.assertRegex(better, r"B makes (\d+% more rows per second than|[\d.]+ times the rows per second of) A")
        self.assertRegex(better, r"fetch\.workers +1 +4")
        worse = self.assert_done(self.sluice("compare", fast, slow, "--fail-below", "0.95"), code=3)
        self.assertRegex(worse.stderr, r"^sluice: below 0\.95: B makes 0\.\d+ of the rows per second of A\n$")
        self.assert_done(self.sluice("compare", fast, slow))

    def test_names_a_file_that_is_none(self):
        self.assert_refused(self.sluice("compare", "a", "b"), "there is no file a", code=1)


class Report(SessionTest):
    def test_is_one_well_formed_page(self):
        file = self.record()
        self.assert_done(self.sluice("report", file, "-o", "report.html"))
        page = (self.folder / "report.html").read_text()
        body = xml.etree.ElementTree.fromstring(page).find("body")
        self.assertEqual(body.find("h1").text, "waiting")
        self.assertGreaterEqual(len(body.findall("figure")), 4, "throughput, starving, connectors, what was tuned")
        self.assertIn("fetch.workers", page)
        self.assertEqual(self.assert_done(self.sluice("report", file)).stdout, page)

    def test_says_what_it_cannot_write(self):
        file = self.record(duration="1s")
        self.assert_refused(self.sluice("report", file, "-o", "no/report.html"), "--output: there is no folder no")
        self.assert_refused(self.sluice("report", self.scenario(WAITING)), "no session of Sluice's", code=1)


def mindspore_profile(folder, rank=0, looks=20):
    """A profile as MindSpore writes one: Map(2) is the limit, and the trainer waits 80% of its time."""
    folder.mkdir(exist_ok=True)

    def op(number, kind, workers, children, depth=None):
        queue = None if depth is None else {"output_queue": {"length": 16, "size": [depth] * looks}}
        return {"op_id": number, "op_type": kind, "num_workers": workers, "children": children, "metrics": queue}

    ops = [op(0, "EpochCtrlOp", 1, [1]), op(1, "BatchOp", 4, [2], 0), op(2, "MapOp", 8, [3], 0), op(3, "ImageFolderOp", 8, [], 15)]
    (folder / f"pipeline_profiling_{rank}.json").write_text(json.dumps({"op_info": ops, "sampling_interval": 100}))
    used = {"op_id": 2, "metrics": {"user_utilization": [720] * looks, "sys_utilization": [0] * looks}}
    (folder / f"minddata_cpu_utilization_{rank}.json").write_text(json.dumps(
        {"cpu_processor_num": 16, "op_info": [used], "time_stamp": [7000 + 100 * i for i in range(looks)]}))
    lines = []
    for batch in range(1, 2 * looks - 1):
        lines += [f"{numbers} {7000 + 50 * batch}\n"
                  for numbers in (f"0 1 {batch} 0", f"0 2 {batch} 40", f"0 0 {batch} 40", f"1 16 {batch} 0")]
    (folder / f"dataset_iterator_profiling_{rank}.txt").write_text("".join(lines))
    return folder


class ImportMindSpore(SessionTest):
    def imported(self, *arguments, name="profile.sluice"):
        return self.sluice("import", "mindspore-profile", self.folder / "profiler", "-o", name, *arguments)

    def test_makes_a_session_that_every_verb_reads(self):
        mindspore_profile(self.folder / "profiler")
        told = self.assert_done(self.imported()).stdout
        self.assertRegex(told, r"(?s)^minddata_0: 38 batches in 1\.9s\n  Map\(2\) limits the run: .*the consumer waits 80%")
        self.assertRegex(told, r"(?m)^- A profile counts no items")
        line = self.assert_done(self.sluice("replay", "profile.sluice", "--plain")).stdout.splitlines()[-1]
        self.assertRegex(line, r"t=1\.9s  20 batches/s  . rows/s  starved 80% .* Map\(2\) 8w busy . \*limits\*")
        page = self.assert_done(self.sluice("report", "profile.sluice")).stdout
        body = xml.etree.ElementTree.fromstring(page).find("body")
        self.assertEqual(body.find("h1").text, "profiler")
        self.assertIn("What is missing or assumed", page)
        same = self.assert_done(self.sluice("compare", "profile.sluice", "profile.sluice", "--fail-below", "0.95")).stdout
        self.assertIn("batches per second", same)
        settings = self.assert_done(self.sluice("export", "settings", "profile.sluice", "--format", "mindspore")).stdout
        self.assertIn("MapOp(ID:2)", settings)

    def test_takes_all_ranks_or_one(self):
        for rank in (0, 1, 10):
            mindspore_profile(self.folder / "profiler", rank)
        self.assert_done(self.imported())
        ranks = rows_of(self.folder / "profile.sluice", "SELECT name, rank FROM pipeline ORDER BY pipeline")
        self.assertEqual(ranks, [("minddata_0", 0), ("minddata_1", 1), ("minddata_10", 10)])
        self.assert_done(self.imported("--rank", "10", "--batch-size", "32"))
        (rows,) = rows_of(self.folder / "profile.sluice", "SELECT max(rows) FROM snapshot")[0]
        self.assertEqual(rows, 38 * 32)
        self.assert_refused(self.imported("--rank", "7"), r"holds nothing of rank 7; it has 0, 1, 10", code=1)

    def test_imports_what_is_left_and_says_what_is_not(self):
        folder = mindspore_profile(self.folder / "profiler")
        (folder / "minddata_cpu_utilization_0.json").unlink()
        file = folder / "pipeline_profiling_0.json"
        file.write_text(file.read_text()[:100])
        told = self.assert_done(self.imported()).stdout
        self.assertIn("nothing is known of the ops", " ".join(told.split()))
        self.assertRegex(" ".join(told.split()), r"pipeline_profiling_0\.json ends in the middle, after 100 bytes")
        self.assertIn("minddata_cpu_utilization_0.json is not there", " ".join(told.split()))

    def test_goes_on_without_a_rank_that_is_of_no_use(self):
        folder = mindspore_profile(self.folder / "profiler")
        (folder / "pipeline_profiling_1.json").write_text("{}")
        run = self.assert_done(self.imported())
        self.assertRegex(run.stderr, r"nothing of rank 1 can be used:\n.*pipeline_profiling_1\.json: op_info is missing")

    def test_refuses_what_is_no_profile_and_keeps_what_was_there(self):
        self.record("profile.sluice", duration="1s")
        before = (self.folder / "profile.sluice").read_bytes()
        (self.folder / "profiler").mkdir()
        self.assert_refused(self.imported(), "holds no profile of MindSpore's: there is no pipeline_profiling_R.json", code=1)
        (self.folder / "profiler" / "pipeline_profiling_0.json").write_text("[]")
        self.assert_refused(self.imported(), "the document is an array, not an object; profile the run again", code=1)
        self.assertEqual((self.folder / "profile.sluice").read_bytes(), before)
        mindspore_profile(self.folder / "profiler")
        (self.folder / "thesis.tex").write_text("years of work")
        self.assert_refused(self.imported(name="thesis.tex"), "thesis.tex is no session of Sluice's", code=1)
        self.assert_refused(self.sluice("import", "mindspore-profile", "nowhere", "-o", "a"), "cannot read the folder nowhere", code=1)
        self.assert_refused(self.sluice("import", "mindspore-profile", "profiler"), "--output is required")


class Lines(SessionTest):
    def test_tell_the_run_while_it_goes_on(self):
        run = self.start_run("--jsonl", "run.jsonl", "--quiet")
        file = self.folder / "run.jsonl"
        until(lambda: file.exists() and file.read_text().count('"type":"snapshot"') >= 2, "two snapshots")
        self.assertIsNone(run.process.poll())
        run.send(signal.SIGINT)
        self.assertEqual(run.wait(), 130)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        kinds = [line["type"] for line in lines]
        self.assertEqual((kinds[0], kinds[1], kinds[-1]), ("run", "pipeline", "end"))
        self.assertEqual(lines[-1]["outcome"], "was interrupted")
        self.assertIn("decision", kinds)
        self.assertEqual([line["unix_seconds"] for line in lines if line["type"] == "snapshot"],
                         sorted(line["unix_seconds"] for line in lines if line["type"] == "snapshot"))
        taken = [line["rows"] for line in lines if line["type"] == "snapshot"]
        self.assertEqual(taken, sorted(taken))
        self.assertGreater(taken[-1], 0)

    def test_are_whole_after_a_kill(self):
        run = self.start_run("--jsonl", "run.jsonl", "--quiet")
        file = self.folder / "run.jsonl"
        until(lambda: file.exists() and '"type":"snapshot"' in file.read_text(), "a snapshot")
        run.send(signal.SIGKILL)
        run.wait()
        for line in file.read_text().splitlines():
            json.loads(line)


@unittest.skipUnless(tfevents, "python3-protobuf is not installed")
class TensorBoard(SessionTest):
    def test_event_files_are_what_a_reader_of_theirs_wants(self):
        self.record("run.sluice", "--tensorboard", "runs", "--json", "result.json")
        result = self.result()
        (file,) = (self.folder / "runs" / "sluice-waiting").iterdir()
        self.assertRegex(file.name, r"^events\.out\.tfevents\.\d{10}\.")
        first, *events = tfevents.read(file)
        self.assertEqual(first.file_version, "brain.Event:2")
        values = [value for event in events for value in event.summary.value]
        tags = {value.tag for value in values}
        for tag in ("rows_per_second", "starved_fraction", "op/fetch/workers", "op/fetch/busy_fraction",
                    "connector/fetch->batch/capacity_items"):
            self.assertIn("sluice/" + tag, tags)
        last = [value.simple_value for value in values if value.tag == "sluice/op/fetch/workers"][-1]
        self.assertEqual(last, next(op["workers"] for op in result["ops"] if op["name"] == "fetch"))
        self.assertEqual(events[-1].step, result["consumer"]["items"])
        texts = [value for value in values if value.tag == "sluice/decisions"]
        self.assertGreaterEqual(len(texts), len(result["decisions"]))
        self.assertEqual({text.metadata.plugin_data.plugin_name for text in texts}, {"text"})
        self.assertEqual([text.tensor.dtype for text in texts], [7] * len(texts))
        self.assertIn("fetch.workers 1 → ", texts[0].tensor.string_val[0].decode())

    def test_is_refused_where_no_folder_can_be_made(self):
        (self.folder / "file").write_text("")
        self.assert_refused(self.start_to_end("--tensorboard", "file/runs"), "--tensorboard: cannot make the folder",
                            code=1)


class Settings(SessionTest):
    def test_are_what_a_run_had_come_to_and_the_next_one_begins_with(self):
        file = self.record("run.sluice", "--json", "result.json")
        came_to = {knob["name"]: knob["end"] for knob in self.result()["settings"]}
        self.assert_done(self.sluice("export", "settings", file, "-o", "tuned.toml"))
        self.record("again.sluice", "--no-tune", "--load", "tuned.toml", "--json", "again.json", duration="1s")
        self.assertEqual({knob["name"]: knob["start"] for knob in self.result("again.json")["settings"]}, came_to)
        self.record("set.sluice", "--no-tune", "--load", "tuned.toml", "--set", "fetch.workers=1", "--json", "set.json",
                    duration="1s")
        started = {knob["name"]: knob["start"] for knob in self.result("set.json")["settings"]}
        self.assertEqual(started, {**came_to, "fetch.workers": 1}, "--set has the last word")

    def test_name_the_cores_that_the_run_was_given_not_those_of_its_last_moment(self):
        file = self.record("run.sluice", "--no-tune", "--cores", "0.5", duration="1s")
        with contextlib.closing(sqlite3.connect(self.folder / file)) as session, session:
            session.execute("UPDATE snapshot SET cores = 0.1 WHERE number = (SELECT max(number) FROM snapshot)")
        self.assert_done(self.sluice("export", "settings", file, "-o", "tuned.toml"))
        self.assertIn("cores = 0.5", (self.folder / "tuned.toml").read_text())
        load = ("--no-tune", "--duration", "1s", "--load", "tuned.toml")
        again = self.assert_done(self.start_to_end(*load, "--cores", "0.5"))
        self.assertNotIn("it was found", again.stderr)
        elsewhere = self.assert_done(self.start_to_end(*load))
        self.assertIn("it was found with 0.5 cores", elsewhere.stderr)

    def test_of_a_process_are_those_in_force(self):
        run = self.start_run("--quiet", "--no-tune", "--set", "fetch.workers=3")
        self.until_listed(run)
        self.assertIn("'fetch.workers' = 3", self.assert_done(self.sluice("export", "settings", run.pid)).stdout)
        self.assert_refused(self.sluice("export", "settings", 1), "process 1 is not measured", code=1)

    def test_come_with_what_was_believed_when_they_were_decided(self):
        file = self.record("run.sluice", "--json", "result.json")
        table = self.assert_done(self.sluice("export", "beliefs", file)).stdout
        rows = list(csv.DictReader(table.splitlines()))
        self.assertEqual(len(rows), rows_of(file, "SELECT count(*) FROM belief")[0][0])
        decided = [one["id"] for one in self.result()["decisions"]]
        self.assertEqual([int(row["decision"]) for row in rows if row["decision"] != "0"], decided)
        self.assertGreater(float(rows[-1]["fetch.wait"]), 0)

    def test_have_the_shape_of_mindspores_file(self):
        file = self.record("run.sluice", "--no-tune", "--set", "fetch.workers=3", duration="1s")
        told = json.loads(self.assert_done(self.sluice("export", "settings", file, "--format", "mindspore")).stdout)
        self.assertEqual(told["summary"], [
            "RangeOp(ID:2)       (num_parallel_workers: 1, prefetch_size:1)",
            "SyntheticOp(ID:1)   (num_parallel_workers: 3, prefetch_size:1)",
            "BatchOp(ID:0)       (num_parallel_workers: 1, prefetch_size:1)"])
        self.assertEqual((told["tree"]["op_type"], told["tree"]["children"][0]["num_parallel_workers"]), ("Batch", 3))
        self.assertEqual(told["tree"]["children"][0]["children"][0]["children"], [])

    def test_for_another_pipeline_are_refused(self):
        file = self.record(duration="1s")
        self.assert_done(self.sluice("export", "settings", file, "-o", "tuned.toml"))
        text = (self.folder / "tuned.toml").read_text().replace("waiting", "other")
        (self.folder / "tuned.toml").write_text(text)
        self.assert_refused(self.start_to_end("--load", "tuned.toml"), "--load tuned.toml has no settings for waiting")
        self.assert_refused(self.start_to_end("--load", "none.toml"), "--load .*none.toml")


class Page(SessionTest):
    def test_has_queries_that_work(self):
        queries = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
        self.assertGreaterEqual(len(queries), 10)
        file = self.record()
        for query in queries:
            with self.subTest(query=query):
                self.assertTrue(rows_of(file, query), "a query whose answer is empty teaches nothing")

    def test_names_every_table_and_column(self):
        file = self.record(duration="1s")
        page = PAGE.read_text()
        for (table,) in rows_of(file, "SELECT name FROM sqlite_schema WHERE type = 'table'"):
            section = re.search(rf"(?ms)^### `{table}`\n(.*?)(?=^##|\Z)", page)
            self.assertTrue(section, f"a section on {table}")
            for column in rows_of(file, f"PRAGMA table_info({table})"):
                self.assertIn(f"`{column[1]}`", section[1], f"{table}.{column[1]}")
