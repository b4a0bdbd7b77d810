"""Files that are none, are damaged, or mean harm: a sentence, and nothing of them is left."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile

import pytest

from memory import files
from memory.errors import InvalidInput
from tests.everywhere import rows_of
from tests.memory.portable import archives
from tests.memory.portable.acts import export, full, load, turns_of
from tests.people import person

DOG = archives.thread("a", "My dog is called Beans.", "What a name!")


@pytest.fixture
def anna(database):
    return person("anna")


def refused(who, database, tmp_path, content: bytes, sentence: str) -> None:
    before = rows_of(database, who.profile_id)
    for dry_run in (True, False):
        with pytest.raises(InvalidInput, match=sentence) as caught:
            load(who, content, tmp_path, dry_run=dry_run)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300
    assert rows_of(database, who.profile_id) == before
    assert not any(path.is_file() for path in files.folder_of(who.profile_id).rglob("*"))


FOREIGN = {
    "empty": (b"", "is empty"),
    "white space": (b" \n ", "is empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "none of the files"),
    "a letter": (b"Dear Anna, here is my memory.", "none of the files"),
    "other JSON": (b'[{"name": "Anna"}, {"name": "Bert"}]', "none of the files"),
    "a number": (b"42", "none of the files"),
    "an empty list": (b"[]", "none of the files"),
    "cut off": (archives.chatgpt(DOG)[:-40], "cut off"),
    "cut off inside a word": (archives.claude(DOG)[:200], "cut off|no valid JSON|none of the files"),
    "no UTF-8": (archives.chatgpt(DOG).replace(b"Beans", b"B\xff\xfens"), "no valid JSON"),
    "a raw NUL": (archives.chatgpt(DOG).replace(b"Beans", b"B\0ns"), "no valid JSON"),
    "not a number": (archives.chatgpt(DOG).replace(b"1716199200.0", b"NaN"), "no valid JSON"),
    "deep": (b'[{"mapping": ' + b"[" * 100_000, "nested deeper"),
    "garbage behind": (archives.chatgpt(DOG) + b"]]", "no valid JSON"),
    "a broken archive": (archives.zipped(conversations_json=archives.chatgpt(DOG))[:-30], "damaged or cut off ZIP"),
    "an archive of something else": (archives.zipped(photo_png=b"1", notes_txt=b"2"), "holds no conversations"),
    "a broken database": (b"SQLite format 3\0" + b"\1" * 5_000, "damaged"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_archive_is_refused(anna, database, tmp_path, name):
    content, sentence = FOREIGN[name]
    refused(anna, database, tmp_path, content, sentence)


def test_an_encrypted_archive_is_refused(anna, database, tmp_path):
    content = bytearray(archives.zipped(conversations_json=archives.chatgpt(DOG)))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + place] |= 1
    refused(anna, database, tmp_path, bytes(content), "encrypted")


def test_an_archive_that_unpacks_to_very_much_is_refused_before_it_does(anna, database, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("conversations.json", "w") as bomb:
        bomb.write(b'[{"mapping": "')
        for _ in range(80):
            bomb.write(b" " * 1_000_000)
        bomb.write(b'"}]')
    assert len(out.getvalue()) < 200_000
    refused(anna, database, tmp_path, out.getvalue(), "unpacks to far more")


def test_an_archive_that_lies_about_its_size_is_refused_too(anna, database, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b'[{"mapping": "' + b" " * 80_000_000 + b'"}]')
    content = bytearray(out.getvalue())
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.index(signature) + place
        content[start : start + 4] = (1000).to_bytes(4, "little")
    refused(anna, database, tmp_path, bytes(content), "unpacks to far more|damaged|cut off")


def test_one_value_without_an_end_does_not_fill_the_memory(anna, database, tmp_path, monkeypatch):
    from memory.portable import bounded

    monkeypatch.setattr(bounded, "MOST_VALUE", 1_000_000)
    content = b'[{"mapping": {"a": "' + b"x" * 3_000_000 + b'"}}]'
    refused(anna, database, tmp_path, content, "larger than 1 MB")


def test_a_database_of_something_else_is_refused(anna, database, tmp_path):
    with sqlite3.connect(tmp_path / "x.db") as db:
        db.execute("CREATE TABLE cookies (id INTEGER)")
    refused(anna, database, tmp_path, (tmp_path / "x.db").read_bytes(), "none of the files")


def test_a_view_in_a_database_is_not_run(anna, database, tmp_path):
    with sqlite3.connect(tmp_path / "x.db") as db:
        db.execute("CREATE VIEW personal_facts AS SELECT 1 AS id, 'k' AS key, 'v' AS value")
    refused(anna, database, tmp_path, (tmp_path / "x.db").read_bytes(), "none of the files")


def test_an_id_that_is_a_text_is_told_to_nobody(anna, tmp_path):
    with sqlite3.connect(tmp_path / "x.db") as db:
        db.execute("CREATE TABLE personal_facts (id, key TEXT, value TEXT)")
        ids = ("\x1b[2JMy dog is called Rex", "A" * 100_000, "f-7")
        db.executemany("INSERT INTO personal_facts VALUES (?, '', '')", [[one] for one in ids])
    db.close()
    report = load(anna, (tmp_path / "x.db").read_bytes(), tmp_path)
    assert [one.where for one in report.skipped] == ["personal_facts", "personal_facts", "personal_facts f-7"]


def test_what_is_odd_inside_of_a_record_costs_that_record_alone(anna, tmp_path):
    odd = [
        {"mapping": "nothing", "id": "1"},
        {"mapping": {"a": None, "b": {"message": 5, "parent": "b"}}, "id": "2", "current_node": "b"},
        {"mapping": {"a": {"message": {"author": [], "content": 3, "metadata": None}}}, "id": "3"},
        {"mapping": {}, "id": 4},
        *json.loads(archives.chatgpt(DOG)),
        7,
        {"mapping": {"n": {"id": "n", "message": {"id": "n", "author": {"role": "user"}, "create_time": 1e300,
         "content": {"parts": ["Nul \0 and half \ud800 a letter"]}}}}, "id": "5", "create_time": "yesterday"},
    ]  # fmt: skip
    report = load(anna, json.dumps(odd).encode(), tmp_path)
    assert report.counts["messages"] == {"new": 3}
    assert report.unused == 3
    assert [one.where for one in report.skipped] == ["record 1", "record 4", "record 6"]
    assert any("Nul  and half" in said[0] for _, said, _ in turns_of(anna) if said)


OWN = {
    "cut off behind a line": (lambda x: b"".join(x.splitlines(True)[:-1]), "cut off"),
    "cut off inside a line": (lambda x: x[:-100], "no valid JSON|cut off"),
    "a word changed": (lambda x: x.replace(b"oat milk", b"rye milk"), "checksum"),
    "a line left out": (lambda x: b"".join(line for line in x.splitlines(True) if b"oat milk" not in line), "checksum"),
    "a line doubled": (lambda x: x.replace(_line(x, b"oat milk"), _line(x, b"oat milk") * 2), "checksum"),
    "a word in the last line": (lambda x: x.replace(b'"sha256": "', b'"sha256": "0'), "checksum"),
    "a line of nonsense": (lambda x: x.replace(_line(x, b"oat milk"), b"{nonsense\n"), "no valid JSON"),
    "no UTF-8": (lambda x: x.replace(b"oat milk", b"oat \xff milk"), "no valid JSON"),
    "a raw NUL": (lambda x: x.replace(b"oat milk", b"oat \0 milk"), "no valid JSON"),
    "an unknown kind": (lambda x: x.replace(b'"kind":"fact"', b'"kind":"fuct"'), "no kind that is known"),
    "a newer version": (lambda x: x.replace(b'"version":1', b'"version":9'), "newer"),
    "something behind the end": (lambda x: x + _line(x, b"oat milk"), "behind the end"),
    "deep": (lambda x: x.replace(_line(x, b"oat milk"), b'{"kind":' + b"[" * 100_000 + b"\n"), "nested deeper"),
    "numbers that are none": (lambda x: x.replace(b'"confidence":0.9', b'"confidence":NaN'), "no valid JSON"),
}  # fmt: skip


def _line(exported: bytes, word: bytes) -> bytes:
    return next(line for line in exported.splitlines(True) if word in line and b'"kind":"fact"' in line)


@pytest.mark.parametrize("name", OWN)
def test_a_damaged_export_is_refused_whole(anna, database, tmp_path, name):
    damage, sentence = OWN[name]
    full(anna)
    bert = person("bert")
    refused(bert, database, tmp_path, damage(export(anna)), sentence)


def test_a_very_long_line_is_refused(anna, database, tmp_path, monkeypatch):
    from memory.portable import lines

    full(anna)
    monkeypatch.setattr(lines, "MOST_LINE", 2_000_000)
    content = export(anna).replace(b"oat milk", b"o" * 3_000_000)
    refused(person("bert"), database, tmp_path, content, "longer than 2 MB")


def _sealed(exported: bytes, change) -> bytes:
    from tests.memory.portable.acts import resealed

    return resealed(exported, change)


WRONG = {
    "a bad date": ({"said_at": "yesterday"}, "said_at is a time"),
    "a date without an offset": ({"said_at": "2024-01-01T00:00:00"}, "said_at is a time"),
    "a date to come": ({"said_at": "2999-01-01T00:00:00+00:00"}, "said_at is a time that is over"),
    "no date": ({"first_seen_at": None}, "first_seen_at is a time"),
    "too sure": ({"confidence": 2}, "confidence is a number"),
    "an unknown state": ({"state": "glorious"}, "state is one of"),
    "deleted": ({"state": "deleted"}, "state is one of"),
    "a value that is none": ({"value": ["a"]}, "value is a text"),
    "an empty value": ({"value": " \u200b"}, "value is a text"),
    "a value without end": ({"value": "x" * 1_001}, "value is a text"),
    "a key that is none": ({"key": "!!!"}, "key is a name"),
    "an id that is none": ({"id": "../../etc"}, "id is an id"),
    "chats that are none": ({"chats": [-1]}, "chats is a list"),
    "a number that is too large": ({"edit_count": 2**40}, "edit_count is a whole number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_bad_record_is_named_and_nothing_is_written(anna, database, tmp_path, name):
    full(anna)
    change, sentence = WRONG[name]
    content = _sealed(export(anna), lambda r: r | change if r["kind"] == "fact" and r["key"] == "drink" else r)
    refused(person("bert"), database, tmp_path, content, f"Line [0-9]+: {sentence}")
