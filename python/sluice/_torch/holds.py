"""Why a knob of a loader stays where it is: see "Why a knob is held" in docs/wrapping.md."""
from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING, Any

from .. import _segment
from .._report import fail_open, warn
from . import changes, draws, files, forks, guard, repro, sameness, sampling
from .looks import Looks
from .shape import goes_on, is_iterable, is_pipe, start_method

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.utils.data import DataLoader

    from .._settings import Settings
    from .counters import Counters
    from .looks import Looked
    from .requests import Requests
    from .selfcheck import Trust
    from .shape import LoaderShape

FILES = 3  # that are named
FEW_BATCHES = 4  # that show where their tensors are
COMPARISONS = 4  # of a worker's batches with the trainer's, where rows are in doubt
ENOUGH_BATCHES = 64  # fetched without a look at the worker's id


class Holds:
    """Of one loader. Called by the threads that iterate over it, usually one."""

    def __init__(
        self,
        counters: Counters,
        requests: Requests,
        loader: DataLoader,
        shape: LoaderShape,
        settings: Settings,
        trust: Trust,
    ) -> None:
        self._counters = counters
        self._requests = requests
        self._workers, self._capacity = counters.ids.workers, counters.ids.capacity
        self._level = settings.repro
        self._advise = settings.advise
        self._trust = trust
        self._known = trust.may_change()  # this PyTorch may be changed
        self._persistent = loader.persistent_workers
        self._asks_worker = shape.asks_worker
        self._told_of_start = self._told_of_change = self._told_of_loop = False
        self._tried = False  # whether a worker can be started
        self._looks = Looks()
        self._changes: changes.ChangeWatch | None = None
        self._ended: Looked | None = None  # at the end of the newest epoch of the trainer
        self._loop: sampling.LoopWatch | None = None
        self._batches_here = 0  # that were looked at
        self.rows = None if self._level == "free" else sameness.KnownRows()
        self._comparisons, self._doubts = COMPARISONS, 0
        self._files = shape.open_files  # until there is a remark on them
        self._positions = {file: files.position(file) for file in shape.open_files}
        self._draws = 0  # by fetches, before the loader that there is now
        self._remarked = False
        self.watches_sampler = not self._advise
        self._hold_from_the_start(loader)

    @property
    def may_change(self) -> bool:
        """Whether anything of PyTorch may be changed at all."""
        return self._known and not self._advise

    # ---- before fetches run ----

    def _hold_from_the_start(self, loader: DataLoader) -> None:
        if self._advise:
            self._hold_both(_segment.HELD_ADVISE)
        elif not self._known:
            self._hold_both(_segment.HELD_UNKNOWN)
        elif self._level != "free" and goes_on(loader):
            self._hold_both(_segment.HELD_ORDER)
        elif is_pipe(loader) or (is_iterable(loader) and self._level != "free"):
            self._hold_workers(_segment.HELD_ORDER)
        elif self._asks_worker and self._requests.start.workers == 0:
            self._hold_workers(_segment.HELD_WORKER_ID)
        elif self._watches_draws or self._asks_worker:
            self._hold_workers(_segment.HELD_WATCHING)

    def hear_of_trial(self, loader: DataLoader) -> None:
        """Before an iterator begins: whether this PyTorch may be changed may have been found out since."""
        if self._known or self._advise or not self._trust.may_change():
            return
        self._known = True
        self._requests.let_go(self._workers)
        self._requests.let_go(self._capacity)
        self._hold_from_the_start(loader)
        self.look_within(loader)

    def look_within(self, loader: DataLoader) -> None:
        """What fetches and sampler can draw from is looked for before they run; what they do is watched. Not in each
        epoch of a loader whose epochs are so short that this would be felt, while its settings are the script's."""
        self._changes = self._loop = None
        self._requests.arrived()
        if not (self._requests.turned or self._level == "strict" or self._looks.afford_one()):
            return
        began = monotonic_ns()
        self.look_at_start(loader)
        self._look_for_draws(loader)
        self._looks.took(monotonic_ns() - began)
        self.watch_changes(loader)
        self._watch_sampler(loader)

    def _look_for_draws(self, loader: DataLoader) -> None:
        if not self.may_change:
            return
        strict = self._level == "strict"
        if self._watches_draws and self._because in (_segment.NOT_HELD, _segment.HELD_WATCHING):
            source = draws.find((loader.dataset, loader.collate_fn, loader.worker_init_fn), global_too=strict)
            if source:
                self._hold_for_draws(source)
        if strict and self.watches_sampler:
            source = draws.find((loader.sampler, loader.batch_sampler), True, apart=loader.dataset)
            if source:
                self.sampler_draws(source)

    def look_at_start(self, loader: DataLoader) -> None:
        """Before an epoch: what the trainer has by now is shared by workers that are forked from it, or lost in them.
        Others run the script once more."""
        if self._told_of_start:
            return
        method = start_method(loader)
        if method != "fork" and self._in_trainer and guard.stands_outside():
            self._unfit(
                f"workers would be started by {method}, and each would run the script once more: put what it does "
                'behind if __name__ == "__main__"'
            )
            return
        found = forks.find((loader.dataset, loader.collate_fn), self._requests.start.workers, method == "fork")
        if found is not None:
            self._unfit(
                f"rows may use {found}, which workers would share or lack: let each worker make its own before "
                "you raise num_workers"
            )

    def try_worker(self, loader: DataLoader) -> None:
        """Once, before workers take the trainer's place: one that is not forked may not get as far as its data set."""
        if self._tried or start_method(loader) == "fork":
            return
        self._tried = True
        if not guard.can_start(loader):
            self._unfit(
                f"a worker that is started by {start_method(loader)} does not get as far as its data set: what that is "
                "made of must be found where the script is run once more"
            )

    def _unfit(self, sentence: str) -> None:
        self._told_of_start = True
        self._stay_here(_segment.HELD_UNFIT, sentence)

    def _stay_here(self, because: int, sentence: str) -> None:
        """The number of workers stays, and the report says what to do."""
        self._counters.note(_segment.NOTE + sentence)
        if self._because in (_segment.NOT_HELD, _segment.HELD_WATCHING):
            self._hold_workers(because)

    # ---- what rows of a loader without workers do ----

    @property
    def _in_trainer(self) -> bool:
        return self._requests.start.workers == 0

    def watch_changes(self, loader: DataLoader) -> None:
        """Of this epoch, where the script has no workers: in one a row sees the data set as it was when it was forked,
        and what it leaves there is lost."""
        if self._in_trainer and not self._told_of_change:
            roots = changes.roots_of(loader.dataset, loader.collate_fn)
            self._changes = changes.ChangeWatch(roots, Looks(self._looks))

    @fail_open("changes of a data set are not noticed")
    def fetches_here(self) -> None:
        """The trainer is about to fetch a batch by itself."""
        if self._changes is not None:
            self._hear_of_change(self._changes.fetch_begins())

    @fail_open("changes of a data set are not noticed")
    def fetched_here(self, batch: Any) -> None:
        """The trainer has fetched a batch by itself."""
        if self._changes is not None:
            self._hear_of_change(self._changes.fetched())
        if self._batches_here < FEW_BATCHES and not self._told_of_start:
            self._batches_here += 1
            device, reason = forks.device_of(batch), forks.why_not_sent(batch)
            if device is not None:
                self._unfit(f"batches are made on {device}, which workers cannot do")
            elif reason is not None:
                self._unfit(f"batches could not be sent by workers ({reason})")

    def rows_share_a_file(self, path: str | None = None) -> None:
        """That they write to again and again, so that several workers would read what another has just written."""
        if not self._told_of_start:
            name = f" ({path})" if path else ""
            self._unfit(
                f"rows write to one and the same file{name}, which several workers would do at a time: let each row "
                "make a file of its own (tempfile) before you raise num_workers"
            )

    def file_changes(self, path: str) -> None:
        """That several fetches of the trainer have read, between two of them."""
        if not self._told_of_change and self._level != "free":
            self._hear_of_change(f"the file {path}")

    @fail_open("a worker's rows are not compared")
    def in_doubt(self, batch: Any, roots: dict[str, Any], fetch: Callable[[], Any]) -> Any:
        """`batch` is a worker's. Where one has made a row that is not what the trainer made of it before, the trainer
        fetches the same one: returned where it differs, and not by itself; else None. Rows that are made of something
        else by now, as in each epoch anew, are in no doubt. `roots`: what they are made of, by name."""
        if self._comparisons == 0 or self._counters.other_rows == self._doubts:
            return None
        self._comparisons -= 1
        if self._ended is not None and changes.difference(self._ended, changes.View(roots).look()):
            self._comparisons = 0
            return None
        own = fetch()
        if not sameness.differ(batch, own) or sameness.differ(own, fetch()):
            return None
        self._unfit(
            "a worker makes other rows of the same indices than the training loop, if only by how sums are split among "
            "threads: if that does no harm, set num_workers in the script, or give --repro free"
        )
        self._requests.tell_start()
        return own

    def _hear_of_change(self, what: str | None) -> None:
        if what is None:
            return
        self._changes, self._told_of_change = None, True
        self._stay_here(
            _segment.HELD_CHANGES,
            f"{what} changes within an epoch: workers would not see in time what the loop changes, and what rows "
            "change would be lost with them; if that does no harm, set num_workers in the script",
        )

    def others_would_see(self, what: str) -> None:
        """`what` has changed since the workers were started: those that are added would see it as it is now."""
        self._stay_here(
            _segment.HELD_CHANGES,
            f"{what} has changed since the workers were started, which see it as it was: more workers would make other "
            "rows; if that does no harm, set num_workers in the script",
        )

    def loader_made_anew(self, other_data: bool) -> None:
        """What was found for the loader before holds for this one; what its fetches draw only for the same data set."""
        if self._advise:
            return
        self.watches_sampler = True
        if other_data and self.rows is not None:
            self.rows, self._ended = sameness.KnownRows(), None
            self._comparisons, self._doubts = COMPARISONS, self._counters.other_rows
        held = self._because != _segment.NOT_HELD or self._requests.because(self._capacity) != _segment.NOT_HELD
        if other_data and self._known and self._watches_draws and not held:
            self._draws = self._counters.drawn
            self._hold_workers(_segment.HELD_WATCHING)

    def start_not_to_be_had(self) -> None:
        """An iterator with other workers than the script's could not be made, as in a daemonic process."""
        self._requests.hold(self._workers, _segment.HELD_FAILED)

    def let_go(self) -> None:
        """Of the script's objects: where it has done with them they are to go."""
        self._changes = self._loop = None

    def looks_away(self) -> None:
        """Batches come that are not looked at: what has changed by the next look may be the rows' own doing."""
        if self._changes is not None:
            self._changes.looks_away()
        if self._loop is not None:
            self._loop.looks_away()

    # ---- what samplers go by ----

    @fail_open("a sampler is not watched")
    def _watch_sampler(self, loader: DataLoader) -> None:
        if self.may_change and self._level != "free" and not self._told_of_loop:
            self._loop = sampling.LoopWatch(loader, Looks(self._looks))

    @fail_open("a sampler is not watched")
    def loop_takes(self) -> None:
        """The training loop gets a batch."""
        if self._loop is not None:
            self._loop.takes()

    @fail_open("a sampler is not watched")
    def loop_asks(self) -> None:
        """It is back for the next one. What it has changed since decides what the sampler gives now."""
        what = None if self._loop is None else self._loop.asks()
        if what is None:
            return
        self._loop, self._told_of_loop = None, True
        self._hold_both(_segment.HELD_ORDER)
        self._counters.note(
            f"{_segment.NOTE}the training loop changes {what}, which the sampler goes by: batches that are drawn "
            "earlier would be others; --repro free accepts that"
        )

    # ---- what is seen while they run ----

    def sampler_draws(self, source: str = "a global random generator") -> None:
        """Its order depends on when it is asked, so nothing may be asked earlier or later."""
        self.watches_sampler = False
        if self._level == "free":
            return
        sentence = f"the sampler draws from {source} while it runs: {{}} stays"
        self._hold(self._workers, _segment.HELD_RANDOM_DRAWS, sentence.format("fetch.workers"))
        self._hold(self._capacity, _segment.HELD_RANDOM_DRAWS, sentence.format("fetch.capacity"))

    def new_watch(self) -> repro.DrawWatch | None:
        """For the fetches of the trainer itself, while it matters whether they draw."""
        return repro.DrawWatch() if self._because == _segment.HELD_WATCHING else None

    def epoch_ended(self) -> None:
        """The first epoch shows whether fetches draw random numbers, where that matters."""
        if self._changes is not None:
            watch = self._changes
            self._hear_of_change(watch.changed())
            self._ended = watch.looked
            self._changes = None
        self.look_at_workers()
        if self._because == _segment.HELD_WATCHING:
            if self._watches_draws and self._fetches_draw:
                self._hold_for_draws()
            else:
                self._requests.let_go(self._workers)
                if self._requests.because(self._capacity) == _segment.HELD_WATCHING:
                    self._requests.let_go(self._capacity)
        elif self._level == "strict" and self._because == _segment.NOT_HELD and self._fetches_draw:
            self._hold_for_draws()
        self._remark_on_draws()

    def look_at_workers(self) -> None:
        """Rows that depend on their worker keep the workers that the script has: a table may have a place for each
        and no more. Where nobody has asked for long enough, changes may come."""
        self._remark_on_files()
        if self._counters.one_file > 0:
            self.rows_share_a_file()
        if self._counters.changing > 0 and not self._told_of_change:
            self._told_of_change = True
            self._stay_here(
                _segment.HELD_CHANGES,
                "rows change what they are made of, so that they depend on what their worker has fetched before: its "
                "part must stay the same at --repro strict",
            )
        if not self._asks_worker or self._advise:
            return
        if self._counters.worker_asked > 0:
            if self._because in (_segment.NOT_HELD, _segment.HELD_WATCHING):
                sentence = "rows depend on the worker (get_worker_info): fetch.workers stays at {}"
                self._hold(self._workers, _segment.HELD_WORKER_ID, sentence.format(self._requests.start.workers))
        elif (
            self._because == _segment.HELD_WATCHING
            and not self._watches_draws
            and self._counters.fetched >= ENOUGH_BATCHES
        ):
            self._requests.let_go(self._workers)

    def worker_failed(self) -> None:
        """A worker raised an error. Where settings were changed they may be why: they go back, and stay there."""
        if not self._requests.changed or self._advise:
            return
        warn("an error came after settings were changed, try --advise", about="an error after a change")
        self._go_back("an error came after settings were changed: they go back")

    def workers_lost(self, what: str) -> None:
        """Some that the script has not asked for have died, or answer nothing: `what`."""
        warn(f"{what}: the training loop fetches by itself", about="lost workers")
        self._go_back(
            f"{_segment.NOTE}{what}, and the training loop fetched the rest of the epoch by itself: settings go back"
        )

    def _go_back(self, sentence: str) -> None:
        self._hold_both(_segment.HELD_FAILED)
        self._counters.note(sentence)
        self._requests.tell_start()

    # ---- random draws of fetches ----

    @property
    def _watches_draws(self) -> bool:
        """Whether it matters that fetches draw."""
        return self._level == "strict" or (self._requests.start.workers == 0 and self._level != "free")

    @property
    def _fetches_draw(self) -> bool:
        return self._counters.drawn > self._draws

    def _hold_for_draws(self, source: str | None = None) -> None:
        what = f"fetches may draw random numbers ({source})" if source else "fetches draw random numbers"
        sentence = f"{what}: fetch.workers stays at {self._requests.start.workers}"
        self._hold_workers(_segment.HELD_RANDOM_DRAWS, sentence)

    def _remark_on_draws(self) -> None:
        if self._watches_draws or self._remarked or not self._fetches_draw:
            return
        self._remarked = True
        remark = "random draws in workers are not the bare run's: --repro strict keeps those"
        self._counters.note(_segment.NOTE + remark)

    def _remark_on_files(self) -> None:
        """Added workers have positions of their own (files.py), those that a script asks for have not."""
        if not self._files or self._counters.moved == 0:
            return
        moved = [name for file, name in self._files.items() if files.position(file) != self._positions[file]]
        names = f" ({', '.join(moved[:FILES])})" if moved else ""
        self._files = {}
        self._counters.note(
            f"{_segment.NOTE}rows are read through a file that is open before workers start{names}. Workers that "
            "Sluice adds open it again; before you raise num_workers in the script, let each worker open it by itself"
        )

    # ---- holding ----

    @property
    def _because(self) -> int:
        """Why the number of workers is held, or NOT_HELD."""
        return self._requests.because(self._workers)

    def _hold_both(self, because: int) -> None:
        self._requests.hold(self._workers, because)
        self._requests.hold(self._capacity, because)

    def _hold_workers(self, because: int, sentence: str = "") -> None:
        """And the capacity where there are none, as nothing fetches ahead, or where workers live on after an epoch
        that is left early: how far they have drawn by then depends on it."""
        self._hold(self._workers, because, sentence)
        if self._requests.start.workers == 0 or (self._level == "strict" and self._persistent):
            self._requests.hold(self._capacity, because)

    def _hold(self, knob: int, because: int, sentence: str) -> None:
        if self._requests.hold(knob, because) and sentence:
            self._counters.note(sentence)
