"""Threads and memory on the nodes where they are asked to be, by the kernel's own word."""
import ctypes
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from machine import SLUICE, Machine

NODES = Path("/sys/devices/system/node")
CGROUPS = Path("/sys/fs/cgroup")
PATIENCE = 300  # seconds; an emulated machine on a busy host is slow

SCENARIO = """
name = "rows"
epochs = 0
[source]
name = "list"
kind = "range"
count = 1000000
[[op]]
name = "decode"
kind = "synthetic"
burn = "2ms"
allocate = "600KB"
workers = 2
[[op]]
name = "batch"
kind = "batch"
size = 8
capacity = 4
[consumer]
step = "none"
"""

# Answers mbind with EPERM, as container runtimes do without CAP_SYS_NICE: load the number, compare, refuse.
MBIND = 237
FILTER = [(0x20, 0, 0, 0), (0x15, 0, 1, MBIND), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]


def forbid_mbind():
    code = b"".join(struct.pack("HBBI", *step) for step in FILTER)
    steps = ctypes.create_string_buffer(code)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    program = Program(len(FILTER), ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


NO_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]  # root without any capability


def cpus_of(node):
    found = set()
    for part in (NODES / f"node{node}" / "cpulist").read_text().strip().split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def pages_by_node(pid):
    pages = {}
    for node, count in re.findall(r"\bN(\d+)=(\d+)", Path(f"/proc/{pid}/numa_maps").read_text()):
        pages[int(node)] = pages.get(int(node), 0) + int(count)
    return pages


