"""Measures and retunes torch.utils.data.DataLoader. Start reading at patches.py."""
# First, so that the import hook, if there is one, finds this package's modules not half imported.
import torch.utils.data  # noqa: F401
