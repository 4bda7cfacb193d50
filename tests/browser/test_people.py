"""Signing in, proposing, agreeing and signing out in a browser, under names a provider knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from distpriv.store import all_decisions, open_store
from distpriv.store.audit import check_trail, trail
from tests.browser.driver import Watched, says, shot, unfold
from tests.provider import Provider, configuration, free_port, provider, served

pytestmark = pytest.mark.browser
ROLES = 'claim = "roles"\n'


@pytest.fixture(scope="module")
def identity() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture
def place(identity: Provider, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The dashboard's address and its database."""
    port, database = free_port(), f"sqlite:///{tmp_path}/kept.sqlite"
    file = configuration(tmp_path / "in.toml", f"http://127.0.0.1:{port}", identity.metadata, ROLES)
    for name, role in (("ann", "analyst"), ("bob", "approver")):
        identity.person(
            name, name=f"{name.title()} Example", email=f"{name}@example.org",
            email_verified=True, roles=[role],
        )  # fmt: skip
    log = str(tmp_path / "log")
    with served(port, DISTPRIV_SIGN_IN=str(file), DATABASE_URL=database, LOG=log) as (address, _):
        yield address, database


def sign_in(page: Page, who: str) -> None:
    page.get_by_role("button", name="Sign in with Test University").click()
    page.get_by_placeholder("sub").fill(who)
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="End session").click()
    says(page, "You are signed out.")


def alone(watch: Watched) -> Page:
    """The provider's page asks for a style sheet from elsewhere, which it does not get here."""
    page = watch.page
    page.context.route("**/*", lambda route: route.continue_()
                       if "127.0.0.1" in route.request.url else route.abort())  # fmt: skip
    return page


def test_one_proposes_another_agrees_and_nothing_stays_when_they_have_gone(
    place: tuple[str, str], watched: Callable[..., Watched]
) -> None:
    address, database = place
    ann = watched()
    page = alone(ann)
    page.goto(f"{address}/decide?show=Report")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    shot(page, "people-gate")
    sign_in(page, "ann")
    report = page.get_by_role("tab", name="Report")  # where the link led to
    expect(report).to_have_attribute("aria-selected", "true")
    ann.idle()
    page.get_by_role("tab", name="Propose").click()
    name = page.get_by_role("textbox", name="Your name")
    expect(name).to_be_disabled()
    expect(name).to_have_value("Ann Example (ann@example.org, verified by " + _issuer(page, name))
    page.get_by_role("textbox", name="Why").fill("Enough for the report.")
    page.get_by_role("button", name="Propose", exact=True).click()
    says(page, "An approver agrees to decisions or rejects them; your role here is analyst.")
    expect(page.get_by_role("button", name="Agree", exact=True)).to_be_disabled()
    shot(page, "people-analyst")
    kept = "sessionStorage.getItem('distpriv.workspace')"
    page.wait_for_function(f"() => {kept} !== null && JSON.parse({kept}).owner !== ''")
    other = page.context.new_page()  # a second tab of the same person
    other.goto(f"{address}/decide")
    says(other, "Enough for the report.")
    sign_out(page)
    page.wait_for_function(f"() => {kept} === null")
    for _ in range(5):  # past the provider's page
        with suppress(Error):  # the page before may lead on by itself
            page.go_back(wait_until="commit")
        if page.url.startswith(f"{address}/decide"):
            break
    expect(page.get_by_role("button", name="Sign in with Test University")).to_be_visible()
    expect(page.get_by_text("Enough for the report.")).to_have_count(0)
    other.get_by_role("button", name="Change it").click()
    says(other, "Your sign-in has ended; sign in again.")
    expect(other.get_by_text("Enough for the report.")).to_have_count(0)
    other.close()

    bob = watched(390, 844)
    page = alone(bob)
    (decision,) = all_decisions(open_store(database))
    page.goto(f"{address}/?role=stakeholder&decision={decision.key}")
    sign_in(page, "bob")
    says(page, "May this be published?")
    page.get_by_role("textbox", name="Your reason").fill("Fine.")
    shot(page, "people-stakeholder")
    page.get_by_role("button", name="Agree", exact=True).click()
    says(page, "What was decided")
    page.goto(f"{address}/decide?show=On+record")
    bob.idle()
    unfold(page, "Audit trail")
    page.get_by_role("button", name="Check the trail").click()
    says(page, "The trail is unbroken up to row 5.")
    shot(page, "people-trail")
    page.get_by_role("tab", name="Propose").click()
    says(page, "An analyst proposes and changes decisions; your role here is approver.")
    expect(page.get_by_role("button", name="Propose", exact=True)).to_be_disabled()

    (decision,) = all_decisions(open_store(database))
    assert [each.author for each in decision.revisions] == ["Ann Example", "Bob Example"]
    assert [each.verified is not None for each in decision.revisions] == [True, True]
    told = trail(open_store(database))
    assert [row.act for row in told] == [
        "signed in", "proposed", "signed out", "signed in", "agreed",
    ]  # fmt: skip
    assert check_trail(open_store(database)).wrong == ()


def _issuer(page: Page, name) -> str:
    return name.input_value().partition("verified by ")[2]
