"""What a script is told by its callbacks: decisions and verdicts, in order and once, between batches of its own thread."""
import json
import multiprocessing
import os
import re
import signal
import struct
import threading
import time
import unittest
from unittest import mock

import support
from support import DataLoader, Plain, Reading, loader, probe_of, run_python

import sluice
from sluice import _callbacks, _report, _segment

RING, RECORD = 256, 448  # docs/telemetry-segment.md
VERDICT = {"limit": "op", "op": "fetch", "sentence": "fetch limits the run", "confidence_fraction": 0.9}


def decision(number=1, fate=0, **more):
    """As an agent writes it; docs/telemetry-segment.md."""
    return {"id": number, "at_ns": time.monotonic_ns(), "author": 0, "fate": fate, "before": 4.5, "predicted": 9.0,
            "changes": [[0, 1, 1, 2], [1, 1, 2, 3]], "because": "the consumer waits", **more}


class Agent:
    """Writes records into a segment's file, as whoever decides does from another process."""

    def __init__(self, path):
        self._path = path
        self._written = 0

    def write(self, *records):
        with open(self._path, "r+b", buffering=0) as file:
            ring, = struct.unpack_from("<Q", os.pread(file.fileno(), 448, 0), 256)
            for record in records:
                text = record if isinstance(record, bytes) else json.dumps(record).encode()
                place = ring + self._written % RING * RECORD
                os.pwrite(file.fileno(), struct.pack("<Q", 2 * self._written + 1), place)
                os.pwrite(file.fileno(), struct.pack("<q432s", time.monotonic_ns(), text), place + 8)
                os.pwrite(file.fileno(), struct.pack("<Q", 2 * self._written + 2), place)
                self._written += 1


