"""The units name what is there, and give their processes what `up` gives them."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from caesar.config import ROOT, config
from caesar.management.commands import backup
from caesar.up import children

FOLDER = ROOT / "deploy" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))


class Unit(configparser.RawConfigParser):
    """Repeated keys are joined by a space, as systemd takes them together."""

    optionxform = staticmethod(str)  # type: ignore[assignment]


def read(path: Path) -> Unit:
    lines: list[str] = []
    seen: dict[str, int] = {}
    for line in path.read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "Environment" and key in seen:
            lines[seen[key]] += f" {value}"
            continue
        seen[key] = len(lines)
        lines.append(line)
    unit = Unit()
    unit.read_string("\n".join(lines))
    return unit


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_it_runs_what_is_in_the_tree_and_not_as_root(path: Path) -> None:
    service = read(path)["Service"]
    assert service["User"] == "caesar"
    assert service["WorkingDirectory"] == "/opt/caesar"
    program, first, *_ = service["ExecStart"].split()
    assert program == "/opt/caesar/.venv/bin/python"
    assert first == "-m" or (ROOT / first).is_file()
    assert service["NoNewPrivileges"] == "true"
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] == "caesar"
    assert "CAESAR_HOME=/var/lib/caesar" in service["Environment"]
    documentation = read(path)["Unit"]["Documentation"].removeprefix("file:/opt/caesar/")
    assert (ROOT / documentation).is_file()


def test_the_workers_flags_and_variables_are_those_of_up() -> None:
    service = read(FOLDER / "caesar-worker.service")["Service"]
    spec = children.worker(config())
    command = [part for part in spec.command[1:] if part not in ("--hostname", "up@%h")]
    command[command.index("--queues") + 1] = "${CAESAR_QUEUES}"
    assert service["ExecStart"].split()[1:] == command
    given = dict(pair.split("=", 1) for pair in service["Environment"].split())
    assert given["CAESAR_QUEUES"] == children.QUEUES
    for name, value in spec.env.items():
        if name not in ("PYTHONPATH", "CAESAR_HOME", "PYTHONWARNINGS"):
            assert given[name] == value, name


def test_the_nightly_backup_is_a_command_that_there_is() -> None:
    words = read(FOLDER / "caesar-backup.service")["Service"]["ExecStart"].split()[2:]
    assert words[0] == "backup"
    parser = backup.Command().create_parser("manage.py", "backup")
    assert parser.parse_args(words[1:]).keep == 14
    timer = read(FOLDER / "caesar-backup.timer")
    assert timer["Timer"]["Persistent"] == "true"
