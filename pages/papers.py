"""Show every table and figure of the papers, printed beside ours."""

import math
from typing import Any

import pandas as pd
import streamlit as st

from distpriv import papers
from distpriv.charts import attribute, papers as charts, style
from distpriv.dashboard import jobs, page
from distpriv.text import listed, significant, whole

FIRST, SEED = "table-3", 2023
NAMES = {item.paper: item.paper.replace(", full version", "") for item in papers.ITEMS.values()}
MARKS = {
    "agrees": ("green", "✓", "agrees"),
    "within": ("green", "≈", "within sampling error"),
    "erratum": ("orange", "!", "differs by an erratum"),
    "differs": ("red", "✕", "differs"),
}
COLUMNS = ["panel", "series", "at", "x", "printed", "ours", "low", "high", "verdict", "note"]
state, chosen = page.session(), st.session_state
linked = chosen["papers-linked"] if chosen.get("papers-linked") in papers.ITEMS else FIRST
latest = chosen.get("papers-item", linked)
paper = chosen.get("papers-paper") or papers.ITEMS[latest].paper
names = {key: item.name for key, item in papers.ITEMS.items() if item.paper == paper}
first = latest if latest in names else next(iter(names))
key = chosen["papers-item"] = chosen.get(f"papers-{paper}") or first
item, begun = papers.ITEMS[key], state.jobs.get("papers")
job = begun if begun is not None and begun.key[0] == key else None
run: papers.Run | None = chosen.get("papers-run") if job else None
tasks = [*item.tasks(run)] if run and item.tasks else []
rows: dict[int, pd.DataFrame] = {}  # by the pieces that have come in


def recompute() -> None:
    """Begin on the example, with another seed each time; all else that runs is dropped."""
    chosen["papers-seed"] = seed = chosen.get("papers-seed", SEED - 1) + 1
    chosen["papers-run"] = again = papers.Run(papers.on_example().groups, seed=seed)
    calls = [(seed, task) for task in (item.tasks(again) if item.tasks else ())]
    jobs.only(state.jobs)
    jobs.begin(state.jobs, "papers", (key, seed), papers.perform, bytes, calls)


def explained(frame: pd.DataFrame) -> tuple[str, str]:
    """Return title and lead."""
    counts = papers.tally(frame["verdict"])
    waiting, differ = counts.pop("not simulated yet", 0), counts.pop("differs", 0)
    agree, near = counts.pop("agrees", 0), counts.pop("within sampling error", 0)
    total, right = agree + near + differ + sum(counts.values()), agree + near
    titles = {1: "The printed figure agrees", 2: "Both figures agree"}
    title = f"{right} of {total} figures agree"
    if job and job.running:
        title = "Computing …"
    elif waiting:
        title = f"Stopped: {waiting} figure{'s' * (waiting > 1)} missing"
    elif right == total:
        title = titles.get(total, f"All {total} figures agree")
    numbers = listed(sorted(int(name.split()[-1]) for name in counts))
    errata = f"errata {numbers} explain" if len(counts) > 1 else f"erratum {numbers} explains"
    parts = [f"sampling error explains **{near}**"] * bool(near)
    parts += [f"{errata} **{sum(counts.values())}**"] * bool(counts)
    parts += [f"nothing explains **{differ}**"] * bool(differ)
    if not total + waiting:
        title, parts = f"{item.name}, computed again", ["the paper prints no numbers"]
    what = f"*{item.name}* of {NAMES[item.paper]}, {page.escape(item.title)}"
    return title, f"{what}: {listed(parts)}." if parts else f"{what}."


def number(value: float, printed: str) -> str:
    """Write a number as the paper does: with its decimals, or per cent."""
    if "%" in printed:
        return f"{100 * value:.0f} %"
    if printed.replace(".", "").isdigit():
        return f"{value:.{len(printed.partition('.')[2])}f}"
    return significant(value)


def cell(row: Any) -> str:
    """Write what is printed, ours with its verdict's mark, and the range that chance allows."""
    ours = "…" if math.isnan(row.ours) else number(row.ours, row.printed)
    if ours == row.printed and row.verdict != "agrees":  # which rounding hides
        ours = significant(row.ours)
    hue, mark, _ = MARKS.get(row.verdict.split(" ")[0], ("gray", "", ""))
    lines = [page.escape(row.printed)] * bool(row.printed)
    lines += [f":{hue}[**{ours}** {mark}]" if row.printed else ours]
    if not math.isnan(row.low):
        lines.append("–".join(number(end, row.printed) for end in (row.low, row.high)))
    elif item.tasks:  # still to come
        lines.append("…")
    return "  \n".join(lines)


