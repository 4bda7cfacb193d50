"""A report saved from the page opens from the disk without a network and prints."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import drawn, go, open_settings, press, shot, unfold

pytestmark = pytest.mark.browser


def save(page: Page, button: str | re.Pattern[str], folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def printed(page: Page, folder: Path) -> str:
    """The text of the file printed to PDF; of what would be printed, where nothing reads a PDF."""
    content = page.pdf(prefer_css_page_size=True, print_background=True)
    assert content.startswith(b"%PDF")
    reader = shutil.which("pdftotext")
    if reader is None:
        page.emulate_media(media="print")
        return page.locator("body").inner_text()
    (folder / "report.pdf").write_bytes(content)
    command = [reader, "-layout", str(folder / "report.pdf"), "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_report_opens_offline_and_prints(app, browser: Browser, tmp_path):
    page = app.page
    go(page, "Compare")
    open_settings(page)
    press(page, "Save charts as", "PNG")
    drawn(page, 1)
    page.locator(".js-plotly-plot").first.hover()
    image = save(page, "Download plot as a PNG", tmp_path)
    assert image.name == "distpriv-compare_accuracy.png"
    assert image.read_bytes().startswith(b"\x89PNG")

    page.get_by_role("link", name="Report", exact=True).click()
    expect(page.get_by_role("tab", name="Report")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Build the report").click()
    expect(page.get_by_text("The report on OptM is ready").last).to_be_visible()
    shot(page, "report-built")
    path = save(page, "HTML, to read and print", tmp_path)
    unfold(page, "As code")
    script = save(page, "Script", tmp_path)
    assert script.name == "distpriv-decide.py"
    assert "import distpriv as dp" in script.read_text(encoding="utf-8")
    assert '"nbformat": 4' in save(page, "Notebook", tmp_path).read_text(encoding="utf-8")

    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    report, said, asked = context.new_page(), [], []
    report.on("console", lambda message: said.append(message.text))
    report.on("pageerror", lambda error: said.append(str(error)))
    report.on("request", lambda request: asked.append(request.url))
    report.goto(path.as_uri())
    drawn(report, 5)
    assert report.evaluate("document.documentElement.scrollWidth") <= 390
    text = printed(report, tmp_path)
    for part in (
        r"right in 76\.1\s% of cases",
        r"promised and delivered",
        r"The promise is kept",
        r"Arithmetic does not undo it",
        r"not refuted",
        r"± 1\.5\d\syears",
        r"Seed of the simulations: 1",
        r"Nobody has put this release on record",
        r"Agreed or rejected by",
        r"No link stands here",  # 127.0.0.1 is this machine alone
    ):
        assert re.search(part, text), part
    shot(report, "report-390")
    assert said == []
    assert asked == [path.as_uri()]
    context.close()
