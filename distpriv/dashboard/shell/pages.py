"""The pages of the dashboard: the one list that navigation, links, tests and scripts read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from distpriv.export.script import (
    Script,
    Section,
    Setting,
    attackers,
    attributes,
    learning,
    releasing,
    scenario,
    script_of,
    teaching,
    tradeoffs,
)
from distpriv.resources import HOME

__all__ = ["MOVED", "PAGES", "PageSpec", "footer", "link"]


@dataclass(frozen=True)
class PageSpec:
    """A page of the dashboard.

    Attributes
    ----------
    name : str
        Of its script and in its address.
    title : str
        In the navigation.
    heading : str
        The question it answers, above the page and its script.
    section : str
        Of the navigation; a place of the way has none.
    icon : str
        A Material icon.
    writer : callable
        Gives the sections of the script with the page's numbers.
    of_scenario : bool
        Whether the scenario's controls act on it, and its script begins with the scenario.
    """

    name: str
    title: str
    heading: str
    section: str
    icon: str
    writer: Callable[..., list[Section]]
    of_scenario: bool = True

    @property
    def file(self) -> str:
        """Path of its script."""
        return str(HOME / "pages" / f"{self.name}.py")

    def script(self, setting: Setting, shown: Mapping[str, Any] | None = None) -> Script:
        """The script that gives the page's numbers; `shown` is what its own controls say."""
        return script_of(self.heading, self.writer, setting, shown, of_scenario=self.of_scenario)


# fmt: off
PAGES = (
    PageSpec("question", "Question", "Is it safe to publish?",
             "", ":material/help_center:", scenario.question),
    PageSpec("answer", "Answer", "Which ε is small enough?",
             "", ":material/tune:", tradeoffs.choosing),
    PageSpec("compare", "Compare", "Which scenario is better?",
             "", ":material/compare:", scenario.compared),
    PageSpec("decide", "Decide & report", "Who decides on which ε, and why?",
             "", ":material/gavel:", scenario.compared),
    PageSpec("release", "Release", "What is out, and what comes next?",
             "", ":material/outbox:", releasing.release),
    PageSpec("tour", "Guided tour", "A tour in seven steps",
             "Learn", ":material/school:", teaching.tour, of_scenario=False),
    PageSpec("classroom", "Classroom", "A class plays the attacker",
             "Learn", ":material/groups_2:", teaching.classroom, of_scenario=False),
    PageSpec("gallery", "Gallery", "Which example would you like to try?",
             "Learn", ":material/gallery_thumbnail:", teaching.gallery, of_scenario=False),
    PageSpec("glossary", "Glossary", "What does the word mean?",
             "Learn", ":material/dictionary:", teaching.glossary, of_scenario=False),
    PageSpec("frameworks", "Frameworks", "Which privacy is it?",
             "Learn", ":material/hub:", attributes.frameworks, of_scenario=False),
    PageSpec("papers", "Paper results", "Do the papers' figures hold?",
             "Learn", ":material/article:", teaching.papers, of_scenario=False),
    PageSpec("fit", "Gaussian fit", "Are the statistics normal?",
             "Expert", ":material/show_chart:", learning.fit),
    PageSpec("assumptions", "Assumptions", "What does the promise rest on?",
             "Expert", ":material/foundation:", learning.assumptions),
    PageSpec("directions", "Directions", "Where does the secret show?",
             "Expert", ":material/explore:", scenario.directions),
    PageSpec("tradeoff", "Privacy–utility", "What does hiding it cost?",
             "Expert", ":material/balance:", tradeoffs.tradeoff),
    PageSpec("guarantee", "Guarantee", "Is the promise kept?",
             "Expert", ":material/verified_user:", tradeoffs.guarantee),
    PageSpec("attack", "Attack", "Can an attacker tell?",
             "Expert", ":material/person_search:", attackers.attack),
    PageSpec("belief", "Belief", "What does the attacker believe?",
             "Expert", ":material/psychology:", attackers.belief),
    PageSpec("wasserstein", "Wasserstein", "How far must the statistics move?",
             "Expert", ":material/moving:", learning.wasserstein),
    PageSpec("attribute", "Attribute privacy", "Does a release give an attribute away?",
             "Expert", ":material/groups:", attributes.attribute, of_scenario=False),
)
# Addresses of before, and where they lead.
MOVED = {"data": "question", "secret": "question", "choosing": "answer", "decisions": "decide"}  # nosec B105 # a page
# fmt: on


def link(
    name: str, label: str | None = None, icon: str = "", query: Mapping[str, str] | None = None
) -> None:
    """A link to a page, by default with its title and its icon.

    Parameters
    ----------
    name : str
        Of the page.
    label, icon : str, optional
    query : mapping, optional
        Parameters of the address.
    """
    spec = next(spec for spec in PAGES if spec.name == name)
    st.page_link(spec.file, label=label or spec.title, icon=icon or spec.icon, query_params=query)


def footer(spec: PageSpec) -> None:
    """Links to the place before and the place after, so that the way can be walked in order."""
    section = [page for page in PAGES if page.section == spec.section]
    place = section.index(spec)
    st.divider()
    with st.container(key=f"foot_{spec.name}"):
        left, right = st.columns(2)
    if place > 0:
        with left:
            link(section[place - 1].name, icon=":material/arrow_back:")
    if place + 1 < len(section):
        with right:
            link(section[place + 1].name, icon=":material/arrow_forward:")
