import pytest

from memory.domain.sensitive import Finding, SensitiveClass, find

ECHOED = [
    ("openai_key", "sk-test-Zr81kQ0vYtR3mPq7LxW2bN5c", {"credential"}),
    ("aws_key", "AKIAZZ7QXRMPLB4QW2PN", {"credential"}),
    ("card", "4111 1111 1111 1111", {"payment"}),
    ("db_password", "tulip-Harbor-88", {"credential"}),
    ("order_number", "4111 1111 1111 1112", set()),
    ("repo_folder", "sk-templates", set()),
]


@pytest.mark.parametrize(("key", "value", "classes"), ECHOED)
def test_it_tells_secrets_from_look_alikes_among_facts(key, value, classes):
    assert {f.cls.value for f in find(value, key=key)} == classes


def test_it_counts_in_the_original_text():
    text = "ａ\u200bカード：４１１１\u200b１１１１－１１１１\u00a0１１１１。"
    (found,) = find(text)
    assert found == Finding(SensitiveClass.PAYMENT, 6, 25, "card")
    assert text[found.start : found.end] == "４１１１\u200b１１１１－１１１１\u00a0１１１１"


def test_a_key_counts_as_words_before_the_value():
    assert find("4711") == ()
    assert find("4711", key="card.pin")[0].cls is SensitiveClass.CREDENTIAL
    assert find("111222333", key="nl.bsn")[0] == Finding(SensitiveClass.GOVERNMENT_ID, 0, 9, "nl_bsn")


def test_a_key_itself_is_never_a_finding():
    assert find("", key="password") == ()
    assert find("  ", key="password") == ()
    assert find("blue", key="4111 1111 1111 1111") == ()


def test_it_reports_each_place_once():
    text = "my wifi password is tulip88, PIN 4711"
    assert [(f.cls.value, text[f.start : f.end]) for f in find(text)] == [
        ("credential", "tulip88"),
        ("credential", "4711"),
    ]


def test_it_looks_only_for_what_it_is_asked():
    text = "I take sertraline, my PIN is 4711"
    assert {f.cls.value for f in find(text)} == {"health", "credential"}
    assert {f.cls.value for f in find(text, classes={SensitiveClass.HEALTH})} == {"health"}


def test_findings_are_in_order_of_place():
    text = "my PIN is 4711, I have diabetes, card 4111 1111 1111 1111, password: tulip"
    starts = [f.start for f in find(text)]
    assert len(starts) == 4
    assert starts == sorted(starts)


@pytest.mark.parametrize("text", ["", " ", "\n", "\x00", "\ud800", "\u200b" * 9, "\ufffc", "-" * 50, "🤖" * 9])
def test_it_bears_any_text(text):
    assert find(text) == ()
    find(text, key=text)