def label(text: object) -> str:
    """Write a row's or column's name, with its numbers in one line."""
    return page.escape(text).replace(" \\= ", "\u00a0\\=\u00a0")


def controls() -> None:
    """Draw which table or figure, and buttons."""
    page.choice("Paper", NAMES, paper, "papers-paper")
    page.choice("Table or figure", names, first, f"papers-{paper}")
    if item.table:
        with st.container(horizontal=True):
            words = "Run again" if run else "Compute on the example census"
            st.button(words, icon=":material/replay:", on_click=recompute)
            if job and tasks:
                stop = {"on_click": job.cancel, "disabled": not job.running}
                st.button("Stop", icon=":material/stop:", **stop)


def results() -> pd.DataFrame:
    """Return the shipped rows, or those that follow from what has come in."""
    if not job or not run:
        return papers.frame(key)
    placed = job.placed
    if len(placed) not in rows:
        run.results |= {tasks[place]: result for place, result in placed.items()}
        rows[len(placed)] = papers.recompute(key, run, wait=False)
    return rows[len(placed)]


def draw(job: jobs.Job | None = None) -> None:
    """Say what ours was computed on; draw curves, and below them what is printed."""
    frame, about = results(), papers.shipped().attrs
    seed = f", {about['repetitions']} repetitions, seed {about['seed']}" if item.tasks else ""
    words = f"Ours: UCI's Adult, {whole(about['records'])} records{seed}."
    if not item.table:
        words = "Ours: by formulas, from no table."
    if run:
        words = f"Ours: the example census, which is synthetic, seed {run.seed}."
    with st.container(key="progress"):
        if job and tasks:
            done, total = len(job.placed), len(tasks)
            st.progress(done / total, f"{words} {done} of {total} pieces.")
        else:
            st.caption(words)
    points, cells = frame[frame["x"].notna()], frame[frame["x"].isna()]
    note = item.about
    if key == "zhang-figure-1":
        quilt, released = papers.school_quilt(), ["height"]
        picture = attribute.network(papers.SCHOOL, quilt, released)
        page.show(picture, cells[COLUMNS], attribute.network_alt(quilt, released), key="network")
    if len(points):
        figures = charts.curves(points, item.axes, log=item.log, marks=item.marks)
        page.show(figures, points[COLUMNS], charts.alt(points), key=f"{key}-curves", note=note)
        note = ""
    if len(cells):
        labels, columns = (dict.fromkeys(map(label, cells[name])) for name in ("series", "at"))
        table = pd.DataFrame("", [*labels], [*columns])
        for row in style.rows(cells):
            table.loc[label(row.series), label(row.at)] = cell(row)
        st.table(table)
        if cells["printed"].any():
            kinds = dict.fromkeys(cells["verdict"].str.split(" ").str[0])
            marks = [
                f"{sign}\u00a0{words}" for kind, (_, sign, words) in MARKS.items() if kind in kinds
            ]
            note += f" First: printed. In bold: ours ({', '.join(marks)})."
        note += " Last: the range that chance allows." if cells["low"].notna().any() else ""
        page.show([], cells[COLUMNS], "", key=key, note=note)


shown = results()
page.headline(*explained(shown))
controls()
cells = shown[shown["x"].isna()]
lines = 2 + (bool(item.tasks) or cells["low"].notna().any())
height = 60 + (90 + cells["series"].nunique() * (12 + 21 * lines) if len(cells) else 0)
height += 430 * (len(cells) < len(shown)) + 460 * (key == "zhang-figure-1")
with st.container(key=f"rows-{min(height // 100, 12)}"):  # which style.css keeps free
    if job and run:
        jobs.follow(job, draw)
    else:
        with st.container():  # as a fragment has one, so that nothing moves when it begins
            draw()
for erratum in item.errata:
    st.caption(f"**Erratum {erratum}.** {page.escape(papers.ERRATA[erratum])}")
