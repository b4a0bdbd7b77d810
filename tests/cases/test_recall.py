"""Things to be found among things like them, and what the model of a chat is given of it."""

from __future__ import annotations

import pytest

from tests.cases.conftest import DIM, Someone, World
from tests.scripted_model import Vectors

ALIKE = Vectors(constant=[1.0] + [0.0] * (DIM - 1))  # an embedder that tells nothing from anything


@pytest.fixture
def orsolya(recalling: World) -> Someone:
    """Twenty tickets that differ by a figure, and one whose number begins like one of theirs."""
    recalling.model.embedding(ALIKE)
    orsolya = recalling.someone("orsolya")
    tickets = [(f"ticket_atl_{n}", f"Ticket ATL-{n}: pump seal leaks at station {n % 7}") for n in range(4461, 4481)]
    orsolya.knows(*tickets, ("ticket_atl_44710", "Ticket ATL-44710: unrelated lamp"))
    return orsolya


@pytest.mark.parametrize(
    ("query", "ticket"),
    [
        ("what was ATL-4471 about?", "ATL-4471:"),
        ("atl-4478", "ATL-4478:"),
        ("ATL 4471", "ATL-4471:"),
        ("ticket ATL\u20114471", "ATL-4471:"),
        ("(ATL-4471)?", "ATL-4471:"),
    ],
)
def test_it_finds_the_one_of_many_that_is_named(orsolya: Someone, query: str, ticket: str):
    first, *others = orsolya.recall(query, kinds=["facts"])
    assert first["scores"]["semantic"] == 1.0  # its vector says as much as that of any other
    assert ticket in first["text"]
    assert "names" in first["why"]
    assert all(one["score"] < first["score"] for one in others)


def test_the_beginning_of_a_name_names_none_of_them(orsolya: Someone):
    named = [one for one in orsolya.recall("ATL-447", kinds=["facts"]) if "names" in one["why"]]
    assert len(named) != 1


def test_what_is_named_is_in_the_block_of_a_chat(orsolya: Someone):
    assert "ATL-4471:" in orsolya.given("what was ATL-4471 about?")
