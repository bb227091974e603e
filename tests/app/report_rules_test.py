"""That the rules find what reports have got wrong, and that no report in the documents breaks one."""
import re
import unittest
from pathlib import Path

import report_rules

ROOT = Path(__file__).resolve().parents[2]

RIGHT = """epoch 3: loss 1.115
sluice: python3 train.py: exit status 0 after 21.9s
  CPU          30.6s user, 5.84s system: 1.67 of 2 cores
  runnable     24% of the time that threads wanted a core they waited for one
  main thread  43% on-CPU, 17% runnable, 40% off-CPU (python3, pid 12425)
  memory       peak RSS 671 MiB, peak PSS 296 MiB; 9 processes seen, at most 3 at once
  files        read 355 MiB, written 122 KiB; from storage 3.8 MiB, to it 208 KiB
  faults       83 major; switches: 7425 voluntary, 6414 involuntary
  train.py: loader (Photos), 20 batches per epoch
    epoch 1: 4.10s, last of 4: 2.10s; saved 5.20s of 15.1s
    7.49 -> 13.9 batches/s, waiting 57% -> 37% of the time
    fetch.workers 1 -> 2, fetch.capacity 2 -> 3
    37% waiting, 2 workers busy 96%: fetching is the limit; Decode takes 97% of the fetch time (4.10ms per row); more workers help
    to write it into the script: DataLoader(num_workers=2, prefetch_factor=2)
  slowest: rank 1, which waits for data 37% of its time (rank 0 only 12%)
"""

FLOW = "7.49 -> 13.9 batches/s, waiting 57% -> 37% of the time"
VERDICT = "37% waiting, 2 workers busy 96%: fetching is the limit"
SCRIPT = "to write it into the script: DataLoader(num_workers=2, prefetch_factor=2)"
KNOBS = "fetch.workers 1 -> 2, fetch.capacity 2 -> 3"

# What is said when, in the text above, these words stand for those, and it cannot be true any more.
WRONG = [
    ("busy 96%", "busy 196%", "a share above 1"),
    ("1.67 of 2", "9.84 of 2", "more cores in use"),
    ("5.84s system", "-5.84s system", "no figure"),
    ("43% on-CPU", "93% on-CPU", "not the whole"),
    ("peak PSS 296 MiB", "peak PSS 1.20 GiB", "more than the pages"),
    ("at most 3", "at most 12", "more at once than ever"),
    ("only 12%", "only 62%", "slowest rank"),
    ("7.49 -> 13.9", "7.49 -> 6.97", "a rate that fell"),
    (FLOW, "13.9 batches/s, waiting 57% -> 37% of the time; the changes brought no gain (7.49 batches/s before)",
     "a gain is told as none"),
    (FLOW, "13.9 batches/s, waiting 37% of the time; the changes brought no gain (14.1 batches/s before)", "advice, and no gain"),
    (f"{FLOW}\n    {KNOBS}", "13.9 batches/s, waiting 37% of the time; the changes brought no gain (14.1 batches/s before)\n"
     "    fetch.workers 2, fetch.capacity 3", "nothing has changed"),
    (FLOW, FLOW + "; other work took cores meanwhile, so its rates do not compare", "advice, and no gain"),
    (FLOW, "12 batches, too few to measure a rate", "advice without a rate"),
    (FLOW, "12 batches, too few to measure a rate", "waits that were not measured"),
    ("57% -> 37%", "57% -> 28%", "in another line"),
    (VERDICT, "37% waiting: the training loop is the limit", "does not follow from the waits"),
    ("37% waiting, 2 workers", "37% waiting, 24 workers", "another setting"),
    ("saved 5.20s", "saved 25.2s", "saved all of it"),
    (KNOBS, "fetch.workers 2, fetch.capacity 3", "saved without a change"),
    (KNOBS, "fetch.workers 2, fetch.capacity 3", "what the script has"),
    ("1 -> 2, fetch", "1 -> 2 (held: random draws), fetch", "the knob is held"),
    ("prefetch_factor=2)", "prefetch_factor=148)", "than an epoch has"),
    (SCRIPT, "advice: DataLoader(num_workers=2, prefetch_factor=2), predicted 17.1 batches/s", "advised and changed"),
    (SCRIPT, "advice: DataLoader(num_workers=2, prefetch_factor=2), predicted 12.9 batches/s", "predicted is less"),
]


class Rules(unittest.TestCase):
    def test_what_is_right_passes(self):
        self.assertEqual(report_rules.faults_of(RIGHT), [])
        self.assertEqual(report_rules.faults_of("no report\n"), [])
        idle = RIGHT.replace("43% on-CPU, 17% runnable, 40% off-CPU", "0.7% on-CPU, 1% runnable, 98% off-CPU")
        self.assertEqual(report_rules.faults_of(idle), [])

    def test_what_reports_have_got_wrong_is_found(self):
        for right, wrong, fault in WRONG:
            with self.subTest(fault):
                self.assertEqual(RIGHT.count(right), 1)
                self.assertIn(fault, "\n".join(report_rules.faults_of(RIGHT.replace(right, wrong))))

    def test_each_report_is_looked_at(self):
        self.assertNotEqual(report_rules.faults_of(RIGHT.replace("only 12%", "only 62%") + RIGHT), [])

    def test_the_documents_show_reports_that_can_be_true(self):
        seen = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for block in re.findall(r"(?ms)^```text\n(.*?)^```", page.read_text()):
                seen += len(report_rules.START.findall(block))
                self.assertEqual(report_rules.faults_of(block), [], page.name)
        self.assertGreaterEqual(seen, 3)


if __name__ == "__main__":
    unittest.main()
