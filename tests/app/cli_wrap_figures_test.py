"""What `sluice wrap` gives to other programs around real training with PyTorch: --json, --metrics and what it records."""
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from cli import PROGRAM, ROOT, until
from wrapped import WrapTest

PYTHON = "/usr/bin/python3"
WRAP = [PROGRAM, "wrap"]
PROMTOOL = os.environ.get("SLUICE_PROMTOOL") or shutil.which("promtool")

# Two loaders, in turns; the first is made anew in each epoch. Ends after so many epochs, or, with none, when
# a file named `stop` is there. usage: [EPOCHS]
TRAIN = """
import itertools, os, sys, time, torch
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __init__(self, batches): self.batches = batches
    def __len__(self): return 8 * self.batches
    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.tensor([index])
if __name__ == "__main__":  # workers may be started by forkserver: Python 3.14's way
    val_loader = DataLoader(Slow(10), batch_size=8, num_workers=1)
    epochs = range(int(sys.argv[1])) if len(sys.argv) > 1 else itertools.count()
    for _ in epochs:
        train_loader = DataLoader(Slow(30), batch_size=8, num_workers=1)
        for batch in train_loader: time.sleep(0.002)
        for batch in val_loader: pass
        if os.path.exists("stop"): break
"""
TWO_RANKS = 'export WORLD_SIZE=2; for RANK in 0 1; do RANK=$RANK "$0" "$1" & done; wait'


