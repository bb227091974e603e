"""First on PYTHONPATH of a wrapped run: makes `sluice` importable, installs its import hook, and then runs the
sitecustomize that would have run without us. Python runs it in every process it starts, so it must be cheap.
"""
import importlib.machinery
import importlib.util
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(_FOLDER)


class _PackageFinder:
    """Finds the package `sluice` where nobody else does; sys.path stays as the user knows it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "sluice":
            return None
        return importlib.util.spec_from_file_location(
            name, os.path.join(_PACKAGE, "__init__.py"), submodule_search_locations=[_PACKAGE]
        )


def _is_here(folder):
    return os.path.abspath(folder or ".") == _FOLDER


def _inject():
    if os.environ.get("SLUICE_DISABLE", "").strip().lower() not in ("", "0", "no", "off", "false"):
        return
    try:
        sys.meta_path.append(_PackageFinder)
        from sluice import _hook

        _hook.install()
    except Exception as error:
        sys.stderr.write(f"sluice: not injected: {type(error).__name__}: {error}; training goes on\n")


def _chain():
    """Runs the next sitecustomize on the path, as Python would have: without us."""
    sys.path[:] = [folder for folder in sys.path if not _is_here(folder)]
    sys.path_importer_cache.pop(_FOLDER, None)
    sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise


_inject()
_chain()
