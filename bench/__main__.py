"""Runs the measurements and prints tables: `python -m bench [NAME ...] [FOLDER]`."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import shutil
from contextlib import ExitStack
from pathlib import Path

from bench.stack import Stack, use_home

USUAL = ("chat", "extraction", "apply", "search", "passages", "embed", "cost", "memory")
LONG = ("archive", "dashboard", "million", "people", "quality", "workers")


def main() -> None:
    names, data = _chosen()
    home = use_home()
    import django
    import structlog

    django.setup()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        with ExitStack() as stack:
            running = Stack(home, stack, data)
            for name in names:
                print(f"\n[{name}: load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors]", flush=True)
                importlib.import_module(f"bench.{name}").run(running)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _chosen() -> tuple[list[str], Path | None]:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measurements, printed as tables.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(USUAL)} (all of these, if none); {LONG}")
    given = parser.parse_args().names
    names = [name for name in given if name in (*USUAL, *LONG)]
    folders = [Path(name) for name in given if name not in names]
    if any(not folder.is_dir() for folder in folders) or len(folders) > 1:
        parser.error(f"{', '.join(map(str, folders))} is neither a measurement nor a folder")
    if "quality" in names and not folders:
        parser.error("quality takes the folder that holds locomo, beam and prefeval")
    return names or list(USUAL), folders[0].resolve() if folders else None


if __name__ == "__main__":
    main()
