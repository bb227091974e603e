"""Injection by the environment: which processes it reaches, what it leaves alone, what happens when it breaks."""
import ast
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import interpreters
import support
from support import run_python

STATE = """
import sys
def state():
    import torch.utils.data.dataloader as module
    return hasattr(module.DataLoader._get_iterator, "_sluice_original")
"""

CHILDREN = STATE + """
import multiprocessing, subprocess
def tell(queue):
    queue.put(state())
def main():
    print("main", state())
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        child = context.Process(target=tell, args=(queue,))
        child.start()
        print(method, queue.get(timeout=300))
        child.join()
    code = "import torch.utils.data as d; print('command', hasattr(d.DataLoader._get_iterator, '_sluice_original'))"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip())
if __name__ == "__main__":
    main()
"""

# What a spawned process has loaded of the package: at its start, and when it iterates a loader of its own. A trainer class of
# the script's may have wrapped the methods by then.
SPAWNED = """
import multiprocessing, sys
from torch.utils.data import DataLoader, dataloader, get_worker_info

def loaded():
    return sorted(name.partition("sluice.")[2] for name in sys.modules if name.startswith("sluice._torch."))

class Rows:
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return ",".join(loaded())

def rank(queue, way):
    before = ",".join(loaded())
    if way == "covers":
        theirs = DataLoader._get_iterator
        DataLoader._get_iterator = lambda self: theirs(self)
    loader, counts = DataLoader(range(8), num_workers=1), []
    if way == "wraps":
        import sluice
        sluice.wrap(loader)
    for epoch in range(2):
        iterator = iter(loader)
        counts.append((sum(map(len, iterator)), "_sluice" in vars(iterator)))
    queue.put((before, counts))

if __name__ == "__main__":
    context = multiprocessing.get_context("METHOD")
    for way in ("leaves it", "covers", "wraps"):
        queue = context.Queue()
        child = context.Process(target=rank, args=(queue, way))
        child.start()
        print(*queue.get(timeout=300))
        child.join()
    loader = DataLoader(Rows(), num_workers=1, multiprocessing_context="METHOD", collate_fn=list)
    in_worker = next(iter(loader))[0].split(",")
    print(*(name for name in ("worker", "patches", "changes", "draws") if "_torch." + name in in_worker))
"""

TRAIN = """
import hashlib, sys, torch
from torch.utils.data import DataLoader, TensorDataset
def main():
    torch.manual_seed(5)
    loader = DataLoader(TensorDataset(torch.arange(64.)), batch_size=4, shuffle=True, num_workers=2%s)
    digest = hashlib.sha256()
    for epoch in range(2):
        for (batch,) in loader:
            digest.update(batch.numpy().tobytes())
    patched = hasattr(DataLoader._get_iterator, "_sluice_original")
    print(digest.hexdigest(), patched)
if __name__ == "__main__":
    main()
"""

# No file may become as large as a segment, as in a full /dev/shm.
NO_ROOM = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
import torch
from torch.utils.data import DataLoader, TensorDataset
loaders = [DataLoader(TensorDataset(torch.arange(float(rows))), batch_size=4) for rows in (64, 32)]
print(*(sum(1 for _ in loader) for loader in loaders))
"""


# The start method is the script's to choose until something has been started.
CHOOSES_LATE = """
import multiprocessing
import torch
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=4)
print(sum(1 for _ in loader), multiprocessing.get_start_method(allow_none=True))
multiprocessing.set_start_method("spawn")
print(sum(1 for _ in loader), multiprocessing.get_start_method())
"""

# What a script does to its environment before it starts workers.
SETS_PATH = """
import os
from torch.utils.data import DataLoader
class Rows:
    def __len__(self):
        return 8
    def __getitem__(self, index):
        return index
if __name__ == "__main__":
    %s
    loader = DataLoader(Rows(), batch_size=4, num_workers=1, multiprocessing_context="%s")
    print([batch.tolist() for batch in loader], hasattr(iter(loader), "_sluice"))
