"""manage.py import."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from memory import facts, profiles
from memory.db import profile_scope
from memory.models import Fact, Import
from tests.caesar.commands.conftest import run, shell, typed
from tests.everywhere import rows_of
from tests.memory.portable import archives
from tests.memory.portable.acts import export, full, load, state, turns_of
from tests.people import Person, person
from tests.processes import ROOT, eventually


@pytest.fixture
def lin(operator):
    return profiles.resolve(user_id=operator, name="lin", consent=True)


def put(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "archive"
    path.write_bytes(content)
    return str(path)


def test_it_imports_what_it_finds_out_to_be_an_archive(lin, tmp_path):
    path = put(tmp_path, archives.claude(archives.thread("a", "I like fog.", "Noted.")))
    tried = run("import", path, "--profile", "lin", "--dry-run", "--json").json
    assert (tried["dry_run"], tried["id"], tried["counts"]) == (
        True,
        None,
        {"conversations": {"new": 1}, "messages": {"new": 2}},
    )
    done = run("import", path, "--profile", "lin")
    assert "claude, 1 records, imported into 'lin':" in done.out
    assert "messages: 2 new" in done.out
    with profile_scope(lin.id):
        row = Import.objects.get()
        assert (row.state, row.done, row.total, row.name) == ("done", 1, 1, "archive")


def test_it_brings_an_export_back(lin, tmp_path):
    facts.author(profile_id=lin.id, fields={"key": "dog.name", "value": "Beans"})
    path = str(tmp_path / "x.jsonl")
    run("export", "--profile", "lin", "--output", path)
    profiles.resolve(user_id=lin.user_id, name="copy", consent=True)
    assert run("import", path, "--profile", "copy", "--json").json["counts"]["facts"] == {"new": 1}
    assert run("import", path, "--profile", "copy", "--json").json["counts"]["facts"] == {"known": 1}


def test_it_says_in_one_sentence_what_is_wrong_and_exits_with_2(lin, tmp_path):
    ran = shell("import", put(tmp_path, b"Dear Anna"), "--profile", "lin")
    assert (ran.code, ran.out) == (2, "")
    assert "none of the files that can be imported" in ran.err
    assert "Traceback" not in ran.err
    with pytest.raises(CommandError, match="no file"):
        run("import", str(tmp_path / "nothing"))
    nothing = typed("import", str(tmp_path / "nothing"))
    assert (nothing.code, nothing.err) == (2, f"There is no file {tmp_path / 'nothing'}.\n")


def killed_until_done(path: str, who: Person, after: int) -> int:
    """Start the import again and again, killed as soon as it has come further by some records. Returns how often."""
    kills = 0
    seen = 0
    while True:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "import", path, "--user", "anna"],
            cwd=ROOT,
            env=os.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def further(running: subprocess.Popen[bytes] = process, past: int = seen) -> bool:
            with profile_scope(who.profile_id):
                done = Import.objects.filter(state="running", done__gt=past + after).exists()
            return done or running.poll() is not None

        eventually(further, seconds=60)
        if process.poll() is not None:
            assert process.returncode == 0
            return kills
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        with profile_scope(who.profile_id):
            seen = Import.objects.get().done


def test_an_archive_that_is_killed_over_and_over_comes_whole_and_once(database, tmp_path):
    threads = [archives.thread(f"t{n}", *(f"Message {m} of {n}." for m in range(40))) for n in range(120)]
    content = archives.chatgpt(*threads)
    anna, bert = person("anna"), person("bert")
    assert killed_until_done(put(tmp_path, content), anna, 20) >= 2
    load(bert, content, tmp_path)
    assert turns_of(anna) == turns_of(bert)
    mine, theirs = rows_of(database, anna.profile_id), rows_of(database, bert.profile_id)
    assert mine == theirs


def test_an_export_that_is_killed_while_it_is_imported_comes_whole_and_once(database, tmp_path):
    carla = person("carla")
    full(carla)
    for n in range(400):
        facts.author(profile_id=carla.profile_id, fields={"key": f"thing.n{n}", "value": f"value {n}"})
    content = export(carla)
    anna, bert = person("anna"), person("bert")
    assert killed_until_done(put(tmp_path, content), anna, 100) >= 1
    load(bert, content, tmp_path)
    assert state(anna) == state(bert) == state(carla)
    with profile_scope(anna.profile_id):
        assert Fact.objects.filter(state="current").count() == 405


def test_progress_is_told_on_the_way(lin, tmp_path, monkeypatch):
    import importlib

    command = importlib.import_module("caesar.management.commands.import")
    monkeypatch.setattr(command, "EVERY_SECONDS", 0.0)
    threads = [archives.thread(f"t{n}", *(["fog"] * 300)) for n in range(4)]
    ran = run("import", put(tmp_path, json.dumps(json.loads(archives.chatgpt(*threads))).encode()), "--profile", "lin")
    assert "of 4 records" in ran.err
