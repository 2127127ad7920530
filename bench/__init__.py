"""Benchmarks against the peers: `make bench`, or `python -m bench --quick`."""
