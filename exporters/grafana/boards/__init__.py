"""Sluice's dashboards as values, and what makes Grafana's JSON of them. One file per dashboard; `generate.py` is the command."""
