"""Prometheus, Grafana and Caddy are told of what there is."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from caesar.config import ROOT
from tests.deploy import reading

MONITORING = ROOT / "deploy" / "monitoring"
BOARD = json.loads((MONITORING / "grafana" / "dashboards" / "caesar.json").read_text())


def expressions() -> list[str]:
    shown = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    alerts = yaml.safe_load((MONITORING / "alerts.yml").read_text())
    return shown + [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]


def test_every_metric_that_is_asked_for_is_told(database: object) -> None:
    told = reading.metrics()
    asked = {name for each in expressions() for name in reading.asked_of(each)}
    assert asked - told == set()
    ours = {name for name in told if name.startswith("caesar_") and not name.endswith(("_sum", "_count"))}
    assert ours - asked <= {"caesar_cursor_lag_rows"}  # its age says more


@pytest.mark.parametrize("panel", BOARD["panels"], ids=lambda panel: panel["title"])
def test_each_panel_has_a_place_and_a_source(panel: dict) -> None:
    place = panel["gridPos"]
    assert place["x"] + place["w"] <= 24
    assert panel["datasource"]["uid"] == "caesar-prometheus"
    for target in panel["targets"]:
        assert target["expr"].count("(") == target["expr"].count(")")


def test_no_two_panels_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + 8)}
        assert not cells & taken, panel["title"]
        taken |= cells


def test_the_source_is_the_one_that_is_provided() -> None:
    sources = yaml.safe_load((MONITORING / "grafana/provisioning/datasources/prometheus.yml").read_text())
    assert sources["datasources"][0]["uid"] == "caesar-prometheus"
    assert sources["datasources"][0]["url"] == "http://prometheus:9090"
    boards = yaml.safe_load((MONITORING / "grafana/provisioning/dashboards/caesar.yml").read_text())
    mounted = reading.compose()["services"]["grafana"]["volumes"]
    assert any(volume.split(":")[1] == boards["providers"][0]["options"]["path"] for volume in mounted)


def test_prometheus_asks_the_web_with_its_token() -> None:
    (job,) = yaml.safe_load((MONITORING / "prometheus.yml").read_text())["scrape_configs"]
    (target,) = job["static_configs"][0]["targets"]
    web = reading.ours()["web"]
    name, port = target.split(":")
    assert name == "web"
    assert port == web["command"][web["command"].index("--port") + 1]
    assert job["authorization"]["credentials_file"] == web["environment"]["CAESAR_METRICS_TOKEN_FILE"]
    assert "metrics-token" in reading.compose()["services"]["prometheus"]["secrets"]
    rules = yaml.safe_load((MONITORING / "prometheus.yml").read_text())["rule_files"]
    mounted = reading.compose()["services"]["prometheus"]["volumes"]
    assert all(any(volume.split(":")[1].endswith(f"/{rule}") for volume in mounted) for rule in rules)


def test_caddy_knows_where_the_web_is() -> None:
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    caddy = reading.compose()["services"]["caddy"]
    assert set(re.findall(r"\{\$(\w+)", text)) == set(caddy["environment"])
    assert caddy["environment"]["CAESAR_UPSTREAM"] == "web:8000"
    assert text.count("{") == text.count("}")
    assert "flush_interval -1" in text