"""

# An iterator of a script without functions lives as long as the interpreter does.
LIVES_TO_THE_END = """
import multiprocessing, torch
from torch.utils.data import DataLoader, TensorDataset
rows, options = TensorDataset(torch.arange(64.0)), dict(num_workers=1, multiprocessing_context="fork")
kept = DataLoader(rows, 8, persistent_workers=True, **options)
print(sum(1 for _ in kept))
half = iter(DataLoader(rows, 4, **options))
next(half)
"""


def train(more="", **options):
    done = run_python(TRAIN % more, **options)
    return done.stdout.split(), done.stderr, done.returncode


class Reach(unittest.TestCase):
    def test_fork_spawn_forkserver_and_commands_are_all_reached(self):
        done = run_python(CHILDREN)
        self.assertEqual(
            done.stdout.split(),
            "main True fork True spawn True forkserver True command True".split(),
            done.stderr,
        )
        self.assertEqual(done.stderr, "")

    def test_a_spawned_process_loads_what_it_needs_when_it_needs_it(self):
        for method in ("spawn", "forkserver"):
            with self.subTest(method=method):
                done = run_python(SPAWNED.replace("METHOD", method))
                self.assertEqual(
                    done.stdout.splitlines(),
                    [
                        "_torch.adapter [(8, True), (8, True)]",
                        "_torch.adapter [(8, False), (8, True)]",
                        "_torch.adapter [(8, True), (8, True)]",
                        "worker",
                    ],
                    done.stderr,
                )
                self.assertEqual(done.stderr, "")

    def test_workers_by_spawn_and_forkserver_give_the_same_batches(self):
        bare, _, _ = train(inject=False)
        for method in ("spawn", "forkserver"):
            (digest, patched), errors, code = train(f", multiprocessing_context='{method}'")
            self.assertEqual((digest, patched, errors, code), (bare[0], "True", "", 0))

    def test_workers_are_started_where_the_script_has_set_the_path_anew(self):
        for change in ("os.environ.clear()", "os.environ['PYTHONPATH'] = '/nowhere'"):
            for method in ("spawn", "forkserver"):
                done = run_python(SETS_PATH % (change, method))
                self.assertEqual((done.stdout, done.stderr), ("[[0, 1, 2, 3], [4, 5, 6, 7]] True\n", ""))

    def test_an_iterator_that_lives_as_long_as_the_interpreter_ends_quietly(self):
        done = run_python(LIVES_TO_THE_END)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("8\n", "", 0))

    def test_a_loader_without_workers_leaves_the_start_method_to_the_script(self):
        done = run_python(CHOOSES_LATE)
        self.assertEqual((done.stdout.split(), done.stderr), (["2", "None", "2", "spawn"], ""))

    def test_disabled_means_untouched(self):
        self.assertEqual(train(SLUICE_DISABLE="1")[0][1], "False")

    def test_isolated_pythons_are_not_reached_and_do_not_mind(self):
        for option in ("-I", "-S", "-E"):
            done = run_python("import sys; print('sluice' in sys.modules)", arguments=(option,))
            self.assertEqual((done.stdout.strip(), done.stderr), ("False", ""))

    def test_a_python_without_torch_imports_next_to_nothing(self):
        code = "import sys; print(sorted(m for m in sys.modules if m.startswith(('sluice', 'torch', 'ctypes'))))"
        self.assertEqual(run_python(code).stdout.strip(), "['sluice', 'sluice._hook']")

    def test_the_adapter_asks_for_nothing_that_pytorch_has_not_yet_while_it_is_imported(self):
        """Where it is imported by that of PyTorch: with 2.6 torch.nn comes later, with 1.13 before."""
        asked = set()
        for path in (support.INJECT.parent / "_torch").glob("*.py"):
            for step in at_import(ast.parse(path.read_text())):
                if isinstance(step, ast.Attribute) and isinstance(step.value, ast.Name) and step.value.id == "torch":
                    asked.add(step.attr)
        self.assertLessEqual(asked, {"Size", "Tensor"})


def at_import(step):
    """What runs when a module is imported: no bodies of functions, and no annotations."""
    if isinstance(step, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        arguments = step.args
        inner = [*arguments.defaults, *filter(None, arguments.kw_defaults), *getattr(step, "decorator_list", ())]
    elif isinstance(step, ast.AnnAssign):
        inner = [step.value] if step.value is not None else []
    else:
        inner = ast.iter_child_nodes(step)
    yield step
    for part in inner:
        yield from at_import(part)


class Manners(unittest.TestCase):
    def test_the_users_own_sitecustomize_still_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "sitecustomize.py").write_text("import builtins; builtins.USERS = __file__\n")
            done = run_python(
                "import sys; print(USERS, sys.modules['sitecustomize'].__file__)",
                PYTHONPATH=f"{support.INJECT}{os.pathsep}{folder}",
            )
            self.assertEqual(done.stdout.split(), [folder + "/sitecustomize.py"] * 2, done.stderr)

    def test_the_path_and_the_modules_loader_are_as_without_us(self):
        code = """
