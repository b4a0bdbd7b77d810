"""manage.py export."""

import json
import os
import stat
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from memory import erase, facts, files, profiles
from memory.db import profile_scope
from memory.errors import InvalidInput
from memory.models import AuditLog
from tests.caesar.commands.conftest import run, shell, typed


@pytest.fixture
def lin(operator):
    profile = profiles.resolve(user_id=operator, name="lin", consent=True)
    facts.author(profile_id=profile.id, fields={"key": "dog.name", "value": "=Beans"})
    return profile


def test_it_writes_a_file_that_its_owner_alone_may_read(lin, tmp_path):
    target = tmp_path / "lin.jsonl"
    told = run("export", "--profile", "lin", "--output", str(target), "--json").json
    assert told["rows"]["fact"] == 1
    assert Path(told["file"]) == target
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert (lines[0]["format"], lines[-1]["kind"]) == ("caesar-memory", "end")
    with profile_scope(lin.id):
        row = AuditLog.objects.get(event_type="memory.exported")
        assert (row.actor, row.payload["format"]) == ("operator", "jsonl")


def test_without_a_name_it_goes_where_an_erase_finds_it(lin):
    written = Path(run("export", "--profile", "lin", "--json").json["file"])
    assert files.folder_of(lin.id) in written.parents
    erase.erase_profile(profile_id=lin.id)
    assert not written.exists()


@pytest.mark.parametrize("form", ["jsonl", "markdown", "csv"])
def test_it_writes_to_standard_output(lin, form):
    ran = shell("export", "--profile", "lin", "--format", form, "--output", "-")
    assert ran.code == 0, ran.err
    assert "Beans" in ran.out
    assert ("'=Beans" in ran.out) is (form == "csv")


def test_it_takes_the_place_of_files_alone(lin, tmp_path):
    pipe, link, behind = tmp_path / "pipe", tmp_path / "link", tmp_path / "behind"
    os.mkfifo(pipe)
    link.symlink_to(behind)
    for place in (pipe, tmp_path):
        with pytest.raises(InvalidInput, match="is no file"):
            run("export", "--profile", "lin", "--output", str(place))
    run("export", "--profile", "lin", "--output", str(link))
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert "caesar-memory" in behind.read_text()
    assert {each.name for each in tmp_path.iterdir()} == {"pipe", "link", "behind"}


def test_it_says_what_is_wrong(lin, tmp_path):
    with pytest.raises(CommandError, match=r"nowhere/x: No such file"):
        run("export", "--profile", "lin", "--output", str(tmp_path / "nowhere" / "x"))
    with pytest.raises(InvalidInput):
        run("export", "--output", "-", "--json")
    assert shell("export", "--profile", "nobody").code == 1
    assert typed("export", "--format", "pdf").code == 2
