"""Releases of tables through the door: rules, limits, and attackers on what is released."""

import json
from dataclasses import replace
from hashlib import sha256
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import distpriv as dp
from distpriv.analysis.comparison import judge
from distpriv.errors import DistprivError, NotApplicable, StoreError
from distpriv.mechanisms.draws import rounded, rounded_up
from distpriv.model import AS_IT_IS, Promise, no_data
from distpriv.records import decisions, drawing, ledger as book
from distpriv.records.store import Store
from distpriv.sources import source_of

SECRET, OTHER = dp.SensitiveProperty("late", 1), dp.SensitiveProperty("sex", "f")
PAIR, SEX = dp.Pair(SECRET, 0.3, 0.4), dp.Pair(OTHER, 0.4, 0.6)
FIGURES = dp.Mean("age"), dp.Count("town", "a")


def table(seed=0, n=200, share=0.35):
    """Records whose figures differ much between the groups, in no order."""
    rng = np.random.default_rng(seed)
    late = rng.permutation(np.repeat([0, 1], [n - round(n * share), round(n * share)]))
    return pd.DataFrame(
        {
            "id": rng.permutation(n),
            "age": np.round(rng.normal(40 + 10 * late, 8)),
            "town": np.where(rng.random(n) < 0.1 + 0.8 * late, "a", "b"),
            "sex": rng.permutation(np.repeat(["f", "m"], [n // 2, n - n // 2])),
            "late": late,
        }
    )


@pytest.fixture
def store(tmp_path):
    return Store(f"sqlite:///{tmp_path / 'records.sqlite'}")


def evaluated(frame, pairs=(PAIR,), statistics=FIGURES, reference=None, **more):
    more = {"records": None, "guesses": 70.0} | more
    if reference is not None:
        more["reference_data"] = "public"
    scenario = dp.Scenario("x", secrets=pairs, statistics=statistics, **more)
    return dp.evaluate(scenario, frame, reference=reference)


def naming(now, name="Staff", newer=False):
    return book.Naming(name, now.source.fingerprint, "staff.csv", ("age",), newer)


def way_of(now, key):
    if key == now.scenario.mechanism:
        return now.way
    plain = {"as it is": AS_IT_IS, "no data": no_data(now.model)}
    return judge(now.model, [plain.get(key) or dp.calibrate(key, now.model)], now.promise)[0]


def released(store, now, key="OptM", name="Staff", newer=False, way=None, **more):
    values = {"token": uuid4().hex, "author": "Ana", "reason": "Urgent"} | more
    way = way_of(now, key) if way is None else way
    return drawing.release(store, now, way, naming(now, name, newer), **values)


FRAME = table()
NOW = evaluated(FRAME)


def test_release_is_what_was_drawn_and_what_recipients_need(store):
    entry = released(store, NOW)
    body = entry.body
    assert book.releases(store) == [entry]
    assert body["scenario"] == json.loads(NOW.scenario.to_json())
    noise = NOW.way.release
    np.testing.assert_array_equal(body["law"]["noise"], noise.covariance)
    spread = rounded_up(np.sqrt(noise.covariance.diagonal()), coarse=True)
    assert body["deviations"] == spread.tolist()
    answer = source_of(FRAME).answer(NOW.query)
    assert (np.abs(body["values"] - answer) < 6 * spread).all()
    assert body["values"] != answer.tolist()
    assert all(
        low < value < high
        for value, (low, high) in zip(body["values"], body["intervals"], strict=True)
    )
    assert body["together"] == body["guesses"] == 70
    assert body["promise"] == {"epsilon": 0.0, "delta": 0.4, "guesses": 70.0}
    assert body["estimates"] is body["errors"] is None  # groups are the table's, and would be told
    public = evaluated(table(2), reference=table(1))
    body = released(store, public, name="Other").body
    assert (
        body["deviations"] == rounded_up(np.sqrt(public.way.release.covariance.diagonal())).tolist()
    )
    assert (np.array(body["estimate_errors"]) <= body["errors"]).all()
    assert len(body["estimates"]) == 2
    assert body["table"]["provenance"] == "reference"
    nothing = released(store, public, "no data", name="Other", token="n").body
    assert nothing["values"] == [rounded(x, None) for x in public.model.pairs[0].means.mean(axis=0)]
    assert released(store, public, "no data", name="Other", token="n").body == nothing
    assert len(book.releases(store)) == 3


def test_no_data_depends_on_no_record_but_for_how_many_are_complete(store):
    """Whoever knows all records but one learns nothing of it, where the groups are public."""
    told, means = [], []
    for at, age in enumerate((20.0, 70.0, np.nan)):
        frame = table(2).assign(age=lambda one, age=age: one["age"].where(one.index > 0, age))
        for reference in (table(1), None):
            now = evaluated(frame, reference=reference)
            held = now.recommendation.nothing.verdict
            assert (held.persons and held.persons.epsilon) == (None if reference is None else 0)
            means.append(now.model.pairs[0].groups.means[0, 0])
        public = evaluated(frame, reference=table(1))
        told.append(released(store, public, "no data", name=f"Staff {at}").body)
    assert means[0] == means[2]
    assert means[1] != means[3]
    one, other, fewer = ({**body, "law": 0, "table": 0, "scenario": 0} for body in told)
    assert one == other
    assert one["values"][1] != fewer["values"][1]  # a count, of a record less
    assert any(text.startswith("The number of complete") for text in fewer["not_protected"])
    assert not any("persons" in text for text in one["not_protected"])


def test_releases_together_keep_the_limit_by_their_joint_law(store):
    """A second release gets as much noise as the first one's limit leaves; then nothing is left."""
    first = drawing.fitting(NOW, NOW.way, book.Standing())
    assert first is NOW.way
    strict = evaluated(FRAME, guesses=60.0)
    first = released(store, strict, token="once")
    assert released(store, strict, token="once") == first
    with pytest.raises(StoreError, match=r"right 64.times in.100 about .* limit is 60"):
        released(store, strict)
    with pytest.raises(StoreError, match=r"the limit is 70"):
        released(store, NOW)  # which accepts 70 of 100
    further = drawing.fitting(NOW, NOW.way, book.standing(store, "Staff"))
    assert further.release.promise == NOW.way.release.promise
    assert np.trace(further.release.covariance) > 1.1 * np.trace(NOW.way.release.covariance)
    assert released(store, NOW, way=further).body["together"] == 70
    every = book.releases(store)
    assert drawing.risk(NOW, every, PAIR) == pytest.approx(70, abs=0.1)
    assert drawing.risk(NOW, every[:1], PAIR, NOW.way) > 73
    with pytest.raises(NotApplicable, match="leaves nothing"):
        drawing.fitting(NOW, NOW.way, book.standing(store, "Staff"))


def test_limits_in_force_count_whatever_a_scenario_promises(store):
    """A decision about the other secret, and a stricter one about this."""
    for pair, guesses in ((SEX, 51.0), (PAIR, 65.0)):
        limit = {
            "secret": pair.plain(),
            "epsilon": 0.0,
            "delta": 2 * guesses / 100 - 1,
            "guesses": guesses,
        }
        body = {"scenario": {"n": 1}, "way": "OptM", "record": {}, "limits": [limit]}
        one = decisions.propose(
            store, naming(NOW), token=uuid4().hex, author="Ana", reason="?", body=body
        )
        decisions.answer(store, one.key, 1, author="Bo", act="agreed")
    with pytest.raises(StoreError, match=r"about late = 1, and the limit is 65"):
        released(store, NOW)
    fits = drawing.fitting(NOW, NOW.way, book.standing(store, "Staff"))
    body = released(store, NOW, way=fits).body
    assert fits.guesses < 60
    assert (body["guesses"], body["together"]) == (70, 65)  # what is allowed, not the table's own
    laplace = evaluated(FRAME, mechanism="DirM(L)", by="epsilon", epsilon=3.0)
    with pytest.raises(NotApplicable, match="Laplace"):
        drawing.fitting(laplace, laplace.way, book.standing(store, "Staff"))
    for key in ("BalM", "DirM(L)"):
        with pytest.raises(NotApplicable, match=r"cannot be counted|no bell curve"):
            released(store, laplace, key)


def changed(frame, rows=slice(None), **columns):
    return frame.iloc[rows].assign(**columns)


NAMED = {"names": "id"}
GROWN = pd.concat([FRAME, table(3, 60).assign(id=range(1000, 1060))], ignore_index=True)
CHANGED = FRAME.assign(late=FRAME["late"].where(FRAME["late"] == 0, 1 - (FRAME["id"] < 40)))


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        (("BalM", NAMED), (NOW, "OptM", {}), "give the secret away|together with noise"),
        (("BalM", NAMED), (evaluated(FRAME, guesses=99.9), "as it is", {}), "together with noise"),
        (("OptM", {}), (NOW, "BalM", NAMED), "together with noise"),
        (("BalM", NAMED), (NOW, "BalM", {"names": ""}), "keep others"),
        (("BalM", NAMED), (NOW, "BalM", NAMED | {"name": "Other"}), "on record as 'Staff'"),
        (("BalM", NAMED), (evaluated(FRAME, (dp.Pair(SECRET, 0.3, 0.5),)), "BalM", NAMED), "cannot be counted|keep others"),
        (("BalM", NAMED), (evaluated(FRAME, (dp.Pair(SECRET, 0.34, 0.36),)), "BalM", NAMED), "cannot be counted|keep others"),
        (("BalM", NAMED), (evaluated(FRAME, (SEX,)), "BalM", NAMED), "cannot be counted"),
        (("BalM", NAMED), (evaluated(FRAME, records=150), "BalM", NAMED), "keep others"),
        (("BalM", NAMED), (evaluated(GROWN), "BalM", NAMED), "another table on record"),
        (("BalM", {}), (evaluated(GROWN), "BalM", {"newer": True}), "identifier"),
        (("BalM", NAMED), (evaluated(CHANGED, (PAIR,)), "BalM", NAMED | {"newer": True}), "outside|gained or lost"),
        (("OptM", {}), (evaluated(GROWN), "OptM", {"newer": True}), "two versions"),
        (("BalM", NAMED), (evaluated(GROWN), "OptM", {}), "another table on record"),
        (None, (evaluated(FRAME, (dp.Pair(SECRET, 0.4, 0.5),)), "BalM", NAMED), r"outside 40 % to 50 %.*tell nobody, and take .* 30 % to 40 %"),
        (None, (evaluated(FRAME, (PAIR, dp.Pair(OTHER, 0.1, 0.2))), "OptM", {}), "sex = f lies outside"),
        (None, (NOW, "no data", {}), "come from this table"),
        (None, (NOW, "as it is", {}), "does not keep the limit"),
        (None, (evaluated(FRAME, reference=FRAME), "no data", {}), "is the very table"),
        (None, (NOW, "BalM", {"names": "age"}), "does not name the records"),
    ],
)  # fmt: skip
def test_broken_rule_releases_nothing(store, first, second, sentence):
    if first is not None:
        released(store, NOW, first[0], **first[1])
    now, key, more = second
    with pytest.raises(DistprivError, match=sentence.replace(" %", "\u00a0%")):
        released(store, now, key, **more)
    assert len(book.releases(store)) == (first is not None)


def test_each_release_counts_as_a_sample_of_its_own(store):
    now = evaluated(FRAME, records=60)
    first = released(store, now)
    another = replace(first, token="another")
    assert drawing.risk(now, [first, another], PAIR) > drawing.risk(now, [first] * 2, PAIR) + 1


def test_way_that_keeps_another_limit_releases_nothing(store):
    with pytest.raises(NotApplicable, match="does not keep the limit chosen"):
        released(store, NOW, way=evaluated(FRAME, guesses=80.0).way)
    bare = replace(NOW.way.release, covariance=np.zeros((2, 2)))
    with pytest.raises(NotApplicable, match="is not what this release does"):
        released(store, NOW, way=replace(NOW.way, release=bare))


def test_table_that_changes_keeps_its_records_and_takes_no_new_ones(store):
    """Averages are the same to the last digit, whatever comes, and in whatever order."""
    now = evaluated(FRAME, statistics=FIGURES[:1])
    before = released(store, now, "BalM", names="id").body
    newer = evaluated(GROWN.sample(frac=1, random_state=2), statistics=FIGURES[:1])
    after = released(store, newer, "BalM", names="id", newer=True).body
    assert before["values"] == after["values"]
    assert before["deviations"] == after["deviations"]
    assert drawing.risk(now, book.releases(store), PAIR) == 50
    # All that is told is of kept records, but for how many tell the property, whatever they lack.
    lacking = FRAME.assign(age=FRAME["age"].mask((FRAME["late"] == 0) & (FRAME["id"] % 3 == 0)))
    body = released(store, evaluated(lacking), "BalM", name="Other", names="id").body
    assert (body["table"]["records"], body["how"].split()[1:6:4]) == (200, ["60", "120"])
    np.testing.assert_allclose(body["errors"], np.array(body["deviations"]) * 0.798, 0.01)
    gone = evaluated(GROWN[GROWN["id"] >= 20], statistics=FIGURES[:1])
    assert released(store, gone, "BalM", names="id", newer=True).body["values"] != after["values"]
    now = book.standing(store, "Staff")
    rank = {one: sha256(f"{now.key.hex()}{one}".encode()).digest() for one in FRAME["id"]}
    small = FRAME[[rank[one] in {*now.ranks[0], *now.ranks[1]} for one in FRAME["id"]]]
    with pytest.raises(NotApplicable, match="too small for the records that are kept"):
        released(store, evaluated(small), "BalM", names="id", newer=True)


def test_release_waits_until_the_analyst_has_seen_what_others_wrote(store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(book, "take_name", lambda *_: book.Standing(key=b"given up meanwhile"))
        with pytest.raises(StoreError, match="Someone else has released meanwhile"):
            released(store, NOW, "BalM", names="id")
    released(store, NOW, way=drawing.fitting(NOW, NOW.way, book.Standing()))
    monkeypatch.setattr(book, "standing", lambda *_: book.Standing())
    with pytest.raises(StoreError, match="Someone else has released meanwhile"):
        released(store, NOW)
    broken = book.Standing(limits=({"secret": PAIR.plain(), "epsilon": "x", "delta": 0.1},))
    with pytest.raises(StoreError, match="cannot be read"):
        drawing.fitting(NOW, NOW.way, broken)
    agreed = book.Standing(limits=({"secret": PAIR.plain(), "epsilon": 0.0, "delta": 0.4},))
    monkeypatch.setattr(book, "standing", lambda *_: agreed)
    with pytest.raises(StoreError, match="Someone else has released meanwhile"):
        released(store, evaluated(table(3)), name="Other")
    with pytest.raises(StoreError, match="changed since it was opened"):
        drawing.release(
            store, NOW, NOW.way, replace(naming(NOW), fingerprint="x"), token="t", author="Ana"
        )


def test_best_attacker_on_balanced_figures_is_right_by_chance(store):
    """Tables at both ends of the range; of figures as they are the same test is never wrong."""
    seen, raw = [], []
    for seed in range(30):
        now = evaluated(table(seed, 60, (0.3, 0.5)[seed % 2]), (dp.Pair(SECRET, 0.3, 0.5),))
        seen.append(released(store, now, "BalM", name=f"t{seed}").body["values"])
        raw.append(source_of(now.source).answer(now.query))
    for figures, chance in ((np.array(seen), True), (np.array(raw), False)):
        for column in figures.T:
            assert (stats.ks_2samp(column[::2], column[1::2]).pvalue > 1e-4) == chance


@pytest.mark.parametrize("replacement", [True, False])
def test_sample_has_the_table_s_share_and_is_drawn_at_random(replacement, monkeypatch):
    """Of 200 records 35 % have the property: 18 of 50, and 10 to 30 of another secret's."""
    frame = table().assign(place=range(200))
    pairs = PAIR, dp.Pair(OTHER, 0.4, 0.6)
    now = evaluated(frame, pairs, (dp.Mean("place"),), records=50, replacement=replacement)
    counts, again, late = np.zeros(200), 0, frame["late"].to_numpy()
    loaded, seeds, columns = list[int](), set[int](), type(now.source).columns

    def kept(source, names, most, seed):
        loaded.append(seed)
        return columns(source, names, most, seed)

    monkeypatch.setattr(type(now.source), "columns", kept)
    for turn in range(100):
        monkeypatch.setattr(drawing, "_LOADED", (200, 100)[turn % 2])  # a part of the table, too
        places = drawing._sample(now)[:, 0].astype(int)
        assert late[places].sum() == 18
        assert 20 <= (frame["sex"].to_numpy()[places] == "f").sum() <= 30
        again += 50 - len({*places.tolist()})
        counts += np.bincount(places, minlength=200)
        seeds.add(loaded[-1])
    assert len(seeds) == 100  # each sample is of a part that nobody can foresee
    assert (again > 100) == replacement
    for group in (0, 1):
        some = counts[late == group]
        assert stats.chisquare(some).pvalue > 1e-4
    monkeypatch.setattr(drawing, "_TRIES", 0)
    with pytest.raises(NotApplicable, match="inside their ranges"):
        drawing._sample(now)


def test_large_table_in_an_engine_is_released_where_it_lies(store):
    import duckdb

    database = duckdb.connect()
    database.from_df(GROWN).create("staff")
    source = replace(dp.connect(database, "staff", dialect="duckdb"), most=100)
    for records, guesses in ((None, 60.0), (50, 70.0)):
        now = evaluated(source, records=records, guesses=guesses)
        fits = drawing.fitting(now, now.way, book.standing(store, "Staff"))
        assert released(store, now, way=fits).body["law"]["records"] == records
    database.from_df(FRAME).create("balanced")
    source = replace(dp.connect(database, "balanced", dialect="duckdb"), most=100)
    body = released(store, evaluated(source), "BalM", name="Other", names="id").body
    assert np.abs(body["values"] - NOW.model.pairs[0].means).max() < 20


# ---------------------------------------------------------------- dp.draw_release


def test_persons_of_the_table_have_their_promise_in_samples(store):
    persons = dp.Persons(1, 1e-3, bounds={"age": (0, 120)})
    for records, replacement in ((50, True), (150, False)):
        now = evaluated(FRAME, records=records, replacement=replacement, persons=persons)
        with pytest.raises(DistprivError, match="may hold one person twice"):
            released(store, now)
    many = pd.concat([FRAME] * 20, ignore_index=True)
    some = [evaluated(many, records=60, replacement=twice, persons=persons) for twice in (0, 1)]
    assert some[0].persons.delta == 1e-3
    group = min(some[1].groups[0].counts)
    assert some[1].persons.delta == pytest.approx(1e-3 - 2 * (60 / len(many) + 1 / group) ** 2)
    assert released(store, some[1]).number == 1


def test_draw_release_draws_noise_alone_or_puts_it_on_record(store, tmp_path):
    model = dp.fit_gaussian(FRAME, NOW.query, PAIR)
    release, balanced = dp.calibrate("OptM", model, 1.0, 1e-2), dp.calibrate("BalM", model)
    alone = dp.draw_release(FRAME, NOW.query, release, pair=PAIR)
    entry = dp.draw_release(
        FRAME, NOW.query, release, pair=PAIR, ledger=store, name="Staff", author="Ana", reason="?"
    )
    assert (alone.number, entry.number) == (0, 1)
    assert alone.body.keys() == entry.body.keys()
    assert alone.body["promise"]["epsilon"] == 1.0
    assert alone.body["values"] != entry.body["values"]
    assert repr(alone).startswith("Entry(not on record, OptM, mean age, ")
    assert repr(entry).startswith("Entry(no. 1 of 'Staff', OptM, ")
    frame = entry.to_frame()
    assert frame["value"].tolist() == entry.body["values"]
    assert frame[["low", "high"]].to_numpy().tolist() == [[*one] for one in entry.body["intervals"]]
    assert entry._repr_html_().count("<li>") == len(entry.body["not_protected"]) > 0
    sums = dp.Query([dp.Count("town", "a")])
    lawful = dp.fit_gaussian(FRAME, sums, PAIR, 40)
    exact = dp.calibrate("OptM", lawful, guesses=52, calibration="exact-law")
    drawn = dp.draw_release(FRAME, sums, exact, pair=PAIR, records=40, replacement=False)
    assert drawn.body["rests"] == "exact"
    raw = dp.draw_release(FRAME, sums, AS_IT_IS, pair=dp.Pair(SECRET, 0.345, 0.355))
    assert raw.body["values"] == [(FRAME["town"] == "a").sum()]
    assert raw.body["intervals"] == raw.body["deviations"] == [None]
    assert raw.to_frame().iloc[0, 2:5].isna().all()
    assert "<td>–</td>" in raw._repr_html_()
    for one, sentence in (
        (balanced, "need a ledger"),
        (no_data(model), "come from this table"),
        (AS_IT_IS, "does not keep"),
    ):
        with pytest.raises(DistprivError, match=sentence):
            dp.draw_release(FRAME, NOW.query, one, pair=PAIR)
    FRAME.to_parquet(tmp_path / "staff.parquet")
    scanned = dp.draw_release(dp.scan(tmp_path / "staff.parquet"), NOW.query, release, pair=PAIR)
    assert scanned.body["scenario"]["source"] == "staff.parquet"  # no path
    bare = replace(release, covariance=np.zeros((2, 2)), promise=Promise.of_guesses(99.9))
    assert dp.draw_release(FRAME, NOW.query, bare, pair=PAIR).kind == "as it is"
    with pytest.raises(NotApplicable, match="not what this release does"):
        dp.draw_release(
            FRAME, NOW.query, replace(balanced, mechanism="OptM"), pair=PAIR, ledger=store
        )
    record = {"pair": PAIR, "ledger": store, "name": "Other", "author": "Ana", "reason": "?"}
    with pytest.raises(StoreError, match="'Staff' on record looks like this table"):
        dp.draw_release(FRAME[::-1], NOW.query, release, **record)
    assert dp.draw_release(FRAME[::-1], NOW.query, release, newer=False, **record).name == "Other"
    weak = replace(release, promise=Promise(0.1, 1e-2))
    with pytest.raises(NotApplicable, match="does not keep"):
        dp.draw_release(FRAME, NOW.query, weak, pair=PAIR)


def test_balanced_figures_hide_no_wider_range_than_their_own(store):
    released(store, NOW, "BalM")
    entries = book.releases(store)
    assert drawing.risk(NOW, entries, dp.Pair(SECRET, 0.32, 0.38)) == 50
    with pytest.raises(NotApplicable, match="cannot be counted"):
        drawing.risk(NOW, entries, dp.Pair(SECRET, 0.2, 0.4))
