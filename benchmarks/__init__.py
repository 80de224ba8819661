"""How fast things are, measured side by side in one run: ``python -m benchmarks --help``."""
