"""How much longer than asked for a sleep takes here: what real threads pay at every wake-up and simulated ones
do not."""

import threading
import time
from statistics import mean

ASKED_SECONDS = 0.01


class Oversleep:
    """Sleeps on a thread of its own inside a `with`; each use adds the mean excess, in seconds, to `excess`."""

    def __init__(self):
        self.excess = []
        self._over = threading.Event()
        self._thread = None

    def __enter__(self):
        self._over.clear()
        self._thread = threading.Thread(target=self._sleep, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _sleep(self):
        seen = []
        while not seen or not self._over.is_set():
            start = time.monotonic()
            time.sleep(ASKED_SECONDS)
            seen.append(time.monotonic() - start - ASKED_SECONDS)
        self.excess.append(mean(seen))
