"""Measures and retunes torch.utils.data.DataLoader. Start reading at patches.py."""
