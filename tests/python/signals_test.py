"""Signals whose handlers raise while our code runs: each is felt by the script, and nothing of the script is kept by it.

Whoever is kept by a cycle through a traceback lives until the garbage collector comes. For PyTorch's iterator that is a
fault: its finalizer then runs after those of its pipes, and closes file descriptors that are somebody else's by then.
"""
import gc
import signal
import unittest
import weakref

import support

import sluice
from sluice import _library, _report, _signals
from sluice._torch import selfcheck


class Stop(Exception):
    """A script's own."""


class Local:
    """What a script's frame holds."""


class Signals(unittest.TestCase):
    def setUp(self):
        gc.disable()
        self.addCleanup(gc.enable)
        self.came = []
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            self.addCleanup(signal.signal, number, signal.signal(number, self.stop))

    def stop(self, number, frame):
        self.came.append(number)
        raise Stop

    def assert_felt_and_free(self, run):
        """`run` is called by a frame that holds an object: the error arrives there, and the object goes with the frame."""
        kept = []

        def script():
            held = Local()
            kept.append(weakref.ref(held))
            run()

        felt = False
        try:  # assertRaises() would clear the frames
            script()
        except Stop:
            felt = True
        self.assertTrue(felt)
        self.assertIsNone(kept[0](), "only the garbage collector frees what the frame held")

    def test_one_that_came_while_deferred(self):
        def run():
            with _signals.Deferred():
                signal.raise_signal(signal.SIGUSR1)
                self.assertEqual(self.came, [])

        self.assert_felt_and_free(run)

    def test_one_that_fails_open_lets_pass(self):
        def run():
            try:
                with _signals.Deferred():
                    signal.raise_signal(signal.SIGUSR1)
            except Exception:
                _report.warn_of("a knob was not changed")

        self.assert_felt_and_free(run)

    def test_one_that_a_guarded_function_lets_pass(self):
        guarded = _report.fail_open("an error is not looked at")(lambda: signal.raise_signal(signal.SIGUSR1))
        self.assert_felt_and_free(guarded)

    def test_one_that_a_callback_lets_pass(self):
        def run():
            try:
                signal.raise_signal(signal.SIGUSR1)
            except Exception:
                _report.warn_of_script("a callback", about=0)

        self.assert_felt_and_free(run)

    def test_one_that_comes_while_a_length_is_asked_for(self):
        """A script's lengths may fail, and what they raise is no error of ours; a handler's is the script's."""

        class Sized(support.Plain):
            left = 0  # calls until a signal comes

            def __len__(self):
                type(self).left -= 1
                if self.left == 0:
                    signal.raise_signal(signal.SIGUSR1)
                return super().__len__()

        for call in range(1, 100):
            Sized.left = call
            felt, before = False, len(self.came)
            try:
                support.epoch(sluice.wrap(support.loader(Sized(8))))
            except Stop:
                felt = True
            if len(self.came) == before:  # there are no more calls
                self.assertGreater(call, 2)
                return
            self.assertTrue(felt, f"lost in call {call}")

    def test_one_that_comes_while_a_warning_is_written(self):
        stderr = support.mock.Mock(write=lambda _: signal.raise_signal(signal.SIGUSR1))
        with support.mock.patch("sys.stderr", stderr):
            self.assert_felt_and_free(lambda: _report.warn("a sentence of this test"))

    def test_one_whose_handler_raises_what_a_system_call_would(self):
        """A timeout is an OSError, as is a library that is missing or a process that cannot be had."""

        def late(number, frame):
            raise TimeoutError

        def strike(*_):
            signal.raise_signal(signal.SIGUSR1)

        signal.signal(signal.SIGUSR1, late)
        with support.mock.patch("ctypes.PyDLL", strike), self.assertRaises(TimeoutError):
            _library.load()
        with support.mock.patch.object(selfcheck.releases, "news", return_value=["all"]):
            trust = selfcheck.Trust(support.mock.Mock(), "99")
        with support.mock.patch.object(selfcheck, "_fork", strike), self.assertRaises(TimeoutError):
            trust.try_out("fork")
        child = selfcheck._Child(0, 1)
        with support.mock.patch.multiple(child, passed=strike, end=support.mock.DEFAULT) as patched:
            self.assertRaises(TimeoutError, child.wait)
        patched["end"].assert_called_once()  # it does not run on
        child = support.mock.Mock(passed=strike)
        with support.mock.patch.object(selfcheck, "_spawn", return_value=child):
            trust.try_out("spawn")
            with self.assertRaises(TimeoutError):
                trust.may_change()

    def test_one_that_comes_while_handlers_are_given_back(self):
        """The other one, deferred until then, is handled nevertheless, and each has its handler back."""
        give_back = _signals.Deferred._give_back

        def and_strike(deferred, number, handler):
            give_back(deferred, number, handler)
            if number == signal.SIGUSR1 and self.came == []:
                signal.raise_signal(number)

        def run():
            with _signals.Deferred():
                signal.raise_signal(signal.SIGUSR2)

        with support.mock.patch.object(_signals.Deferred, "_give_back", and_strike):
            self.assert_felt_and_free(run)
        self.assertEqual(sorted(self.came), [signal.SIGUSR1, signal.SIGUSR2])
        self.assertEqual([signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGUSR2)], [self.stop] * 2)


if __name__ == "__main__":
    unittest.main()
