"""manage.py login_link."""

import re

import pytest

from caesar.login import tokens
from memory.errors import NotFound
from tests.caesar.commands.conftest import run
from tests.people import person


def test_it_prints_a_link_that_lets_in_once(operator):
    url = run("login_link").out.strip()
    token = re.fullmatch(r"http://127\.0\.0\.1:8000/login/\?token=(.+)", url)[1]
    assert tokens.consume(token).id == operator
    assert tokens.consume(token) is None


def test_it_lets_another_person_in(operator):
    anna = person("anna")
    url = run("login_link", "--user", "anna", "--json").json["url"]
    assert tokens.consume(url.partition("=")[2]).id == anna.user_id
    with pytest.raises(NotFound):
        run("login_link", "--user", "nobody")
