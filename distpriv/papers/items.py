"""The tables and figures that are recomputed, in the order of the papers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ITEMS", "Item"]


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    Attributes
    ----------
    key : str
    paper : str
    name : str
        E.g. ``Table 3``.
    title : str
        What it shows.
    printed : str
        What the paper prints of it, and how it is recomputed.
    errata : tuple of int
        Numbers of the errata that concern it.
    simulated : bool
        Whether its figures come in while the attacks run.
    """

    key: str
    paper: str
    name: str
    title: str
    printed: str
    errata: tuple[int, ...] = ()
    simulated: bool = False


_CHEN = "Chen & Ohrimenko (2023, full version)"
_ZHANG = "Zhang et al. (2022)"
_LIU = "Liu et al. (2019)"

ITEMS = {
    item.key: item
    for item in (
        Item(
            "table-1",
            _CHEN,
            "Table 1",
            "the released statistics",
            "The query. The paper prints no figures of it but the number of complete records; "
            "beside each statistic stands its mean under both shares of income, as fitted here.",
        ),
        Item(
            "table-2",
            _CHEN,
            "Table 2",
            "the mechanisms",
            "The mechanisms that the experiments compare, by the paper's shorthand. No figures.",
            (3, 12),
        ),
        Item(
            "table-3",
            _CHEN,
            "Table 3",
            "L2 error by mechanism and ε",
            "Income, Δp = 0.1, δ = 0.001. The paper prints means of 50 draws, with a model fitted "
            "to 1000 subsets; ours are expectations, in closed form. Beside them: where 95\u00a0% "
            "of repeats of the paper's experiment would put the printed figure.",
            (1, 2, 12),
        ),
        Item(
            "table-4",
            _CHEN,
            "Table 4",
            "accuracy of the attack",
            "Income, Δp = 0.1. Means of 50 repetitions in the paper; ours are simulated in the "
            "same way. Accuracies that differ by at most 0.02 agree.",
            (2, 5, 12),
            simulated=True,
        ),
        Item(
            "figure-1",
            _CHEN,
            "Figure 1",
            "W∞ against (W, δ)-closeness",
            "Two distributions on 1, 2, 3 and 100, and the moves between them; computed exactly.",
            (9,),
        ),
        Item(
            "figure-2",
            _CHEN,
            "Figure 2",
            "error against ε",
            "The paper draws the curves and prints no values; for income the points of its "
            "Table 3 are marked.",
            (1, 2, 12),
        ),
        Item(
            "figure-3",
            _CHEN,
            "Figure 3",
            "error against Δp",
            "ε = 1, δ = 0.001. The curves have no printed values; the text says up to which Δp "
            "DauM errs less than differential privacy, read off points 0.02 apart.",
            (12,),
        ),
        Item(
            "figure-4",
            _CHEN,
            "Figure 4",
            "accuracy of the attack against Δp and ε",
            "The curves have no printed values; the text says what they come to at their ends. "
            "Accuracies that differ by at most 0.02 agree.",
            (2, 5, 12),
            simulated=True,
        ),
        Item(
            "figure-5",
            _CHEN,
            "Figure 5",
            "are the statistics normal?",
            "Histograms of 1000 subsets without values; Appendix D.1 gives two variances, which "
            "are estimates from those subsets.",
            (4,),
        ),
        Item(
            "figure-6",
            _CHEN,
            "Figure 6",
            "what the noise looks like",
            "The paper draws 20 releases a mechanism and prints no values, so there is nothing to "
            "hold ours against: the same picture, drawn anew.",
            (12,),
        ),
        Item(
            "hospital",
            _ZHANG,
            "Section 4.2",
            "the hospital",
            "ε = 1, δ = 0.001. The errors are means of 100 runs in the paper and expectations "
            "here; the averages are of 50 simulated patients there and of their model here.",
            (6,),
        ),
        Item(
            "example-1",
            _ZHANG,
            "Example 1",
            "the school, with the network of Figure 1",
            "The paper gives the network and no tables: those are ours, and so is the influence.",
            (7,),
        ),
        Item(
            "liu-table-1",
            _LIU,
            "Table 1",
            "largest ε under a bound on the F-score",
            "Closed form. The paper cuts or rounds to two digits, so that 0.01 is the tolerance.",
            (8,),
        ),
        Item(
            "liu-figure-3",
            _LIU,
            "Figure 3",
            "precision, recall and F-score",
            "Closed form. No printed values but one in the text; the points of Table 1 are marked. "
            "The paper's further figures are the same curves for other attackers.",
        ),
    )
}
"""By key."""
