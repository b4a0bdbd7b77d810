"""When a wish to forget is heard in what a model makes of a chat, and when it is not."""

import pytest

from memory.domain.forgetting import asked_to_forget
from memory.domain.grounding import ground
from memory.domain.types import Message, Op, Proposal, Stance


def heard(key: str, value: str, *said: str, op: Op = Op.SET, stance: Stance = Stance.ASSERTED) -> bool:
    messages = [Message("user", text) for text in said]
    proposal = Proposal(value, key, 0.9, op=op, stance=stance)
    return asked_to_forget(proposal, messages, ground(proposal, messages)) is not None


NUMBER = "+233 20 555 0147"


@pytest.mark.parametrize("op", [Op.SET, Op.RETRACT])
@pytest.mark.parametrize(
    "said",
    [
        f"Could you please forget my phone number? It is {NUMBER} and I don't want it kept.",
        f"Please forget my number, it is {NUMBER}.",
        f"My number is {NUMBER}, but don't save that.",
    ],
)
def test_it_hears_the_wish_whatever_the_model_takes_it_for(said, op):
    assert heard("phone", NUMBER, said, op=op)


def test_it_hears_it_where_the_value_was_said_before():
    assert heard("phone", NUMBER, f"My number is {NUMBER}.", f"Oh, please forget my number {NUMBER} again.")


def test_it_hears_a_kind_of_thing_where_the_model_retracts_it():
    assert heard("phone", "phone number", "Please forget my phone number.", op=Op.RETRACT)


@pytest.mark.parametrize(
    ("said", "op"),
    [
        ("My car is a Dacia Duster.", Op.SET),
        ("We no longer have the Dacia Duster.", Op.RETRACT),
        ("Delete my Dacia Duster paragraph from the draft.", Op.SET),
        ("Don't forget my Dacia Duster!", Op.SET),
        ("I always forget my Dacia Duster key.", Op.SET),
        ("Please forget my phone number.", Op.RETRACT),
    ],
)
def test_it_hears_none_in_other_words(said, op):
    assert not heard("car", "Dacia Duster", said, op=op)


def test_it_hears_none_that_is_not_meant():
    said = f"Please forget my number, it is {NUMBER}."
    assert not heard("phone", NUMBER, said, stance=Stance.JOKING)
    assert not heard("phone", NUMBER, f'He told her: "Please forget my number, it is {NUMBER}."')
