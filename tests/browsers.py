"""A real browser without a screen for the tests that need one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
START_SECONDS = 60
PAGE_SECONDS = 120
"""How long a page may take over anything: a machine that is busy is slow, and no fault."""


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start a Chromium or Chrome that is installed, or skip the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if is_root else [])]
    with playwright.sync_playwright() as started:
        try:
            browser = started.chromium.launch(
                executable_path=found, args=arguments, timeout=START_SECONDS * 1000
            )
        except playwright.Error as error:  # the machine's fault: no page of ours is open yet
            pytest.skip(f"{found} doesn't start: {str(error).splitlines()[0]}")
        yield browser
        browser.close()


def new_page(browser: Any, **options: Any) -> Any:
    """Open an empty page that waits long enough for a busy machine."""
    page = browser.new_page(**options)
    page.set_default_timeout(PAGE_SECONDS * 1000)
    return page
