"""The pages of the dashboard: the one list that navigation, links, tests and scripts read."""

from __future__ import annotations

from dataclasses import dataclass

from distpriv.resources import HOME

__all__ = ["PAGES", "PageSpec", "file_of"]


@dataclass(frozen=True)
class PageSpec:
    """A page of the dashboard.

    Attributes
    ----------
    name : str
        Of its script and in its address.
    title : str
        In the navigation.
    section : str
        Of the navigation.
    icon : str
        A Material icon.
    """

    name: str
    title: str
    section: str
    icon: str

    @property
    def file(self) -> str:
        """Path of its script."""
        return str(HOME / "pages" / f"{self.name}.py")


PAGES = (
    PageSpec("data", "Data", "Set up", ":material/table:"),
    PageSpec("secret", "Secret & release", "Set up", ":material/lock:"),
    PageSpec("fit", "Gaussian fit", "Explore", ":material/show_chart:"),
    PageSpec("directions", "Directions", "Explore", ":material/explore:"),
    PageSpec("tradeoff", "Privacy–utility", "Explore", ":material/balance:"),
    PageSpec("guarantee", "Guarantee", "Explore", ":material/verified_user:"),
    PageSpec("attack", "Attack", "Explore", ":material/person_search:"),
    PageSpec("belief", "Belief", "Explore", ":material/psychology:"),
    PageSpec("choosing", "Choosing ε", "Decide", ":material/tune:"),
    PageSpec("assumptions", "Assumptions", "Decide", ":material/foundation:"),
    PageSpec("compare", "Compare & report", "Decide", ":material/compare:"),
    PageSpec("decisions", "Decisions", "Decide", ":material/gavel:"),
    PageSpec("release", "Release", "Decide", ":material/outbox:"),
    PageSpec("wasserstein", "Wasserstein", "More mechanisms", ":material/moving:"),
    PageSpec("attribute", "Attribute privacy", "More mechanisms", ":material/groups:"),
    PageSpec("tour", "Guided tour", "Learn", ":material/school:"),
    PageSpec("frameworks", "Frameworks", "Learn", ":material/hub:"),
    PageSpec("papers", "Paper results", "Learn", ":material/article:"),
)


def file_of(name: str) -> str:
    """Path of a page's script."""
    return next(page.file for page in PAGES if page.name == name)
