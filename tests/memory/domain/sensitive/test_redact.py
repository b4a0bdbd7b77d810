import random

from hypothesis import given
from hypothesis import strategies as st

from memory.domain.sensitive import ALL, SensitiveClass, find, redact
from memory.domain.sensitive.view import MARKER

PASTED = (
    "Remember: prod key is sk-test-Zr81kQ0vYtR3mPq7LxW2bN5c, AWS AKIAZZ7QXRMPLB4QW2PN, card 4111 1111 1111 1111 exp "
    "09/29, db password: tulip-Harbor-88. Also my order number is 4111 1111 1111 1112, the commit is "
    "9f2c1e7a0b4d5c6e8f9012a3b4c5d6e7f8091a2b and our repo folder is called sk-templates."
)


def test_it_takes_the_secrets_out_and_leaves_the_look_alikes():
    clean, findings = redact(PASTED)
    assert clean == (
        "Remember: prod key is [redacted: credential], AWS [redacted: credential], card [redacted: payment] exp "
        "[redacted: payment], db password: [redacted: credential]. Also my order number is 4111 1111 1111 1112, the "
        "commit is 9f2c1e7a0b4d5c6e8f9012a3b4c5d6e7f8091a2b and our repo folder is called sk-templates."
    )
    assert [PASTED[f.start : f.end] for f in findings] == [
        "sk-test-Zr81kQ0vYtR3mPq7LxW2bN5c",
        "AKIAZZ7QXRMPLB4QW2PN",
        "4111 1111 1111 1111",
        "09/29",
        "tulip-Harbor-88",
    ]


def test_it_takes_them_out_of_a_summary():
    text = "User stored key sk-test-Zr81kQ0vYtR3mPq7LxW2bN5c and password tulip-Harbor-88"
    assert redact(text)[0] == "User stored key [redacted: credential] and password [redacted: credential]"


def test_it_gives_the_very_text_back_where_nothing_is_found():
    text = "Wir\u200b  treffen\tuns\r\num 9 – ＯＫ?"
    clean, findings = redact(text)
    assert clean is text
    assert findings == ()


def test_it_leaves_health_in_a_transcript():
    text = "I take sertraline and my PIN is 4711"
    assert redact(text)[0] == "I take sertraline and my PIN is [redacted: credential]"


def test_it_redacts_only_the_classes_that_it_is_asked_for():
    text = "card 4111 1111 1111 1111, my PIN is 4711"
    assert redact(text, {SensitiveClass.PAYMENT})[0] == "card [redacted: payment], my PIN is 4711"
    assert redact(text, set())[0] is text


def test_it_changes_nothing_the_second_time():
    clean, findings = redact(PASTED)
    assert len(findings) == 5
    assert redact(clean) == (clean, ())


def test_its_own_markers_are_no_words_beside_a_number():
    text = "[redacted: payment] DEUTDEFF, [redacted: government_id] 123-45-6789, [redacted: credential] tulip88"
    assert redact(text, ALL) == (text, ())


def test_it_finds_what_comes_near_when_something_is_taken_out():
    text = "my ssn, api key x7Kd83mQ0zTtR3nPq7LxW2x7Kd83mQ0zTtR3nPq7LxW2x7Kd83mQ0, 536-90-4399"
    clean, findings = redact(text)
    assert redact(clean) == (clean, ())
    assert [text[f.start : f.end] for f in findings][-1] == "536-90-4399"


def test_it_is_done_after_one_pass_whatever_is_mixed():
    rng = random.Random(7)
    pieces = (
        "my ssn|536-90-4399|password|is|:|tulip88|4111 1111 1111 1111|IBAN|LT601010012345678901|PIN|4711|\n|, |. "
        "|isikukood|38001085718|api key|x7Kd83mQ0zTtR3nPq7LxW2|BIC|DEUTDEFF|パスワードは|密码是|passport|C01X00T47|cvv"
        f'|123|{"x" * 30}|\u200b|"|my|bank'
    ).split("|")
    for _ in range(400):
        text = " ".join(rng.choices(pieces, k=rng.randint(2, 14)))
        clean, _found = redact(text)
        assert find(clean, classes={SensitiveClass.CREDENTIAL, SensitiveClass.PAYMENT}) == (), text
        assert redact(clean)[0] == clean, text


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("4111 -:=password密码はPIN\u200b\u00ad１"), st.characters()), max_size=80
    )
)
def test_it_changes_nothing_outside_what_it_found(text):
    clean, findings = redact(text, ALL)
    kept = list(text)
    for found in findings:
        assert 0 <= found.start < found.end <= len(text)
        kept[found.start : found.end] = [None] * (found.end - found.start)
    rest = "".join(filter(None, kept))
    assert MARKER.sub("", clean) == MARKER.sub("", rest)
    assert redact(clean, ALL) == (clean, ())


def test_a_place_in_two_classes_takes_the_name_of_the_stricter():
    assert redact("password: 4111111111111111")[0] == "password: [redacted: credential]"
