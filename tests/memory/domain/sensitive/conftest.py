"""The tables of examples, as parameters of tests."""

from pathlib import Path

import yaml

FOLDER = Path(__file__).parent / "examples"


def pytest_generate_tests(metafunc):
    for mode in ("must", "mustnt"):
        if mode in metafunc.fixturenames:
            rows = [(name, row) for name in NAMES for row in _rows(name, mode)]
            ids = [f"{name}-{str(row)[:50]}" for name, row in rows]
            metafunc.parametrize(mode, rows, ids=ids)


NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def _rows(name, mode):
    data = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    listed = data[mode]
    return [row for rows in listed.values() for row in rows] if isinstance(listed, dict) else listed
