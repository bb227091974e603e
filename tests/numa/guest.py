"""Runs the tests of this folder whose files match PATTERN inside the virtual machine: guest.py PATTERN PROGRAM [TEST...]

The last line of standard output is the account that tests/numa/run reads.
"""
import json
import os
import sys
import unittest
from pathlib import Path


class Account(unittest.TextTestResult):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.passed = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed.append(test.id())


def all_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from all_of(test)
        else:
            yield test


def main():
    pattern, os.environ["SLUICE"], *names = sys.argv[1:]
    found = unittest.defaultTestLoader.discover(Path(__file__).parent, pattern)
    wanted = [test for test in all_of(found) if not names or any(name in test.id() for name in names)]
    result = unittest.TextTestRunner(resultclass=Account).run(unittest.TestSuite(wanted))
    failed = [test.id() for test, _ in result.failures + result.errors]
    print(json.dumps({"passed": result.passed, "failed": failed}))


if __name__ == "__main__":
    main()
