import pytest

from memory.domain.ranking.telling import tells


@pytest.mark.parametrize(
    "text", ["I moved to Graz", "it\u2019s mine", "I\u2019ve been", "meine Katze", "私は行った", "我喜欢猫", "Я дома"]
)
def test_a_first_person_tells(text):
    assert tells(text)


@pytest.mark.parametrize("text", ["Write a poem about mines", "你好", "Is it cold?", "", "x" * 100_000])
def test_others_do_not(text):
    assert not tells(text)
