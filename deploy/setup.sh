#!/bin/sh
# Makes .venv and installs the given requirements files into it; says nothing when that is done already.
#
#   deploy/setup.sh requirements.txt [requirements-dev.txt ...]
#
# PYTHON=python3.12          the Python to make .venv with
# PIP_EXTRA_INDEX_URL=URL    one more package index (torch for the processor alone, a mirror)
#
# Where pip is configured otherwise (an index, a folder of wheels), that holds here too.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# The first of the usual names that runs and is new enough.
find_python() {
    for name in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
        # A name may stand on the PATH and still not run: a pyenv shim of a version that is not chosen.
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    if [ -n "${PYTHON:-}" ]; then fail "PYTHON=$PYTHON does not run or is older than 3.11: name another one."; fi
    fail "Python 3.11 or newer is needed and none was found: install it (Debian, Ubuntu: apt install python3 python3-venv)."
}

make_venv() {
    python=$(find_python)
    if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        fail "$python has no venv module: install it (Debian, Ubuntu: apt install python3-venv)."
    fi
    say "making .venv with $("$python" --version 2>&1)"
    rm -rf .venv
    "$python" -m venv .venv || fail ".venv cannot be made: see the lines above (is the disk full?)."
}

fingerprint() { cksum <"$1"; }
stamp() { echo ".venv/installed-$(basename "$1")"; }

# Packages of weights name what would run them: here a runtime that has to be compiled, there torch, and neither is used.
flags() { case $1 in requirements-llama-test.txt | requirements-onnx.txt) echo --no-deps ;; esac; }

# uv does not read pip's configuration, so where pip would look is handed on.
with_uv() {
    pip_says() { .venv/bin/python -m pip config get "global.$1" 2>/dev/null || true; }
    .venv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9 || return 1
    index=${UV_DEFAULT_INDEX:-${PIP_INDEX_URL:-$(pip_says index-url)}}
    if [ -n "$index" ]; then export UV_DEFAULT_INDEX="$index"; fi
    extra=${UV_EXTRA_INDEX_URL:-${PIP_EXTRA_INDEX_URL:-}}
    if [ -n "$extra" ]; then export UV_EXTRA_INDEX_URL="$extra" UV_INDEX_STRATEGY=unsafe-best-match; fi
    wheels=${UV_FIND_LINKS:-${PIP_FIND_LINKS:-$(pip_says find-links)}}
    if [ -n "$wheels" ]; then export UV_FIND_LINKS="$wheels"; fi
    # shellcheck disable=SC2046 # no flag, or one word
    .venv/bin/uv pip install --python .venv/bin/python $(flags "$1") --requirement "$1"
}

# shellcheck disable=SC2046 # no flag, or one word
with_pip() { .venv/bin/python -m pip install --disable-pip-version-check $(flags "$1") --requirement "$1"; }

install() {
    say "installing what $1 lists (the first time this takes a minute or two)"
    with_uv "$1" || {
        say "uv could not install it, trying pip"
        with_pip "$1" || fail "$1 cannot be installed: see the lines above (network, disk space, PIP_EXTRA_INDEX_URL)."
    }
    fingerprint "$1" >"$(stamp "$1")"
    # The development lock holds the usual one, and that holds the small one.
    case $1 in requirements-dev.txt) fingerprint requirements.txt >"$(stamp requirements.txt)" ;; esac
    case $1 in requirements-dev.txt | requirements.txt) rm -f "$(stamp requirements-onnx.txt)" ;; esac
}

if ! .venv/bin/python -c 'import pip' 2>/dev/null; then make_venv; fi
for file in "$@"; do
    if [ "$(cat "$(stamp "$file")" 2>/dev/null)" != "$(fingerprint "$file")" ]; then install "$file"; fi
done