def scrape(url):
    """Nothing while there is nothing to tell."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read().decode()
    except (urllib.error.HTTPError, ConnectionError):
        return ""


def value(text, metric, **labels):
    """The only sample with these labels among its own; nothing where there is none."""
    found = []
    for own, number in re.findall(rf"^{metric}\{{(.*)\}} (\S+)$", text, re.MULTILINE):
        pairs = dict(re.findall(r'(\w+)="([^"]*)"', own))
        if labels.items() <= pairs.items():
            found.append(float(number))
    assert len(found) < 2, f"{metric} {labels}: {found}"
    return found[0] if found else None


class Figures(WrapTest):
    def setUp(self):
        super().setUp()
        self.script = Path(self.folder) / "train.py"
        self.script.write_text(TRAIN)

    def test_json_has_the_keys_that_its_document_says(self):
        done = self.run_to_end([*WRAP, "--json", "r.json", "--", PYTHON, self.script, "3"])
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.result("r.json")
        document = (ROOT / "docs" / "wrap-json.md").read_text()
        head, *parts = re.split(r"^## (.*)\n", document, flags=re.MULTILINE)
        sections = dict(zip(parts[::2], parts[1::2]))
        cells = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", head, re.MULTILINE))))
        self.assertEqual(set(result), cells)
        for part in ("ended", "used"):
            self.assertLessEqual(set(result[part]), set(re.findall(r"`(\w+)`", sections[part])))
        told = sections["loaders"]
        cells = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", told, re.MULTILINE))))
        names = [loader["name"] for loader in result["loaders"]]
        self.assertEqual(sorted(set(names)), ["train.py: train_loader (Slow)", "train.py: val_loader (Slow)"])
        for loader in result["loaders"]:
            self.assertEqual(set(loader), cells)
            for part in ("start", "end", "first_window", "last_window", "saved", "advice", "costliest_step"):
                self.assertLessEqual(set(loader[part] or {}), set(re.findall(r"`(\w+)`", told)), part)
            for row in (*loader["epochs"], *loader["knobs"]):
                self.assertLessEqual(set(row), set(re.findall(r"`(\w+)`", told)))
            self.assertIn(loader["name"], result["loaders_text"])
        batches = {name: sum(loader["batches"] for loader in result["loaders"] if loader["name"] == name) for name in names}
        self.assertEqual(batches, {"train.py: train_loader (Slow)": 90, "train.py: val_loader (Slow)": 30})

    def test_metrics_name_each_loader_while_it_trains(self):
        stderr = Path(self.folder) / "stderr"
        with open(stderr, "w", encoding="utf-8") as err:
            run = self.spawn([*WRAP, "--metrics", "127.0.0.1:0", "--", PYTHON, self.script], stderr=err)
        url = until(lambda: re.search(r"^sluice: metrics at (http://127\.0\.0\.1:\d+/metrics)$", stderr.read_text(), re.M),
                    "the address")[1]
        def batches(loader):
            return value(scrape(url), "sluice_consumer_items_total", loader=f"train.py: {loader} (Slow)")
        until(lambda: batches("train_loader"), "batches of the one")
        first = until(lambda: batches("val_loader"), "batches of the other")
        until(lambda: batches("val_loader") > first, "more of them")
        text = scrape(url)
        pid = re.search(r'sluice_process_cpu_seconds_total\{pid="(\d+)"\}', text)[1]
        self.assertIn(str(self.script), Path(f"/proc/{pid}/cmdline").read_text())
        if PROMTOOL:
            checked = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=30)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        (self.folder / "stop").touch()
        run.wait(60)
        self.assertEqual(run.returncode, 0)

    def test_metrics_tell_of_each_worker_of_each_rank_when_asked(self):
        stderr = Path(self.folder) / "stderr"
        with open(stderr, "w", encoding="utf-8") as err:
            run = self.spawn([*WRAP, "--metrics", "127.0.0.1:0", "--metrics-workers", "2", "--", "sh", "-c", TWO_RANKS, PYTHON,
                              self.script], stderr=err)
        url = until(lambda: re.search(r"^sluice: metrics at (\S+)$", stderr.read_text(), re.M), "the address")[1]
        for rank in ("0", "1"):
            own = {"loader": "train.py: val_loader (Slow)", "rank": rank}

            def counted(what, own=own):
                return value(scrape(url), f"sluice_worker_{what}_total", op="fetch", worker="0", **own)
            first = until(lambda: counted("items"), f"batches of rank {rank}")
            until(lambda: counted("items") > first, "more of them")
            until(lambda: counted("busy_seconds") > 0 and counted("starved_seconds") > 0, "times of the worker")
            text = scrape(url)
            workers = len(re.findall(rf'^sluice_worker_items_total\{{loader="{re.escape(own["loader"])}",rank="{rank}"', text, re.M))
            self.assertEqual(workers, 2, "the limit is that of each loader")
            self.assertIsNotNone(value(text, "sluice_workers_without_series", **own))
        (self.folder / "stop").touch()
        run.wait(60)
        self.assertEqual(run.returncode, 0)

    def test_metrics_name_each_process_as_a_target_when_asked(self):
        stderr, targets = Path(self.folder) / "stderr", Path(self.folder) / "targets.json"
        with open(stderr, "w", encoding="utf-8") as err:
            run = self.spawn([*WRAP, "--metrics", "127.0.0.1:0", "--metrics-per-process", "--metrics-targets", targets, "--", PYTHON,
                              self.script], stderr=err, env={**os.environ, "RANK": "3"})
        labels = until(lambda: [target["labels"] for target in json.loads(targets.read_text() if targets.exists() else "[]")],
                       "a target")
        self.assertEqual([label["__metrics_path__"] for label in labels], ["/metrics/rank/3"])
        text = scrape("http://" + labels[0]["instance"].replace("/rank", "/metrics/rank"))
        self.assertRegex(text, r'sluice_process_cpu_seconds_total\{pid="\d+",rank="3"\}')
        (self.folder / "stop").touch()
        run.wait(60)
        self.assertFalse(targets.exists())

    def test_records_each_loader_with_what_its_report_tells(self):
        done = self.run_to_end([*WRAP, "--record", "run.sluice", "--jsonl", "run.jsonl", "--tensorboard", "runs", "--json", "r.json",
                                "--", PYTHON, self.script, "2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        loaders = [(loader["name"], loader["epochs"]) for loader in self.result("r.json")["loaders"]]
        folder = Path(self.folder)
        database = sqlite3.connect(folder / "run.sluice")
        self.addCleanup(database.close)
        taken = dict(database.execute("SELECT pipeline, max(items) FROM snapshot GROUP BY pipeline"))
        names = [name for _, name in database.execute("SELECT pipeline, name FROM pipeline ORDER BY pipeline")]
        self.assertEqual(sorted(set(names)), sorted({name for name, _ in loaders}))
        self.assertEqual(sum(taken.values()), 2 * (30 + 10), "every batch is in the last snapshot of its loader")
        facts = dict(database.execute("SELECT key, value FROM session"))
        self.assertEqual((facts["verb"], facts["outcome"]), ("wrap", "ended"))
        self.assertIn("train.py 2", facts["name"])
        lines = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
        self.assertEqual({line["name"] for line in lines if line["type"] == "pipeline"}, set(names))
        self.assertEqual(lines[-1]["type"], "end")
        self.assertTrue(all(any(each.iterdir()) for each in (folder / "runs").iterdir()))

    def test_a_recording_that_cannot_be_is_one_line_and_the_command_runs(self):
        (Path(self.folder) / "thesis.tex").write_text("years of work")
        done = self.run_to_end([*WRAP, "--record", "thesis.tex", "--", PYTHON, "-c", "print('trained')"])
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"))
        self.assertRegex(done.stderr, r"(?m)^sluice: nothing is recorded: --record: thesis.tex is no session")
        self.assertEqual((Path(self.folder) / "thesis.tex").read_text(), "years of work")

    def test_a_port_that_is_taken_is_one_line_and_the_command_runs(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            done = self.run_to_end([*WRAP, "--metrics", address, "--", PYTHON, "-c", "print('trained')"])
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"))
        self.assertRegex(done.stderr, rf"(?m)^sluice: no metrics: --metrics: .*{re.escape(address)}.*in use")

    def test_an_address_that_is_none_is_refused_before_anything_runs(self):
        for address, why in (("9464", "has no port"), ("127.0.0.1:x", "is no port"), ("0.0.0.0:9464", "other machines")):
            done = self.run_to_end([*WRAP, "--metrics", address, "--", PYTHON, "-c", "print('trained')"])
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, rf"^sluice: --metrics: .*{why}")


if __name__ == "__main__":
    unittest.main()
