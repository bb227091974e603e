"""A miniature framework, for adapter_test.py: a loader that doubles numbers."""


class Feeder:
    def __init__(self, rows, broken=False):
        self.rows = rows
        self.broken = broken

    def __iter__(self):
        for row in self.rows:
            if self.broken:
                raise ValueError("the feeder's own")
            yield 2 * row
