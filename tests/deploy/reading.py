"""The files of the deployment, read as their programs read them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from caesar.config import ROOT

VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


@cache
def compose() -> dict[str, Any]:
    """docker-compose.yml as Compose sees it: variables put in, `$$` made one."""
    text = (ROOT / "docker-compose.yml").read_text()
    text = VARIABLE.sub(lambda found: os.environ.get(found[1], found[2] or ""), text).replace("$$", "$")
    return dict(yaml.safe_load(text))


def services(*profiles: str) -> dict[str, dict[str, Any]]:
    """Those that are run: without a profile, and of the named ones."""
    found: dict[str, dict[str, Any]] = compose()["services"]
    return {name: s for name, s in found.items() if not s.get("profiles") or set(s["profiles"]) & set(profiles)}


def ours() -> dict[str, dict[str, Any]]:
    """The services of our own image."""
    return {name: s for name, s in services().items() if s["image"].startswith("caesar-memory:")}


@cache
def dockerfile() -> list[tuple[str, str]]:
    """(instruction, rest) in order, continued lines joined."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = [line.strip() for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]
    return [(name.upper(), rest.strip()) for name, _, rest in (line.partition(" ") for line in lines)]


def image_environment() -> dict[str, str]:
    """ENV of the last stage."""
    found: dict[str, str] = {}
    for name, rest in dockerfile():
        if name == "FROM":
            found = {}
        elif name == "ENV":
            found |= dict(pair.split("=", 1) for pair in rest.split())
    return found


def metrics() -> set[str]:
    """The names of all that /metrics may tell, with the ending that each kind of metric has."""
    from prometheus_client import REGISTRY

    from caesar.gauges import FromDatabase

    names = set()
    for metric in (*REGISTRY.collect(), *FromDatabase().collect()):
        endings: Mapping[str, tuple[str, ...]] = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
        names |= {metric.name + ending for ending in endings.get(metric.type, ("",))}
    return names


def asked_of(expression: str) -> set[str]:
    """Our metrics in a PromQL expression."""
    return set(re.findall(r"\b(?:caesar|process)_\w+", expression))


def schema() -> dict[str, Any]:
    return dict(json.loads((Path(__file__).parent / "vendor" / "compose-spec.json").read_text()))
