"""The adapter to feeder, as a package `sluice/_feeder` would have it. See sluice/_adapter.py for what it promises."""

WHAT = "Feeders"


def install(module):
    from sluice._measure import MeasuredIterator, make_meter

    original = module.Feeder.__iter__
    if hasattr(original, "_sluice_original"):
        return

    def patched(self):
        meter = make_meter("feeder")  # None: not measured, and why was said
        batches = original(self)
        return batches if meter is None else MeasuredIterator(batches, meter)

    patched._sluice_original = original
    module.Feeder.__iter__ = patched


def first_calls(module):
    return ((module.Feeder, "__iter__"),)