def wait_for(what, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not (seen := what()):
        if time.monotonic() > until:
            raise AssertionError("it did not come")
        time.sleep(0.1)
    return seen


class Rows(Machine):
    SCENARIO = SCENARIO

    def start(self, *arguments, **options):
        started = subprocess.Popen([SLUICE, "run", str(self.scenario), "--quiet", *arguments],
                                   stdout=subprocess.DEVNULL, **options)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started


class Ops(Rows):
    def test_a_bound_op_runs_and_keeps_its_buffers_on_its_node(self):
        for node in (0, 1):
            pinned = [word for op in ("decode", "batch")
                      for word in ("--set", f"{op}.placement={node}", "--pin", f"{op}.placement")]
            result, text = self.run_it("--no-tune", *pinned, seconds=15)
            for op in result["ops"][1:]:
                place = op["place"]
                self.assertEqual(place["nodes"], [node])
                time_there = place["at_home_seconds"] / (place["at_home_seconds"] + place["elsewhere_seconds"])
                self.assertGreaterEqual(time_there, 0.99, text)
                self.assertGreater(place["pages"], 20)
                self.assertGreaterEqual(place["pages_at_home"] / place["pages"], 0.99, text)

    def test_each_worker_has_the_mask_of_its_node_and_those_of_other_ops_have_not(self):
        run = self.start("--no-tune", "--set", "decode.placement=1", "--set", "decode.workers=3")

        def masks():
            found = {}
            for task in Path(f"/proc/{run.pid}/task").iterdir():
                name = (task / "comm").read_text().strip()
                found.setdefault(name.partition("/")[0], []).append(os.sched_getaffinity(int(task.name)))
            return found if found.get("decode") == [cpus_of(1)] * 3 and "batch" in found else None

        found = wait_for(masks, 60)
        self.assertNotEqual(found["batch"], [cpus_of(1)])

    def test_an_op_on_some_cpus_keeps_its_buffers_by_them(self):
        cpu = min(cpus_of(1))
        result, text = self.run_it("--no-tune", "--set", f"decode.cpus={cpu}", seconds=15)
        place = result["ops"][1]["place"]
        self.assertEqual(place["nodes"], [1], text)
        self.assertGreater(place["pages"], 20)
        self.assertGreaterEqual(place["pages_at_home"] / place["pages"], 0.99, text)
        run = self.start("--no-tune", "--set", f"decode.cpus={cpu}")

        def masks():
            tasks = [task for task in Path(f"/proc/{run.pid}/task").iterdir()
                     if (task / "comm").read_text().startswith("decode")]
            return [os.sched_getaffinity(int(task.name)) for task in tasks] == [{cpu}, {cpu}]
        wait_for(masks, 60)

    def test_memory_that_may_not_be_placed_is_told_and_the_run_goes_on(self):
        result, text = self.run_it("--no-tune", "--set", "decode.placement=1", seconds=15,
                                   preexec_fn=forbid_mbind)
        self.assertIn("memory cannot be placed on node 1", text)
        self.assertIn("seccomp", text)
        self.assertGreater(result["throughput"]["whole_run"]["rows_per_second"], 0)

    def test_an_op_is_placed_without_any_capability(self):
        result, text = self.run_it("--no-tune", "--set", "decode.placement=1", seconds=15, behind=NO_RIGHTS)
        self.assertEqual(result["ops"][1]["place"]["nodes"], [1], text)

    def test_a_node_that_the_control_group_does_not_allow_is_refused(self):
        group = CGROUPS / "first"
        group.mkdir()
        self.addCleanup(group.rmdir)
        (group / "cpuset.cpus").write_text((NODES / "node0/cpulist").read_text())

        def enter():
            (group / "cgroup.procs").write_text(str(os.getpid()))

        result, text = self.run_it("--no-tune", "--set", "decode.placement=1", seconds=15, preexec_fn=enter)
        self.assertIn("decode is not placed on node 1", text)
        self.assertTrue(all(op["place"] is None for op in result["ops"]))


class Budget(Rows):
    """Limits that somebody changes while it runs."""

    def group_of(self, name):
        group = CGROUPS / name
        group.mkdir()
        self.addCleanup(group.rmdir)
        return group

    def cores_of(self, lines):
        found = [json.loads(line) for line in lines.read_text().splitlines(keepends=True) if line.endswith("\n")]
        return [(line["unix_seconds"], line["budget_cores"]) for line in found if line["type"] == "snapshot"]

    def changes(self, file, first, then):
        group = self.group_of("changing")
        (group / file).write_text(first[0])
        lines = self.folder / "lines.jsonl"

        def enter():
            (group / "cgroup.procs").write_text(str(os.getpid()))

        run = self.start("--jsonl", str(lines), preexec_fn=enter)
        wait_for(lambda: lines.exists() and [cores for _, cores in self.cores_of(lines) if cores == first[1]])
        (group / file).write_text(then[0])
        at = time.time()
        seen = wait_for(lambda: [when for when, cores in self.cores_of(lines) if cores == then[1]])
        run.send_signal(signal.SIGTERM)
        run.wait()
        return seen[0] - at

    def test_a_quota_that_changes_is_obeyed_within_two_seconds(self):
        self.assertLess(self.changes("cpu.max", ("150000 100000", 1.5), ("50000 100000", 0.5)), 2)

    def test_a_cpuset_that_changes_is_obeyed_within_two_seconds(self):
        self.assertLess(self.changes("cpuset.cpus", ("0-1", 2), ("1", 1)), 2)


class FromOutside(Rows):
    def child(self, code, **options):
        started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(started.stdout.close)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        self.assertEqual(started.stdout.readline(), "ready\n")
        return started.pid

    def place(self, *arguments, behind=()):
        return subprocess.run([*behind, SLUICE, "place", *map(str, arguments)], capture_output=True, text=True)

    HOLDS_MEMORY = """
import os, threading, time
os.sched_setaffinity(0, {cpus})
held = bytearray(64 << 20)
for at in range(0, len(held), 4096): held[at] = 1
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
if os.fork() == 0: time.sleep(1000)
print("ready", flush=True)
time.sleep(1000)
"""

    def test_a_process_moves_with_its_threads_its_children_and_its_pages(self):
        pid = self.child(self.HOLDS_MEMORY.format(cpus=cpus_of(0)))
        done = self.place(pid, 1, "--move-pages")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        self.addCleanup(os.kill, int(children[0]), signal.SIGKILL)
        for process in (pid, int(children[0])):
            for task in Path(f"/proc/{process}/task").iterdir():
                self.assertEqual(os.sched_getaffinity(int(task.name)), cpus_of(1))
        held = max((line for line in Path(f"/proc/{pid}/numa_maps").read_text().splitlines() if "anon=" in line),
                   key=lambda line: int(re.search(r"anon=(\d+)", line).group(1)))
        on = {int(node): int(count) for node, count in re.findall(r"\bN(\d+)=(\d+)", held)}
        self.assertGreaterEqual(on.get(1, 0) / sum(on.values()), 0.99, held)
        self.assertRegex(done.stdout, r"3 of 3 threads of 2 processes run on node 1")

    def test_without_capabilities_another_users_process_stays_and_that_is_said(self):
        pid = self.child(self.HOLDS_MEMORY.format(cpus=cpus_of(0)), user=65534, extra_groups=[])
        before = pages_by_node(pid)
        done = self.place(pid, 1, "--move-pages", behind=NO_RIGHTS)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("0 of 3 threads of 2 processes run on node 1", done.stdout)
        self.assertRegex(done.stdout + done.stderr, rf"thread {pid} cannot be bound .*another user")
        self.assertRegex(done.stdout + done.stderr, rf"pages of process {pid} cannot be moved .*another user")
        self.assertEqual(os.sched_getaffinity(pid), cpus_of(0))
        self.assertAlmostEqual(pages_by_node(pid).get(0, 0), before.get(0, 0), delta=64)

    def test_a_node_that_is_not_there_is_named_with_those_that_are(self):
        done = self.place(os.getpid(), 40)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no CPUs near a node 40", done.stderr)

    def test_what_is_wrapped_runs_and_allocates_where_it_is_placed(self):
        code = ("import os\nheld = bytearray(64 << 20)\nfor at in range(0, len(held), 4096): held[at] = 1\n"
                "print(sorted(os.sched_getaffinity(0)))\nprint(open('/proc/self/numa_maps').read())")
        done = subprocess.run([SLUICE, "wrap", "--place", "1:bind", "--quiet", "--", sys.executable, "-S", "-c", code],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        mask, _, maps = done.stdout.partition("\n")
        self.assertEqual(json.loads(mask), sorted(cpus_of(1)))
        largest = max((line for line in maps.splitlines() if "anon=" in line),
                      key=lambda line: int(re.search(r"anon=(\d+)", line).group(1)))
        self.assertIn("bind:1", largest)
        self.assertNotRegex(largest, r"\bN0=")


class Steering(http.client.HTTPConnection):
    """The control socket of a run."""

    def __init__(self, path):
        super().__init__("sluice")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None, lease=""):
        self.request(method, path, json.dumps(body) if body is not None else None, {"Sluice-Lease": lease})
        answer = self.getresponse()
        text = answer.read().decode()
        assert answer.status < 300, text
        return json.loads(text)


class WrappedTraining(Rows):
    TRAIN = """
import time, torch
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self): return 10_000_000
    def __getitem__(self, i):
        time.sleep(0.01)
        return torch.zeros(1000)
for batch in DataLoader(Rows(), batch_size=4, num_workers=2): pass
"""

    def test_worker_processes_are_moved_from_outside_and_the_trainer_is_not(self):
        script = self.folder / "train.py"
        script.write_text(self.TRAIN)
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        run = subprocess.Popen([SLUICE, "wrap", "--quiet", "--", "/usr/bin/python3", str(script)],
                               env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)})
        self.addCleanup(run.wait)
        self.addCleanup(run.terminate)

        def steered():
            found = list((runtime / "sluice").glob("*.control"))
            pipelines = Steering(found[0]).ask("GET", "/v1")["pipelines"] if found else []
            return found[0] if pipelines else None

        steering = Steering(wait_for(steered))

        def placement():
            known = steering.ask("GET", "/v1/pipelines/0")["knobs"]
            return next((knob for knob in known if knob["name"].endswith(".placement")), None)

        name = wait_for(placement)["name"]
        lease = steering.ask("POST", "/v1/lease", {"name": "test", "seconds": 3600})["lease"]
        steering.ask("POST", "/v1/pipelines/0/knobs", {"set": {name: 2}, "pin": True}, lease)
        trainer = steering.ask("GET", "/v1")["pipelines"][0]["pid"]

        def moved():
            workers = [int(pid) for task in Path(f"/proc/{trainer}/task").iterdir()
                       for pid in (task / "children").read_text().split()]
            masks = [os.sched_getaffinity(int(task.name)) for pid in workers
                     for task in Path(f"/proc/{pid}/task").iterdir()]
            return workers if len(workers) >= 2 and all(mask == cpus_of(1) for mask in masks) else None

        workers = wait_for(moved)
        self.assertNotEqual(os.sched_getaffinity(trainer), cpus_of(1))
        for worker in workers:
            stack = next(line for line in Path(f"/proc/{worker}/numa_maps").read_text().splitlines()
                         if " stack " in line + " ")
            self.assertNotRegex(stack, r"\bN0=[1-9]", "its own pages have moved")
