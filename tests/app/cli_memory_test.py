"""What `--memory` promises: the whole process stays below the budget and the constant that the documentation names."""
import re
from pathlib import Path

from cli import ROOT, CliTest, small_data, until

MIB = 1 << 20
WORKERS = 4

# Wants far more than any budget here: the consumer is slow, the connectors are long.
HUNGRY = """
name = "hungry"
epochs = 0
[source]
name = "read"
kind = "image_folder"
path = "{folder}"
shuffle = true
capacity = 500
[[op]]
name = "decode"
kind = "map"
workers = {workers}
capacity = 500
transforms = [{transforms}]
[[op]]
name = "batch"
kind = "batch"
size = 8
drop_remainder = true
capacity = 100
[consumer]
step = "500ms"
"""
FUSED = """
  "decode", {name = "random_resized_crop", size = 224}, "random_horizontal_flip",
  {name = "normalize", mean = [0.5, 0.5, 0.5], std = [0.2, 0.2, 0.2]}, "hwc_to_chw"
"""
IN_STEPS = '"decode", {name = "resize", size = [375, 375]}'


def documented(pattern):
    """The constant's MiB, from docs/command-line.md."""
    return int(re.search(pattern, (ROOT / "docs" / "command-line.md").read_text()).group(1)) * MIB


def peak_resident(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)  # not there any more once it has ended
    return int(found.group(1)) * 1024 if found else 0


CIFAR = """
name = "cifar"
epochs = 0
[source]
name = "read"
kind = "cifar10"
path = "{folder}"
shuffle = true
capacity = 500
[[op]]
name = "augment"
kind = "map"
workers = {workers}
capacity = 500
transforms = ["to_float", "hwc_to_chw"]
[[op]]
name = "batch"
kind = "batch"
size = 128
capacity = 200
[consumer]
step = "500ms"
"""


class Memory(CliTest):
    def check(self, text, budget):
        constant = documented(r"plus (\d+) MiB for") + WORKERS * documented(r"and (\d+) MiB per worker")
        peak, buffered = self.run_with(budget, text)
        self.assertGreater(buffered, 0.6 * budget, "the buffers never filled: this shows nothing")
        self.assertLess(peak, budget + constant, f"{(peak - budget) / MIB:.1f} MiB above the budget")

    def test_photographs_stay_below_the_budget_and_the_constant(self):
        folder = small_data("imagefolder", 60)
        for transforms in (FUSED, IN_STEPS):
            text = HUNGRY.format(folder=folder, workers=WORKERS, transforms=transforms)
            for budget in (48 * MIB, 192 * MIB):
                with self.subTest(transforms=transforms, budget=budget):
                    self.check(text, budget)

    def test_rows_that_are_kept_in_memory_count_as_well(self):
        self.check(CIFAR.format(folder=small_data("cifar10", 8000), workers=WORKERS), 128 * MIB)

    def run_with(self, budget, text):
        """Greatest resident size while it runs, greatest sum of buffers, in bytes."""
        run = self.start_run("--no-tune", "--memory", f"{budget // MIB}MiB", "--duration", "4s",
                             "--json", "result.json", text=text)
        peaks = [0]

        def ended():
            peaks.append(peak_resident(run.pid) or peaks[-1])
            return run.process.poll() is not None

        until(ended, "the end of the run")
        self.assertEqual(run.wait(), 0, run.errors())
        return peaks[-1], self.result()["process"]["buffered_peak_bytes"]
