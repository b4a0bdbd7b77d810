import pytest

from memory.domain.trivial import holds_nothing, small_talk
from memory.domain.types import Message


def trivial(*said: str, assistant: str = "") -> bool:
    before = [Message("assistant", assistant)] if assistant else []
    return holds_nothing([*before, *(Message("user", text) for text in said)])


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "Thanks!",
        "👍",
        "yes",
        "thank you so much",
        "Hello!",
        "good morning",
        "Danke schön",
        "merci beaucoup",
        "谢谢",
        "ありがとう",
        "はい",
        "감사합니다",
        "...",
        "",
        "What is the capital of France?",
        "How do I say it?"[:0],
        "Hi! What is the capital of France? Thanks!",
        "Cool, thanks. Bye",
        "why is the sky blue?",
    ],
)
def test_it_knows_what_plainly_holds_nothing(text):
    assert trivial(text)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Graz",
        "My dog is Rex. Thanks!",
        "What should I cook? I'm vegan",
        "How old should my son be for that?",
        "Graz",
        "vegan",
        "yes, pescatarian",
        "What can a vegan, who hates nuts, eat?",
        "Wo kann ich in Graz gut essen?",
        "Is tea ok for an allergic person: nuts?",
        "¿Dónde está la estación?",
        "Was ist die Hauptstadt von Frankreich?",
        "そばは食べられる？",
        "Remember the milk",
        "Do kiedy mam czas?",
        "What is the best school for Ada (she is 6)?",
        "Thanks, Beans loved it",
        "call me Bob",
        "What can you cook for someone with celiac disease since wheat is out?",
    ],
)
def test_when_unsure_it_may_hold_something(text):
    assert not trivial(text)


@pytest.mark.parametrize("text", ["yes", "Yes, correct", "ok", "👍", "no", "ja", "はい", "exactly!"])
def test_a_yes_to_a_question_may_confirm_something(text):
    assert not trivial(text, assistant="So you are a nurse?")
    assert trivial(text, assistant="Here is the recipe.")


def test_thanks_after_a_question_are_still_thanks():
    assert trivial("thanks, bye", assistant="Anything else?")


def test_one_message_that_may_hold_something_is_enough():
    assert not trivial("ok", "I live in Graz", "thanks")


def test_only_what_is_new_and_the_persons_counts():
    context = [Message("user", "I live in Graz", new=False), Message("assistant", "You live in Graz!")]
    assert holds_nothing([*context, Message("user", "thanks")])
    assert holds_nothing([])


@pytest.mark.parametrize(
    ("text", "small"),
    [("Thanks!", True), ("Good morning", True), ("How do I insulate an attic?", False), ("I like tea.", False)],
)
def test_small_talk_is_what_nothing_was_talked_about_in(text, small):
    assert small_talk([Message("user", text)]) is small


def test_a_yes_to_a_question_is_no_small_talk():
    asked = [Message("assistant", "Shall I book it?", new=False), Message("user", "yes")]
    assert not small_talk(asked)
    assert small_talk([Message("user", "yes")])
