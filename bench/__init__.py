"""Measurements: `make bench`. Each is printed beside a baseline of the same run."""
