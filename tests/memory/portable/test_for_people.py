"""Exports that people and spreadsheets read."""

from __future__ import annotations

import csv
import io

import pytest

from memory import facts
from memory.portable.exporting import Form
from memory.portable.markdown import plain
from memory.portable.table import safe
from tests.memory.portable.acts import export, full
from tests.people import person

FORMULAS = (
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "　=1",
    "＝1+1",
    "＠A",
    "|x",
    "%0A=1",
)


@pytest.fixture
def anna(database):
    return person("anna")


@pytest.mark.parametrize("value", FORMULAS)
def test_no_cell_is_a_formula(value):
    assert safe(value) == f"'{value}"


@pytest.mark.parametrize("value", ["Beans", "1 = 1", "a-b", "", "Ünal", "5"])
def test_other_cells_stay_as_they_are(value):
    assert safe(value) == value
    assert safe(None) == ""


def test_the_table_has_all_facts_with_whatever_is_in_them(anna):
    odd = ['=HYPERLINK("http://x")', 'a "quoted", one', "two\nlines", "Ünal’s 犬"]
    for n, value in enumerate(odd):
        facts.author(profile_id=anna.profile_id, fields={"key": f"thing.n{n}", "value": value})
    exported = export(anna, Form.CSV)
    assert exported.startswith(b"\xef\xbb\xbf")  # so that a spreadsheet takes it for UTF-8
    rows = list(csv.DictReader(io.StringIO(exported.decode("utf-8-sig"), newline="")))
    assert [row["value"] for row in rows] == [f"'{odd[0]}", *odd[1:]]
    assert {row["status"] for row in rows} == {"approved"}
    for row in rows:
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_the_table_says_what_holds_and_what_waits(anna):
    full(anna)
    rows = list(csv.DictReader(io.StringIO(export(anna, Form.CSV).decode("utf-8-sig"), newline="")))
    seen = {(row["key"], row["value"], row["status"], row["holds"], row["space"], row["pinned"]) for row in rows}
    assert ("address.city", "Linz", "approved", "yes", "", "no") in seen
    assert ("address.city", "Graz", "approved", "no", "", "no") in seen
    assert ("boat", "a yacht", "pending", "no", "", "no") in seen
    assert ("shoe_size", "43", "rejected", "no", "", "no") in seen
    assert ("tea", "green", "approved", "yes", "work", "yes") in seen
    assert "Fairphone" not in str(rows)


def test_the_page_tells_people_what_is_known(anna):
    full(anna)
    page = export(anna, Form.MARKDOWN).decode()
    holds, waits = page.index("## What holds"), page.index("## What waits for you")
    before, told = page.index("## What held before"), page.index("## Conversations")
    assert holds < page.index("Linz") < waits < page.index("a yacht") < before < page.index("Graz") < told
    assert "They spoke of a dog called Beans" in page[told:]
    assert "your own word" in page
    assert "Fairphone" not in page
    assert "43" not in page[:told]  # what was rejected is not known


def test_nothing_in_it_is_a_sign_of_markdown_or_of_a_page(anna):
    nasty = "# Heading <script>x</script> [link](http://x) `code` | a\n- item"
    facts.author(profile_id=anna.profile_id, fields={"value": nasty})
    page = export(anna, Form.MARKDOWN).decode()
    assert plain(nasty) in page
    assert "<script" not in page.replace("\\<script", "")
    assert "[link](" not in page
    assert "\n- item" not in page
    assert plain("**bold**") == r"\*\*bold\*\*"


def test_a_memory_of_nothing_can_be_exported(anna):
    assert b"Nothing." in export(anna, Form.MARKDOWN)
    assert export(anna, Form.CSV).count(b"\n") == 1
