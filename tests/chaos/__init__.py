"""Faults on real processes; afterwards the whole state is compared with what was told. `make chaos` runs all of it."""
