"""manage.py ingest."""

import pytest
from django.core.management.base import CommandError

from memory import profiles, spaces
from memory.db import profile_scope
from memory.models import Document
from tests.caesar.commands.conftest import run, shell
from tests.memory.documents import made


@pytest.fixture
def lin(operator):
    return profiles.resolve(user_id=operator, name="lin", consent=True)


def test_it_takes_files_and_says_what_became_of_each(lin, tmp_path):
    spaces.create_space(profile_id=lin.id, fields={"slug": "work"})
    cv, brief = tmp_path / "cv.pdf", tmp_path / "brief.md"
    cv.write_bytes(made.pdf(*made.CV))
    brief.write_text("I live in Porto.")
    done = run("ingest", str(cv), str(brief), "--profile", "lin", "--space", "work", "--json").json
    assert [(one["new"], one["format"], one["pages"], one["error"]) for one in done["documents"]] == [
        (True, "pdf", 2, None),
        (True, "markdown", None, None),
    ]
    again = run("ingest", str(cv), "--profile", "lin")
    assert "is there already" in again.out
    with profile_scope(lin.id):
        rows = Document.objects.order_by("id").values_list("name", "conversation__space__slug")
        assert list(rows) == [("cv.pdf", "work"), ("brief.md", "work")]


def test_it_goes_on_after_a_file_that_cannot_be_taken(lin, tmp_path):
    bad, good = tmp_path / "bad.pdf", tmp_path / "good.txt"
    bad.write_bytes(b"no PDF")
    good.write_text("I live in Porto.")
    with pytest.raises(CommandError, match="1 of 2 could not be taken") as error:
        run("ingest", str(bad), str(good), "--profile", "lin")
    assert error.value.returncode == 1
    with profile_scope(lin.id):
        assert Document.objects.get().name == "good.txt"


def test_a_shell_sees_what_is_wrong(lin, tmp_path):
    ran = shell("ingest", str(tmp_path / "none.txt"), "--profile", "lin", "--json")
    assert ran.code == 2
    assert ran.json["documents"][0]["error"] == {"code": "no_file", "message": "No such file or directory."}