import sys, torch.utils.data.dataloader as module
print([p for p in sys.path if "inject" in p], type(module.__loader__).__name__, type(module.__spec__.loader).__name__)
print([type(f).__name__ for f in sys.meta_path if type(f).__module__.startswith("sluice")])
"""
        self.assertEqual(
            run_python(code).stdout.split("\n")[:2], ["[] SourceFileLoader SourceFileLoader", "[]"]
        )

    def test_a_package_called_sluice_of_the_users_is_the_one_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "sluice.py").write_text("MINE = 1\n")
            done = run_python("import sluice; print(sluice.MINE)", PYTHONPATH=f"{support.INJECT}:{folder}")
            self.assertEqual(done.stdout.strip(), "1", done.stderr)


class Interpreters(unittest.TestCase):
    """Those of pyenv, uv, conda and container images have no sitecustomize of their own, Debian's has one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_in(self, python, code, *path, inject=True):
        folders = [str(support.INJECT)] * inject + [str(folder) for folder in path]
        environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        if folders:
            environment["PYTHONPATH"] = os.pathsep.join(folders)
        return subprocess.run([str(python), "-W", "ignore", "-c", code], env=environment, capture_output=True,
                              text=True, timeout=support.DEADLINE, check=False)

    def expect_as_bare(self, python, *path):
        """Injected, and otherwise the same: also what importing sitecustomize by hand gives."""
        code = """
import sys
try:
    import sitecustomize
    print(sitecustomize.__file__)
except ImportError as error:
    print(error.name)
print([folder for folder in sys.path if "inject" in folder], file=sys.stderr)
"""
        bare, wrapped = (self.run_in(python, code, *path, inject=inject) for inject in (False, True))
        self.assertEqual((wrapped.stdout, wrapped.stderr, wrapped.returncode), (bare.stdout, "[]\n", 0))
        injected = self.run_in(python, "import sys; print('sluice._hook' in sys.modules)", *path)
        self.assertEqual((injected.stdout, injected.stderr), ("True\n", ""))

    def test_debians_own(self):
        self.expect_as_bare(sys.executable)

    def test_a_virtual_environment(self):
        self.expect_as_bare(interpreters.virtual_environment(self.folder))

    def test_an_installation_without_a_sitecustomize(self):
        self.expect_as_bare(interpreters.installation(self.folder))

    def test_a_virtual_environment_of_an_installation_without_a_sitecustomize(self):
        base = interpreters.installation(self.folder / "base")
        self.expect_as_bare(interpreters.virtual_environment(self.folder / "venv", base))

    def test_a_sitecustomize_that_raises_is_reported_as_bare(self):
        python = interpreters.installation(self.folder)
        for number, text in enumerate(("raise ValueError('mine')\n", "import no_such_module\n")):
            users = self.folder / f"users{number}"
            users.mkdir()
            (users / "sitecustomize.py").write_text(text)
            bare = self.run_in(python, "pass", users, inject=False)
            wrapped = self.run_in(python, "pass", users)
            self.assertNotEqual(bare.stderr, "")
            self.assertEqual((wrapped.stderr, wrapped.returncode), (bare.stderr, bare.returncode))

    def test_every_process_of_a_spawned_loader_stays_quiet(self):
        python = interpreters.installation(self.folder)
        code = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', 'pass']).returncode)"
        done = self.run_in(python, code)
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_pythons_too_old_for_us_are_left_alone(self):
        """No old one can be had here: the file must parse on them, and an old version number must switch it off."""
        text = (support.INJECT / "sitecustomize.py").read_text()
        tree = ast.parse(text)
        too_new = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.AsyncFunctionDef, ast.Starred)
        self.assertEqual([type(node).__name__ for node in ast.walk(tree) if isinstance(node, too_new)], [])
        old = self.folder / "old"
        old.mkdir()
        (old / "sitecustomize.py").write_text("import builtins; builtins.USERS = True\n")
        for version in ((2, 7, 18), (3, 5, 3), (3, 8, 20)):
            code = f"import sys; sys.version_info = {version}; sys.path[:0] = [{str(support.INJECT)!r}, {str(old)!r}]\n"
            code += f"exec(compile({text!r}, {str(support.INJECT / 'sitecustomize.py')!r}, 'exec'), "
            code += f"{{'__name__': 'sitecustomize', '__file__': {str(support.INJECT / 'sitecustomize.py')!r}}})\n"
            code += "print(USERS, 'sluice' in sys.modules, [f for f in sys.path if 'inject' in f])"
            done = run_python(code, inject=False, arguments=("-S",))
            self.assertEqual((done.stdout, done.stderr), ("True False []\n", ""), version)

    def test_what_the_doctor_asks_can_be_asked_of_pythons_too_old_for_us(self):
        """From 3.6 on, so that it can say which one it was: annotations are text there."""
        tree = ast.parse((support.INJECT.parent / "_doctor.py").read_text(), feature_version=(3, 6))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        hints = [function.returns for function in functions] + [one.annotation for f in functions for one in f.args.args]
        self.assertEqual([ast.dump(hint) for hint in hints if not isinstance(hint, ast.Constant | ast.Name)], [])
        self.assertFalse([node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"])


class FailOpen(unittest.TestCase):
    def expect_one_warning(self, pattern, more="", **environment):
        bare, _, _ = train(more, inject=False)
        (digest, _), errors, code = train(more, **environment)
        self.assertEqual((digest, code), (bare[0], 0))
        self.assertRegex(errors, pattern)
        self.assertEqual(len(errors.splitlines()), 1, errors)

    def test_a_missing_library_is_one_line(self):
        self.expect_one_warning("sluice: .*no-such.so.*training goes on", SLUICE_LIBRARY="/no-such.so")

    def test_a_library_of_another_kind_is_one_line(self):
        self.expect_one_warning("sluice: .*training goes on", SLUICE_LIBRARY="libm.so.6")

    def test_a_folder_that_cannot_be_had_is_one_line(self):
        self.expect_one_warning(
            "other processes cannot watch this run.*training goes on", SLUICE_SEGMENT_FOLDER="/proc/none"
        )

    def test_no_room_for_segments_is_one_line_for_all_loaders(self):
        done = run_python(NO_ROOM)
        self.assertEqual((done.stdout, done.returncode), ("16 8\n", 0), done.stderr)
        self.assertRegex(done.stderr, "cannot reserve .*training goes on")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_wrong_level_is_one_line(self):
        self.expect_one_warning("SLUICE_REPRO=ordered is none of", SLUICE_REPRO="ordered")


if __name__ == "__main__":
    unittest.main()
