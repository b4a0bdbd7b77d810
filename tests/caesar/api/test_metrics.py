"""GET /metrics."""

import pytest
from pydantic import SecretStr

from tests.caesar.api.told import make_work, tell


@pytest.fixture
def token(settings):
    token = SecretStr("a-token-for-prometheus")
    settings.CAESAR = settings.CAESAR.model_copy(update={"metrics_token": token})
    return token.get_secret_value()


def test_it_counts_work_and_lag(anna):
    tell(anna, "I like tea.")
    make_work()
    tell(anna, "I like rice.")
    response = anna.get("/metrics")
    assert response.status_code == 200
    assert response["content-type"].startswith("text/plain")
    lines = response.content.decode().splitlines()
    assert 'caesar_work_items{kind="extract",state="waiting"} 1.0' in lines
    assert 'caesar_work_items{kind="summarise",state="dead"} 0.0' in lines
    assert 'caesar_cursor_lag_rows{kind="extract"} 1.0' in lines
    assert any(line.startswith("caesar_chats_open") for line in lines)


def test_it_opens_with_the_token(nobody, token):
    assert nobody.get("/metrics", Authorization=f"Bearer {token}").status_code == 200
    assert nobody.get("/metrics", Authorization=f"Bearer {token}x").status_code == 401
    assert nobody.get("/metrics", Authorization=f"Basic {token}").status_code == 401
    assert nobody.get(f"/metrics?token={token}").status_code == 401


def test_it_opens_for_nobody_with_an_empty_token(nobody):
    assert nobody.get("/metrics", Authorization="Bearer ").status_code == 401


def test_it_opens_with_an_api_key_beside_the_token(anna, token):
    assert anna.get("/metrics").status_code == 200