class Callbacks(unittest.TestCase):
    def setUp(self):
        self.addCleanup(_callbacks.registered.clear)
        _report._said.clear()
        self.heard = []

    def measured(self, **options):
        """A loader and its agent."""
        made = sluice.wrap(loader(Plain(), **options))
        next(iter(made))
        return made, Agent(probe_of(made).segment.path)

    def assert_heard(self, *expected):
        self.assertEqual([(record["type"], record.get("id")) for record in self.heard], list(expected))

    def test_a_decision_has_the_keys_of_the_documents_and_the_names_of_knobs(self):
        made, agent = self.measured(num_workers=1)
        sluice.on_decision(self.heard.append)
        agent.write(decision(measured=8.25, fate=1))
        list(made)
        record, = self.heard
        self.assertAlmostEqual(record.pop("unix_seconds"), time.time(), delta=support.DEADLINE)
        self.assertEqual(record, {
            "type": "decision", "loader": probe_of(made).segment.program, "rank": None, "pid": os.getpid(), "id": 1,
            "author": "controller", "fate": "kept", "because": "the consumer waits",
            "changes": [{"knob": "fetch.workers", "from": 1, "to": 2}, {"knob": "fetch.capacity", "from": 2, "to": 3}],
            "before_items_per_second": 4.5, "predicted_items_per_second": 9.0, "measured_items_per_second": 8.25,
        })
        self.assertIn("made (Plain)", record["loader"])

    def test_a_verdict_has_the_keys_of_the_documents(self):
        made, agent = self.measured()
        sluice.on_verdict(self.heard.append)
        agent.write({"verdict": VERDICT})
        list(made)
        record, = self.heard
        self.assertAlmostEqual(record.pop("unix_seconds"), time.time(), delta=support.DEADLINE)
        self.assertEqual(record, {"type": "verdict", "loader": probe_of(made).segment.program, "rank": None,
                                  "pid": os.getpid(), **VERDICT})

    def test_the_documents_have_a_line_for_every_key_and_no_other(self):
        page = (support.ROOT / "docs" / "wrapping.md").read_text()
        section = page.partition("\n## Into your own logger\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| (`.*`) \| (both|decision|verdict) \|", section, re.MULTILINE)
        made, agent = self.measured()
        sluice.on_decision(self.heard.append)
        sluice.on_verdict(self.heard.append)
        agent.write(decision(), {"verdict": VERDICT})
        list(made)
        for record in self.heard:
            told = [key for keys, of in rows if of in ("both", record["type"]) for key in re.findall(r"`(\w+)`", keys)]
            self.assertEqual(list(record), told)

    def test_each_comes_once_and_in_order_to_whoever_wants_it(self):
        made, agent = self.measured()
        verdicts = []
        sluice.on_decision(self.heard.append)
        sluice.on_verdict(self.heard.append)
        sluice.on_verdict(verdicts.append)
        agent.write(decision(1), {"verdict": VERDICT}, decision(2))
        batches = iter(made)
        for number in (3, 4):
            next(batches)
            next(batches)
            agent.write(decision(number, fate=2))
        list(made)
        self.assert_heard(("decision", 1), ("verdict", None), ("decision", 2), ("decision", 3), ("decision", 4))
        self.assertEqual([record["fate"] for record in self.heard if "id" in record],
                         ["trial", "trial", "rolled_back", "rolled_back"])
        self.assertEqual(len(verdicts), 1)

    def test_they_come_before_the_next_batch_is_waited_for_on_the_thread_that_iterates(self):
        made, agent = self.measured(num_workers=2)

        def hear(record):
            self.heard.append((threading.current_thread(), os.getpid(), Reading(probe_of(made).segment.path).consumer["items"]))
            time.sleep(0.02)

        sluice.on_decision(hear)
        batches = iter(made)
        next(batches)
        agent.write(decision())
        before = Reading(probe_of(made).segment.path).consumer
        next(batches)
        after = Reading(probe_of(made).segment.path).consumer
        self.assertEqual(self.heard, [(threading.main_thread(), os.getpid(), before["items"])])
        self.assertGreaterEqual(after["busy"] - before["busy"], 20_000_000, "it is part of the loop's step")

    def test_a_decorator_leaves_the_function_as_it_is(self):
        @sluice.on_decision
        @sluice.on_verdict
        def hear(record):
            self.heard.append(record)

        self.assertEqual(hear.__name__, "hear")
        made, agent = self.measured()
        agent.write(decision(), {"verdict": VERDICT})
        list(made)
        self.assert_heard(("decision", 1), ("verdict", None))

    def test_nobody_looks_where_nobody_listens(self):
        made, agent = self.measured()
        agent.write(decision())
        with mock.patch.object(_segment.Records, "next", side_effect=AssertionError("somebody looks")):
            list(made)
            sluice.on_decision(self.heard.append)
            with self.assertRaisesRegex(AssertionError, "somebody looks"):
                list(made)

    def test_one_that_raises_harms_neither_the_loop_nor_the_others_and_is_told_once(self):
        def broken(record):
            raise ZeroDivisionError("not today")

        made, agent = self.measured(num_workers=1)
        sluice.on_decision(broken)
        sluice.on_decision(self.heard.append)
        agent.write(decision(1), decision(2))
        with support.said() as lines:
            batches = [len(batch) for batch in made]
        self.assertEqual(batches, [4] * 12)
        self.assert_heard(("decision", 1), ("decision", 2))
        line, = lines
        self.assertRegex(line, r"sluice: .*broken, called with a decision, raised ZeroDivisionError.*; training goes on\n"
                               r"Traceback (?s:.*)in broken\n.*\nZeroDivisionError: not today\n$")

    def test_what_ends_a_program_goes_on_its_way(self):
        made, agent = self.measured()
        raised = []

        def leaves(record):
            raise raised.pop()

        def alarm(number, frame):
            raise TimeoutError("of a signal")

        sluice.on_decision(leaves)
        for error in (KeyboardInterrupt, SystemExit):
            raised.append(error)
            agent.write(decision())
            with self.assertRaises(error):
                list(made)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, alarm))
        _callbacks.registered["decision"] = [lambda record: signal.raise_signal(signal.SIGALRM)]
        agent.write(decision())
        with self.assertRaisesRegex(TimeoutError, "of a signal"):
            list(made)
        self.assertEqual(len(list(made)), 12)

    def test_one_that_iterates_a_loader_hears_of_no_other_record_meanwhile(self):
        made, agent = self.measured()

        def validate(record):
            self.heard.append(record)
            self.assertEqual(len(list(made)), 12)
            self.heard.append({"type": "validated", "id": record["id"]})

        sluice.on_decision(validate)
        agent.write(decision(1), decision(2))
        list(made)
        self.assert_heard(("decision", 1), ("validated", 1), ("decision", 2), ("validated", 2))

    def test_threads_that_iterate_one_loader_hear_each_record_once_between_them(self):
        made, agent = self.measured()
        sluice.on_decision(self.heard.append)
        readers = [threading.Thread(target=lambda: [list(made) for _ in range(5)]) for _ in range(4)]
        for reader in readers:
            reader.start()
        for number in range(1, 201):
            agent.write(decision(number))
        for reader in readers:
            reader.join()
        list(made)
        self.assertEqual([record["id"] for record in self.heard], list(range(1, 201)))

    def test_one_that_changes_its_record_changes_nobody_elses(self):
        made, agent = self.measured()
        sluice.on_decision(dict.clear)
        sluice.on_decision(self.heard.append)
        agent.write(decision())
        list(made)
        self.assert_heard(("decision", 1))

    def test_what_is_no_record_is_left_out(self):
        made, agent = self.measured()
        sluice.on_decision(self.heard.append)
        agent.write(b"\xff{", {"weather": "fine"}, [], decision(1, fate=99), decision(2, changes=[[7, 7, 1, 2]]), decision(3))
        with support.said() as lines:
            list(made)
        self.assert_heard(("decision", 3))
        self.assertTrue(all("what was decided cannot be read" in line for line in lines), lines)

    def test_records_that_were_overwritten_are_left_out(self):
        made, agent = self.measured()
        sluice.on_decision(self.heard.append)
        agent.write(*(decision(number) for number in range(1, 2 * RING)))
        list(made)
        self.assertEqual([record["id"] for record in self.heard], list(range(RING, 2 * RING)))

    def test_each_loader_says_which_it_is(self):
        train, train_agent = self.measured()
        valid = sluice.wrap(loader(Plain(), num_workers=1))
        next(iter(valid))
        sluice.on_decision(self.heard.append)
        train_agent.write(decision(1))
        Agent(probe_of(valid).segment.path).write(decision(2))
        list(valid)
        self.assert_heard(("decision", 2))
        list(train)
        self.assert_heard(("decision", 2), ("decision", 1))
        self.assertEqual([record["loader"].partition(": ")[2] for record in self.heard], ["valid (Plain)", "made (Plain)"])

    def test_a_loader_that_is_made_anew_goes_on_where_it_was(self):
        made, agent = self.measured()
        sluice.on_decision(self.heard.append)
        agent.write(decision(1))
        list(made)
        del made
        made = sluice.wrap(DataLoader(Plain(), batch_size=4, shuffle=True))
        agent.write(decision(2))
        list(made)
        self.assert_heard(("decision", 1), ("decision", 2))

    def test_any_other_loop_has_them_too(self):
        sluice.on_verdict(self.heard.append)
        with sluice.measure(range(4), name="numbers") as measured:
            batches = iter(measured)
            next(batches)
            Agent(measured._meter._segment.path).write({"verdict": VERDICT})
            list(batches)
        self.assertEqual([record["loader"].partition(": ")[2] for record in self.heard], ["numbers"])

    def test_a_worker_hears_nothing(self):
        class Asks(Plain):
            def __getitem__(self, index):
                with sluice.measure(range(3)) as measured:
                    batches = iter(measured)
                    next(batches)
                    Agent(measured._meter._segment.path).write({"verdict": VERDICT})
                    list(batches)
                return float(len(heard))

        heard = []
        sluice.on_verdict(heard.append)
        self.assertEqual(sum(float(batch.sum()) for batch in loader(Asks(8), num_workers=2)), 0)

    def test_a_child_that_was_forked_in_mid_epoch_hears_nothing_of_its_parents_loader(self):
        made, agent = self.measured()
        sluice.on_decision(self.heard.append)
        batches = iter(made)
        next(batches)
        agent.write(decision())
        queue = multiprocessing.get_context("fork").SimpleQueue()
        child = multiprocessing.get_context("fork").Process(target=lambda: (list(batches), queue.put(len(self.heard))))
        child.start()
        self.assertEqual(queue.get(), 0)
        child.join()
        list(batches)
        self.assert_heard(("decision", 1))

    def test_what_cannot_be_called_is_refused_at_once(self):
        with self.assertRaisesRegex(TypeError, "sluice.on_verdict takes a function of one argument, not NoneType"):
            sluice.on_verdict(None)
        self.assertFalse(_callbacks.registered)

    def test_an_older_library_has_no_records(self):
        from sluice import _library

        library = mock.Mock()
        del library.sluice_next_record
        records = _segment.Records(_library.declare(library, library), None)
        self.assertIsNone(records.next())


class Scripts(unittest.TestCase):
    SCRIPT = """
import sluice
from torch.utils.data import DataLoader
sluice.on_decision(print)
sluice.on_verdict(print)
if __name__ == "__main__":
    print(sum(len(batch) for batch in DataLoader(list(range(20)), batch_size=4)))
"""

    def test_a_script_that_runs_bare_hears_nothing_and_runs(self):
        for inject, more in ((False, {"PYTHONPATH": str(support.ROOT / "python")}), (True, {}), (True, {"SLUICE_DISABLE": "1",
                             "PYTHONPATH": f"{support.INJECT}:{support.ROOT / 'python'}"})):
            with self.subTest(inject=inject, **more):
                done = run_python(self.SCRIPT, inject=inject, **more)
                self.assertEqual((done.stdout, done.returncode), ("20\n", 0), done.stderr)

    def test_an_injected_script_can_import_the_package_wherever_it_lies(self):
        done = run_python("import sluice, sys; print(sluice.__file__, [f for f in sys.path if 'inject' in f])")
        self.assertEqual(done.stdout, f"{support.ROOT / 'python' / 'sluice' / '__init__.py'} []\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
