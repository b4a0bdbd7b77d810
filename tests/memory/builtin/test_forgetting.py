"""Wishes to forget a thing by its name, and what is none."""

import pytest

from memory.builtin.extract import extract
from memory.domain.types import Message, Op


def asked(text):
    found = extract([Message("user", text)]).proposals
    return [(p.key, p.value) for p in found if p.op is Op.RETRACT]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (
            "Could you please forget my phone number? It is +233 20 555 0147 and I don't want it kept.",
            "phone",
            "phone number",
        ),
        ("Please forget my dog Pixel.", "dog.name", "Pixel"),
        ("forget about my job please", "work.role", "job"),
        ("I want you to forget our date of birth, thanks", "birth_date", "date of birth"),
        ("Delete my email address from your memory.", "email", "email address"),
        ("Forget that I live in Graz.", "address.city", "Graz"),
    ],
)
def test_it_hears_a_wish_to_forget(text, key, value):
    assert asked(text) == [(key, value)]


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget my birthday!",
        "I always forget my phone number.",
        "Did you forget my birthday?",
        "Delete my address from the letter.",
        "Forget my last question.",
        "Forget my old excuse, let's cook.",
        "'Please forget my phone number' is what he said.",
    ],
)
def test_it_hears_none_elsewhere(text):
    assert asked(text) == []
