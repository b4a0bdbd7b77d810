from datetime import date

import pytest

from memory.domain.ranking.asked import MOST_WORDS, read

TODAY = date(2023, 10, 25)


def asked(text, speakers=()):
    return read(text, today=TODAY, speakers=speakers)


def test_it_reads_words_times_and_speakers_apart():
    one = asked("When did Caroline go to the support group in May 2023?", ["Caroline", "Melanie"])
    assert one.words == ("go", "support", "group", "2023")
    assert one.speakers == {"Caroline"}
    assert one.periods[0].first == date(2023, 5, 1)
    assert one.looks_up
    assert not one.of_assistant


@pytest.mark.parametrize(
    "text",
    [
        "What is my dog called?",
        "In which city did I live?",
        "And when was that?",
        "Wo wohnt meine Schwester?",
        "Où est-ce que j'habite ?",
        "我的表弟的生日是什么时候？",
        "犬の名前は？",
    ],
)
def test_it_knows_a_question_that_looks_something_up(text):
    assert asked(text).looks_up


@pytest.mark.parametrize(
    "text",
    [
        "Can you recommend a good book?",
        "What are some good restaurants around here?",
        "How should I plan my week?",
        "I am looking for a hotel. What would you suggest?",
        "My dog is called Beans.",
        "可以推荐一本书吗？",
        "tell me about my dog",
        "",
    ],
)
def test_a_wish_for_advice_looks_nothing_up(text):
    assert not asked(text).looks_up


@pytest.mark.parametrize(
    "text", ["What did you suggest for dinner?", "which book have you recommended", "you said something about ATL-4471"]
)
def test_it_knows_a_question_about_the_assistants_words(text):
    assert asked(text).of_assistant


@pytest.mark.parametrize("text", ["Can you suggest a book?", "What did I say about you?", "Do you know my dog?"])
def test_it_takes_no_other_question_for_one_about_the_assistants_words(text):
    assert not asked(text).of_assistant


def test_of_a_long_message_what_names_something_counts_first():
    words = asked(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300)) + " ATL-4471").words
    assert len(words) == MOST_WORDS
    assert {"atl-4471", "4471"} <= set(words)


def test_it_reads_a_hostile_question_in_time():
    assert asked("did you " * 20_000 + "?" * 50_000).words
