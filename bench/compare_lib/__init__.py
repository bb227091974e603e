"""The parts of bench/compare. See bench/README.md."""
