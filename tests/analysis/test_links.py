"""Statistics and secrets come back from links, whatever their names are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from distpriv.analysis.links import read_secret, read_statistics, write_secret, write_statistics
from distpriv.errors import DistprivError
from distpriv.queries import (
    Correlation,
    Count,
    Mean,
    Proportion,
    Quantile,
    SensitiveProperty,
    Statistic,
)

names = st.text(alphabet="~:,!\\a0 1é", min_size=1, max_size=6)
labels = st.one_of(
    names, st.just(""), st.sampled_from(["~above", "!1", "true"]), st.booleans(), st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
secrets = st.one_of(
    st.builds(
        SensitiveProperty, names, st.lists(labels, min_size=1, max_size=3, unique=True).map(tuple)
    ),
    st.builds(lambda name, x: SensitiveProperty(name, above=x), names, st.floats(-1e9, 1e9)),
    st.builds(lambda name, x: SensitiveProperty(name, below=x), names, st.integers(-5, 5)),
    st.builds(
        lambda name, x: SensitiveProperty(name, between=(x, x + 1)), names, st.floats(0, 1e6)
    ),
    st.builds(
        lambda name, dates: SensitiveProperty(name, between=sorted(dates)),
        names,
        st.tuples(st.datetimes(), st.datetimes()),
    ),
    st.builds(lambda name, x: SensitiveProperty(name, below=x), names, st.dates()),
    st.builds(lambda name, x: SensitiveProperty(name, contains=x), names, names.filter(str.strip)),
)


@settings(max_examples=60)
@given(secrets)
def test_secret_comes_back(secret):
    back = read_secret(write_secret(secret))
    assert back == secret
    assert list(map(type, back.values)) == list(map(type, secret.values))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["count", "proportion", "mean", "sum"]), names, labels)))
def test_statistics_come_back(parts):
    every = tuple(
        Statistic(kind, name, label if kind in ("count", "proportion") else None)
        for kind, name, label in parts
    )
    every += tuple(Quantile(name, 0.37) for _, name, _ in parts)
    every += tuple(Correlation(name, f"{name}{name}") for _, name, _ in parts)
    back = read_statistics(write_statistics(every))
    assert back == every
    assert [type(one.value) for one in back] == [type(one.value) for one in every]


def test_links_are_written_plainly():
    assert write_statistics([Mean("age"), Count("sex", "Female")]) == "mean:age,count:sex:Female"
    assert write_statistics([Proportion("late", 1)]) == "proportion:late:!1"
    several = [Quantile("pay", 0.9), Correlation("age", "pay")]
    assert write_statistics(several) == "quantile:pay:0.9,correlation:age:pay"
    assert write_secret(SensitiveProperty("income", ">50K")) == "income:>50K"
    assert write_secret(SensitiveProperty("age", above=30)).startswith("age:~above:30")
    assert write_secret(SensitiveProperty("a", "~above")) == "a:~0above"
    dates = SensitiveProperty("hired", between=("2010-01-01", "2012-06-30"))
    assert write_secret(dates) == "hired:~between:2010-01-01:2012-06-30"
    assert write_secret(SensitiveProperty("a", contains="b:c")) == "a:~contains:b~1c"


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (
            read_secret,
            "income a:~above:x a:~between:1 a:~above:1:2 a:!{ a:![1] a:~above:nan a:~contains a:~contains:",
        ),
        (read_statistics, "mean largest:a mean:a:b count:a count:a:b:c count:a:! quantile:a"),
        (read_statistics, "quantile:a:x quantile:a:2 correlation:a median:a:b"),
        (read_statistics, ",".join(f"count:a:{k}" for k in range(201))),
    ],
)
def test_what_is_no_secret_or_statistic_is_one_sentence(read, texts):
    for text in texts.split():
        with pytest.raises(DistprivError, match=r"\.$"):
            read(text)
