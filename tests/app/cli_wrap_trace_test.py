"""Traces of real training with PyTorch: `sluice trace` beside `sluice wrap`, and --flight-recorder of it."""
import signal
import unittest

from cli import until
from wrapped import WrapTest

try:
    import perfetto
except ImportError:
    perfetto = None

PYTHON = "/usr/bin/python3"

# Ranks that train until a file named `stop` is there; each says when it has had its first batches, and `enough` when it has had
# 150 more since there is a file named `traced`.
TRAIN = """
import os, pathlib, time, torch
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 400
    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.tensor([index])
if __name__ == "__main__":  # workers may be started by forkserver: Python 3.14's way
    loader = DataLoader(Slow(), batch_size=4, num_workers=2, persistent_workers=True)
    traced = 0
    while not os.path.exists("stop"):
        for number, batch in enumerate(loader):
            time.sleep(0.001)
            traced += os.path.exists("traced")
            if traced == 150: pathlib.Path("enough").touch()
            if number == 5: pathlib.Path("rank" + os.environ.get("RANK", "")).touch()
            if os.path.exists("stop"): break
"""
RANKS = """
import os, subprocess, sys
common = {**os.environ, "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
ranks = [subprocess.Popen([sys.executable, sys.argv[1]], env={**common, "RANK": str(r), "LOCAL_RANK": str(r)}) for r in (0, 1)]
sys.exit(max(rank.wait() for rank in ranks))
"""
# The eighth batch takes as long as it takes until `stop` is there.
HANGS = """
import os, time, torch
from torch.utils.data import DataLoader, Dataset
class Hangs(Dataset):
    def __len__(self): return 40
    def __getitem__(self, index):
        while index == 30 and not os.path.exists("stop"): time.sleep(0.01)
        return torch.tensor([index])
if __name__ == "__main__":
    for batch in DataLoader(Hangs(), batch_size=4, num_workers=2): time.sleep(0.002)
"""


@unittest.skipIf(perfetto is None, "python3-protobuf is not installed")
class WrapTraceTest(WrapTest):
    def script(self, text, name="train.py"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def train(self, *command):
        run = self.start("wrap", "--quiet", *command)
        self.addCleanup(run.wait)
        self.addCleanup((self.folder / "stop").touch)
        return run

    def trace_batches(self, run):
        """As many as the script calls enough, however busy the machine is."""
        until((self.folder / "rank").exists, lambda: "first batches" + run.errors())
        tracer = self.start("trace", "--seconds", "3000", "-o", "train.perfetto-trace", "--quiet")
        file = self.folder / "train.perfetto-trace"
        until(lambda: file.exists() and file.stat().st_size > 1000, lambda: "a part of the trace" + tracer.errors())
        (self.folder / "traced").touch()
        until((self.folder / "enough").exists, lambda: "more batches" + run.errors())
        tracer.send(signal.SIGINT)
        self.assertEqual(tracer.wait(), 0, tracer.errors())
        return perfetto.read(file)

    def test_arrows_lead_from_the_sampler_over_the_workers_to_the_steps(self):
        run = self.train("--", PYTHON, self.script(TRAIN))
        trace = self.trace_batches(run)
        made = {name: {flow for one in trace.named(name) for flow in one.makes} for name in ("sampler", "fetch")}
        fetched = [one for one in trace.named("fetch") if set(one.takes) & made["sampler"]]
        steps = [one for one in trace.named("step") if set(one.takes) & made["fetch"]]
        self.assertGreater(len(fetched), 20)
        self.assertGreater(len(steps), 20)
        by_flow = {flow: one for one in trace.named("fetch") for flow in one.makes}
        for step in steps:
            fetch = by_flow[step.takes[0]]
            self.assertLessEqual(fetch.end, step.begin, "a batch is trained with when it has been fetched")
            self.assertGreater(fetch.end - fetch.begin, 4 * 2_000_000)  # ns, of four rows
        workers = {trace.track_of(one) for one in trace.named("fetch")}
        self.assertGreaterEqual(len(workers), 2)
        told = [step.notes for step in trace.named("step") if "item" in step.notes]
        numbers = [number for one in told for number in range(one["item"], one["item"] + one["items"])]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "one after the other, over epochs")

    def test_no_arrow_leads_astray_where_batches_come_in_any_order(self):
        run = self.train("--repro", "free", "--", PYTHON, self.script(TRAIN))
        trace = self.trace_batches(run)
        self.assertTrue([one for one in trace.named("fetch") if one.takes])
        self.assertGreater(len(trace.named("step")), 10)
        self.assertFalse([one for one in trace.named("step") if one.takes])

    def test_ranks_are_on_one_clock(self):
        ranks = self.script(RANKS, "ranks.py")
        run = self.train("--", PYTHON, ranks, self.script(TRAIN))
        for rank in ("rank0", "rank1"):
            until((self.folder / rank).exists, lambda: "first batches" + run.errors())
        self.assert_done(self.sluice("trace", "--seconds", "1", "-o", "train.perfetto-trace"))
        trace = perfetto.read(self.folder / "train.perfetto-trace")
        names = sorted(trace.pipelines().values())
        self.assertEqual([name.split(":")[0] for name in names], ["rank 0", "rank 1"])
        times = {}
        for one in trace.named("fetch"):
            times.setdefault(trace.tracks[one.track].parent_uuid, []).append(one.begin)
        first, second = times.values()
        self.assertLess(max(min(first), min(second)), min(max(first), max(second)), "they trained at the same time")

    def test_the_flight_recorder_shows_the_worker_that_hangs(self):
        run = self.train("--flight-recorder", "flight", "--flight-stall", "500ms", "--", PYTHON, self.script(HANGS))
        file = until(lambda: list((self.folder / "flight").glob("*.perfetto-trace")), lambda: "a file" + run.errors())[0]
        trace = perfetto.read(file)
        hanging = [one for one in trace.named("fetch") if one.end is None]
        self.assertEqual(len(hanging), 1)
        until(lambda: "has waited" in run.errors(), "word of it")
        (self.folder / "stop").touch()
        self.assertEqual(run.wait(), 0, run.errors())
        self.assertFalse([one for one in perfetto.read(file).named("fetch") if one.end is None], "written to its end")


if __name__ == "__main__":
    unittest.main()
