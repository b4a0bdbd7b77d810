"""manage.py apikey."""

import pytest

from memory import apikeys, profiles
from memory.errors import Conflict, NotFound
from tests.caesar.commands.conftest import run, shell, typed
from tests.people import person


def test_it_makes_a_key_that_works_and_shows_it_once(operator):
    made = run("apikey", "create", "--name", "phone")
    secret = made.out.strip()
    assert apikeys.authenticate(secret).user_id == operator
    listed = run("apikey", "list").out
    assert "phone" in listed
    assert secret not in listed
    assert secret not in run("apikey", "list", "--json").out


def test_it_binds_a_key_to_a_profile(operator):
    anna = person("anna")
    secret = run("apikey", "create", "--user", "anna", "--profile", "kitchen", "--json").json["key"]
    assert apikeys.authenticate(secret).profile_id == profiles.resolve(user_id=anna.user_id, name="kitchen").id
    keys = run("apikey", "list", "--user", "anna", "--json").json
    assert [(k["user"], k["profile"]) for k in keys] == [("anna", None), ("anna", "kitchen")]


def test_it_revokes_by_the_beginning_of_an_id(operator):
    made = run("apikey", "create", "--json").json
    assert run("apikey", "revoke", made["id"][:18]).out.strip() == "Revoked."
    assert apikeys.authenticate(made["key"]) is None
    assert "revoked" in run("apikey", "list").out


def test_it_says_what_is_not_there(operator):
    run("apikey", "create")
    run("apikey", "create")
    with pytest.raises(NotFound):
        run("apikey", "create", "--user", "nobody")
    with pytest.raises(NotFound):
        run("apikey", "revoke", "zzz")
    with pytest.raises(NotFound):
        run("apikey", "revoke", "")
    with pytest.raises(Conflict):
        run("apikey", "revoke", "0")


def test_a_shell_gets_a_sentence_and_a_code(operator):
    missing = shell("apikey", "create", "--user", "nobody")
    assert (missing.code, missing.err, missing.out) == (1, "There is no account 'nobody'.\n", "")
    wrong = shell("apikey", "destroy")
    assert wrong.code == 2
    assert "Traceback" not in wrong.err
    assert typed("apikey").code == 2
    assert typed("apikey", "create", "--help").code == 0
