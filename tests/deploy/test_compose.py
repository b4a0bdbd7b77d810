"""docker-compose.yml: valid, pinned, closed, and in agreement with the settings and the tree."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import pytest

from caesar import envfile
from caesar.config import ROOT, SECRETS, config
from caesar.up import children
from tests.deploy import reading

ALL = reading.services("ollama", "tls", "monitoring")
PINNED = re.compile(r"[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?[a-z0-9.-]*")
# What a process is, and what the proxy and other programs are told: no settings.
NOT_SETTINGS = {"CAESAR_PROCESS"}


def settings() -> set[str]:
    names = {name for name, _ in envfile.fields()}
    return names | {f"{name}_FILE" for name in SECRETS}


def test_it_is_what_the_specification_says() -> None:
    jsonschema.Draft202012Validator(reading.schema()).validate(reading.compose())
    wrong = {**reading.compose(), "services": {"db": {"imagee": "x"}}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(reading.schema()).validate(wrong)


@pytest.mark.parametrize("name", ALL)
def test_its_image_is_pinned(name: str) -> None:
    image = ALL[name]["image"]
    assert PINNED.fullmatch(image), image
    assert "latest" not in image


def test_only_the_web_is_published_and_on_the_loopback_alone() -> None:
    published = {name: service["ports"] for name, service in reading.services().items() if service.get("ports")}
    assert published == {"web": ["127.0.0.1:8000:8000"]}
    for name, service in ALL.items():
        assert service.get("network_mode") is None
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:") or (name, port.split(":")[0]) in {("caddy", "80"), ("caddy", "443")}


def test_database_and_broker_have_no_way_in_or_out() -> None:
    networks = reading.compose()["networks"]
    for name in ("db", "redis"):
        assert ALL[name]["networks"] == ["data"]
    assert networks["data"]["internal"] is True


@pytest.mark.parametrize("name", reading.ours())
def test_our_containers_may_do_little(name: str) -> None:
    service = reading.ours()[name]
    assert service["read_only"] is True
    assert service["user"] == "10001:10001"
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not service.get("privileged")


@pytest.mark.parametrize("name", reading.ours())
def test_every_variable_is_a_setting_and_no_secret_stands_in_the_file(name: str) -> None:
    environment: dict[str, str] = reading.ours()[name]["environment"]
    assert set(environment) - NOT_SETTINGS <= settings()
    assert not set(environment) & set(SECRETS)
    secrets = reading.ours()[name]["secrets"]
    files = [value for variable, value in environment.items() if variable.endswith("_FILE") and value]
    assert sorted(files) == sorted(f"/run/secrets/{secret}" for secret in secrets)


@pytest.mark.parametrize("name", ALL)
def test_what_it_names_is_there(name: str) -> None:
    found = reading.compose()
    service = ALL[name]
    assert set(service.get("secrets", [])) <= set(found["secrets"])
    networks = service["networks"]
    assert set(networks) <= set(found["networks"])
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        assert source in found["volumes"] if "/" not in source else (ROOT / source).exists(), volume
    for other, how in service.get("depends_on", {}).items():
        needed = found["services"][other]
        assert how["condition"] in ("service_healthy", "service_completed_successfully")
        if how["condition"] == "service_healthy":
            assert needed["healthcheck"]["test"]
        else:
            assert needed["restart"] == "no"


def test_each_has_a_health_check_or_says_why_not() -> None:
    without = {name for name, service in ALL.items() if "test" not in service.get("healthcheck", {})}
    assert without == {"migrate", "beat"}


def test_nothing_is_left_over() -> None:
    found = reading.compose()
    used: dict[str, set[Any]] = {"secrets": set(), "volumes": set(), "networks": set()}
    for service in ALL.values():
        used["secrets"] |= set(service.get("secrets", []))
        used["volumes"] |= {volume.split(":")[0] for volume in service.get("volumes", [])}
        used["networks"] |= set(service["networks"])
    for kind, names in used.items():
        assert set(found[kind]) == {name for name in names if "/" not in name}, kind


def test_each_process_is_run_as_up_runs_it() -> None:
    proxy = reading.compose()["services"]["caddy"]["networks"]["edge"]["ipv4_address"]
    here = config().model_copy(update={"host": "0.0.0.0", "port": 8000, "trusted_proxies": proxy})
    wanted = {"web": children.web(here), "worker": children.worker(here), "beat": children.beat(here)}
    for name, spec in wanted.items():
        service = reading.ours()[name]
        command = ["python", *spec.command[1:]]
        assert service["command"] == [part.replace("up@%h", "compose@%h") for part in command], name
        image = reading.image_environment() | service["environment"]
        for variable, value in spec.env.items():
            if variable not in ("PYTHONPATH", "CAESAR_HOME", "PYTHONWARNINGS"):
                assert image[variable] == value, (name, variable)
    assert reading.ours()["web"]["environment"]["CAESAR_TRUSTED_PROXIES"] == proxy


def test_the_proxys_address_is_in_its_network() -> None:
    import ipaddress

    edge = reading.compose()["networks"]["edge"]["ipam"]["config"][0]["subnet"]
    address = reading.compose()["services"]["caddy"]["networks"]["edge"]["ipv4_address"]
    assert ipaddress.ip_address(address) in ipaddress.ip_network(edge)


def test_the_images_release_is_this_one() -> None:
    from memory.version import VERSION

    assert {service["image"] for service in reading.ours().values()} == {f"caesar-memory:{VERSION}"}


def test_whoever_is_asked_by_name_serves_that_name() -> None:
    """Prometheus asks web:8000, and the guard looks at the name."""
    hosts = reading.ours()["web"]["environment"]["CAESAR_ALLOWED_HOSTS"].split(",")
    assert "web" in hosts
