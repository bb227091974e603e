class SideFailed(Exception):
    """One side of a comparison could not be measured; the text names it and the remedy."""


class TooShort(SideFailed):
    """Too little was taken for a rate: the run was too short or the machine too busy."""
