"""What opens a door must be guessable by nobody."""

import pytest

from caesar.config import WrongSetting, load


@pytest.mark.parametrize(
    "name", ["CAESAR_DASHBOARD__TOKEN", "CAESAR_METRICS_TOKEN", "CAESAR_API_KEY", "CAESAR_SECRET_KEY"]
)
@pytest.mark.parametrize("value", ["change-me", "changeme", "test", "secret", "x" * 15])
def test_it_does_not_start_with_a_secret_that_anybody_knows(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(WrongSetting, match=f"{name}: must be at least 16 characters"):
        load()


def test_it_starts_with_a_good_one(monkeypatch):
    monkeypatch.setenv("CAESAR_DASHBOARD__TOKEN", "g7-long-and-never-written-down")
    assert load().dashboard.token.get_secret_value() == "g7-long-and-never-written-down"
