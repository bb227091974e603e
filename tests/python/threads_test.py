"""Several threads on one loader, each with iterators of its own, while workers start: nobody waits for ever."""
import unittest

import support

SCRIPT = """
import faulthandler, sys, threading
faulthandler.dump_traceback_later({watchdog}, exit=True)
import torch
from torch.utils.data import DataLoader, Dataset
import sluice

class Rows(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        import numpy
        return torch.rand(1) + numpy.random.rand() + index

def run():
    try:
        for epoch in range({epochs}):
            assert sum(1 for _ in loader) == 6
    except BaseException as error:
        failed.append(error)
        raise

if __name__ == "__main__":
    loader = sluice.wrap(DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=1,
                                    multiprocessing_context=sys.argv[1]))
    failed = []
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(1 if failed else 0)
"""
LAZY = """
import sys
sys.path.insert(0, {package!r})
import torch.utils.data
before = "numpy.random" in sys.modules
from sluice._torch import repro
watch = repro.DrawWatch()
repro.restore(repro.save())
repro.reseed(1)
assert not watch._seen[2] or before
sys.exit(0 if ("numpy.random" in sys.modules) == before else 1)
"""
# As if a handler had raised between taking the lock of a queue and the `with` that gives it back.
LEFT_LOCKED = """
import faulthandler
faulthandler.dump_traceback_later({watchdog}, exit=True)
import torch
from torch.utils.data import DataLoader
import sluice

if __name__ == "__main__":
    it = iter(sluice.wrap(DataLoader(list(range(64)), num_workers=1)))
    next(it)
    it._index_queues[0]._notempty.acquire()
    del it
"""


class Threads(unittest.TestCase):
    def test_two_threads_on_one_loader_end(self):
        for method, epochs in (("fork", 10), ("spawn", 1), ("forkserver", 1)):
            with self.subTest(method=method):
                code = SCRIPT.format(watchdog=support.DEADLINE, epochs=epochs)
                done = support.run_python(code, script_arguments=[method])
                self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def test_a_lock_that_a_signal_has_left_keeps_nobody_from_ending(self):
        done = support.run_python(LEFT_LOCKED.format(watchdog=support.DEADLINE))
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def test_looking_for_draws_imports_no_part_of_numpy(self):
        """From numpy 2 on its parts are imported when they are asked for; with a lock that a fork would copy."""
        done = support.run_python(LAZY.format(package=str(support.ROOT / "python")), inject=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
