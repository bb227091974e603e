"""First on PYTHONPATH of a wrapped run: makes `sluice` importable, installs its import hook, and then runs the
sitecustomize that would have run without us. Python runs it in every process it starts, so it must be cheap, and
in whatever Python that is: what is older than OLDEST only has to read this file.
"""
import os
import sys

OLDEST = (3, 9)

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(_FOLDER)


class _PackageFinder(object):
    """Finds the package `sluice` where nobody else does; sys.path stays as the user knows it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "sluice":
            return None
        import importlib.util

        return importlib.util.spec_from_file_location(
            name, os.path.join(_PACKAGE, "__init__.py"), submodule_search_locations=[_PACKAGE]
        )


def _is_here(folder):
    return os.path.abspath(folder or ".") == _FOLDER


def _inject():
    disabled = os.environ.get("SLUICE_DISABLE", "").strip().lower() not in ("", "0", "no", "off", "false")
    if disabled or tuple(sys.version_info[:2]) < OLDEST:
        return
    try:
        sys.meta_path.append(_PackageFinder)
        from sluice import _hook

        _hook.install(_FOLDER)
    except Exception as error:
        sys.stderr.write("sluice: not injected: %s: %s; training goes on\n" % (type(error).__name__, error))


def _chain():
    """Runs the next sitecustomize on the path, as Python would have: without us. Where there is none, Python's own
    import of it fails as it would have, and `site` knows what that means."""
    sys.path[:] = [folder for folder in sys.path if not _is_here(folder)]
    sys.path_importer_cache.pop(_FOLDER, None)
    sys.modules.pop("sitecustomize", None)
    import sitecustomize  # noqa: F401


_inject()
_chain()
