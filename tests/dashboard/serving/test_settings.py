"""The server's settings: what they may hold, and the sentence where they hold something else."""

from __future__ import annotations

import os
import subprocess
import sys
from ipaddress import ip_network

import pytest

from distpriv.dashboard.serving.addresses import parse_origin
from distpriv.dashboard.serving.settings import Rate, read
from distpriv.errors import ServingError
from distpriv.resources import HOME


def test_nothing_set_is_the_closed_default() -> None:
    settings = read({})
    assert settings.hosts == settings.origins == settings.frame_ancestors == settings.proxies == ()
    assert set(settings.requests) == {"sessions", "uploads", "runs"}
    assert read({"DISTPRIV_HOSTS": "  "}) == settings


def test_everything_set() -> None:
    settings = read(
        {
            "DISTPRIV_HOSTS": "Stats.example.org, *.example.net ::1",
            "DISTPRIV_ORIGINS": "https://a.example.org:443",
            "DISTPRIV_FRAME_ANCESTORS": "self https://course.example.org:8443 https://*.edu.example",
            "DISTPRIV_PROXIES": "10.0.0.2,10.1.0.0/16 fd00::/8",
            "DISTPRIV_REQUESTS": "uploads=3/hour",
        }
    )
    assert settings.hosts == ("stats.example.org", "*.example.net", "::1")
    assert settings.origins == (parse_origin("https://a.example.org"),)
    assert settings.frame_ancestors == (
        "'self'",
        "https://course.example.org:8443",
        "https://*.edu.example",
    )
    assert settings.proxies == tuple(map(ip_network, ("10.0.0.2", "10.1.0.0/16", "fd00::/8")))
    assert settings.requests["uploads"] == Rate(3, 3600)
    assert settings.requests["sessions"] == read({}).requests["sessions"]
    assert read({"DISTPRIV_REQUESTS": "off"}).requests == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOSTS", "https://stats.example.org"),
        ("HOSTS", "stats.example.org:8501"),
        ("HOSTS", "stats.*.org"),
        ("HOSTS", "**"),
        ("ORIGINS", "stats.example.org"),
        ("ORIGINS", "https://stats.example.org/path"),
        ("ORIGINS", "*"),
        ("FRAME_ANCESTORS", "*"),
        ("FRAME_ANCESTORS", "https://course.example.org; script-src *"),
        ("FRAME_ANCESTORS", "https://course.example.org/course"),
        ("FRAME_ANCESTORS", "data:"),
        ("PROXIES", "nginx"),
        ("PROXIES", "10.0.0.1/8"),
        ("PROXIES", "0.0.0.0/0"),
        ("PROXIES", "::/0"),
        ("PROXIES", "*"),
        ("REQUESTS", "uploads"),
        ("REQUESTS", "uploads=0/minute"),
        ("REQUESTS", "uploads=-1/minute"),
        ("REQUESTS", "upload=1/minute"),
        ("REQUESTS", "uploads=1/year"),
        ("REQUESTS", "none"),
    ],
)
def test_a_wrong_value_is_told_in_one_sentence(name: str, value: str) -> None:
    variable = f"DISTPRIV_{name}"
    with pytest.raises(ServingError) as caught:
        read({variable: value})
    sentence = str(caught.value)
    assert sentence.startswith(f"{variable} must ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_the_server_does_not_start_with_one() -> None:
    environment = {**os.environ, "DISTPRIV_PROXIES": "nginx"}
    done = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"],
        cwd=HOME,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    assert "does not start: DISTPRIV_PROXIES must be numeric addresses" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
