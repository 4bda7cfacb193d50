"""The exact laws of a fitted model, from the records that its datasets are drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from distpriv.arguments import checked
from distpriv.errors import CalibrationError, ModelError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.exact_laws import ExactLaw, check_statistics, law_of_groups
from distpriv.queries.statistics import Query

__all__ = ["Laws", "known_law", "known_laws", "laws_for", "model_laws"]

Laws = ExactLaw | Sequence[ExactLaw] | None
"""The exact law of a model's pair, or one for each of its pairs; None for the fitted normals."""

_SAME = 1e-6
_ERRORS = 8.0
_MOST = 16_000_000  # probabilities of all pairs, and of what is remembered


@checked(ModelError)
def model_laws(model: GaussianModel) -> tuple[ExactLaw, ...]:
    """The exact law of every pair of a model, in the model's units.

    Computed once from the records behind the model; the same statistics in other units, and other
    promises, share it. What the model's normals are does not matter.

    Parameters
    ----------
    model : GaussianModel
        Of one to three counts or proportions, or one sum or mean on a grid; fitted to records.

    Raises
    ------
    ModelError
        If the records are not known, the law cannot be computed for such statistics or so many
        records (:func:`distpriv.exact_law`), or there are too many pairs of such a size.
    """
    check_statistics(model.query, model.n)
    laws: list[ExactLaw] = []
    for fit in model.pairs:
        laws.append(_law(fit))
        size = laws[-1].probabilities.size
        if len(model.pairs) > 1 and len(model.pairs) * size > _MOST:
            raise ModelError(
                f"The exact laws of {len(model.pairs)} pairs of shares with n = {model.n} and "
                f"{len(model.query)} statistics take too much memory; take at most "
                f"{max(_MOST // size, 1)} pairs, or fewer records or statistics."
            )
    return tuple(laws)


@checked(ModelError)
def known_laws(model: GaussianModel) -> tuple[ExactLaw, ...] | None:
    """:func:`model_laws`, or None where the exact laws of the model are not known."""
    try:
        return model_laws(model)
    except ModelError:
        return None


@checked(ModelError)
def known_law(fit: PairModel) -> ExactLaw | None:
    """The exact law of a single pair, in the model's units; None where it is not known."""
    try:
        return _law(fit)
    except ModelError:
        return None


def laws_for(model: GaussianModel, law: ExactLaw | Sequence[ExactLaw]) -> tuple[ExactLaw, ...]:
    """The laws of a model's pairs, checked; raises `CalibrationError` if they are others'.

    Parameters
    ----------
    model : GaussianModel
    law : ExactLaw or sequence of ExactLaw
        One a pair, in the model's units.
    """
    laws = (law,) if isinstance(law, ExactLaw) else tuple(law)
    if len(laws) != len(model.pairs):
        raise CalibrationError(
            f"A model of {len(model.pairs)} pairs of shares needs as many exact laws, got "
            f"{len(laws)}; take distpriv.privacy.model_laws(model)."
        )
    for fit, exact in zip(model.pairs, laws, strict=True):
        same = (exact.query, exact.pair, exact.n, exact.replacement, exact.share_of) == (
            model.query,
            fit.pair,
            model.n,
            model.replacement,
            model.share_of,
        )
        if not same or not _agree(exact, fit):
            raise CalibrationError(
                f"An exact law is not that of the model's statistics for {fit.pair.label}: their "
                "records, pair, n, way of drawing or units differ; take "
                "distpriv.privacy.model_laws(model)."
            )
    return laws


def _agree(law: ExactLaw, fit: PairModel) -> bool:
    """Whether the means are the same; those of a simulated fit are only about so."""
    means, deviations = law.means, np.sqrt(np.diag(fit.pooled))
    errors = _SAME * deviations if fit.mean_errors is None else _ERRORS * fit.mean_errors
    return bool((np.abs(means - fit.means) <= errors + _SAME * np.abs(means)).all())


def _law(fit: PairModel) -> ExactLaw:
    population, first = fit.population, fit.thetas[0]
    if population is None:
        raise ModelError(
            "The exact law needs the records that datasets are drawn from, and this model knows "
            "their moments only; fit it to a table."
        )
    chosen, every = population.statistics, population.query
    query = Query([every.statistics[index] for index in chosen])
    check_statistics(query, first.n)
    laws: dict[str, ExactLaw | str] = population.computed("exact laws", dict)
    key = f"{chosen} {fit.thetas!r}"
    if key not in laws:
        starts = np.cumsum([0, *every.widths])
        columns = [int(starts[index]) for index in chosen]
        law: ExactLaw | str
        try:
            law = law_of_groups(population.groups.of_columns(columns), query, fit.pair, fit.thetas)
        except ModelError as error:
            law = str(error)
        while laws and sum(map(_size, (law, *laws.values()))) > _MOST:
            del laws[next(iter(laws))]
        laws[key] = law
    computed = laws[key]
    if isinstance(computed, str):
        raise ModelError(computed)
    return computed.in_units(population.units)


def _size(law: ExactLaw | str) -> int:
    return 0 if isinstance(law, str) else law.probabilities.size
