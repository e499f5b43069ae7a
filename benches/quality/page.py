"""The quality benches as one HTML page with charts: nothing is loaded from elsewhere, no script runs in it.

    python -m benches.quality.page [FILE]

Reads benches/results/*.json and writes build/quality.html. Charts are drawn by Altair (Vega-Lite) as SVG, so that the
page can be read offline, printed, and kept.
"""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from benches.results import ROOT
from octavo.step_recall import interval

RESULTS = ROOT / "benches/results"
COLOURS = ["#c2410c", "#f59e0b", "#0f766e", "#2563eb", "#7c3aed", "#be185d", "#64748b", "#86198f", "#111827"]
WIDTH = 430

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1e293b; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.8rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid #cbd5e1 }
svg { max-width: 100%; height: auto }
p.from { color: #64748b; font-size: .85rem } table { border-collapse: collapse; font-size: .85rem }
details { overflow-x: auto } td, th { padding: .2rem .6rem; border-bottom: 1px solid #e2e8f0; text-align: right }
td:first-child, th:first-child, td:nth-child(2), th:nth-child(2) { text-align: left }
"""

Row = dict[str, Any]


def result(name: str) -> Row:
    """One result file; its rows as objects under the names of its columns, and as `cells`: two may have one name."""
    held = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    rows = [dict(zip(held["columns"], map(plain, row), strict=True)) for row in held["rows"]]
    if not rows:
        raise ValueError(f"{name}.json has no rows")
    return {**held, "rows": rows, "cells": [[*map(plain, row)] for row in held["rows"]]}


def plain(cell: str) -> str:
    """A cell without the marks of Markdown."""
    return cell.replace("**", "").replace("`", "")


def number(cell: str) -> float:
    """The first number of a cell: `$1.433`, `81 %`, `3,132`, `299 of 553`."""
    found = re.search(r"-?\d[\d,]*(?:\.\d+)?", cell)
    if found is None:
        raise ValueError(f"no number in {cell!r}")
    return float(found[0].replace(",", ""))


def recall_rows() -> list[Row]:
    """Calls complete by recordings, H and method, with Wilson's interval at 95 %."""
    rows = []
    for row in result("step_recall")["rows"]:
        calls = int(number(row["calls judged"]))
        share = number(row["calls complete"]) / 100
        low, high = interval(round(share * calls), calls)
        rows.append(
            {"where": row["recordings"], "what": row["what assembles"], "share": share, "low": low, "high": high}
        )
    return rows


def recall_chart(rows: list[Row], *, title: str = "calls complete") -> alt.Chart:
    """Step recall: a bar a method, a panel for each set and H."""
    base = alt.Chart().encode(y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)))
    # Beyond 100 % stands the label of what reaches it.
    axis = alt.Axis(format="%", values=[0, 0.2, 0.4, 0.6, 0.8, 1])
    shares = alt.X("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1.12]), title=title)
    bars = base.mark_bar().encode(x=shares, color=_coloured(rows))
    whiskers = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q")
    labels = base.mark_text(align="left", dx=5).encode(x="high:Q", text=alt.Text("share:Q", format=".0%"))
    return _panels(rows, alt.layer(bars, whiskers, labels, data=alt.Data(values=rows)).properties(width=WIDTH - 160))


def cost_rows() -> list[Row]:
    """Cost, cached share and prefix breaks of whole sessions; libraries that are too slow have none."""
    rows = []
    for row in result("cost")["rows"]:
        if not re.search(r"\d", row["tokens a call"]):
            continue
        breaks, calls = (float(part.replace(",", "")) for part in row["prefix breaks"].split(" of "))
        rows.append(
            {
                "where": row["recordings"],
                "what": row["what assembles"],
                "money": number(row["Anthropic"]),
                "cached": number(row["read from the cache"]) / 100,
                "complete": number(row["calls complete"]) / 100,
                "breaks": breaks / calls,
            }
        )
    return rows


def cost_chart(rows: list[Row]) -> alt.Chart:
    """What a session costs against what is still found: the upper left is where one wants to be."""
    return _panels(
        rows,
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=110, opacity=0.9)
        .encode(
            x=alt.X("money:Q", title="Anthropic, $ for all sessions", scale=alt.Scale(zero=True)),
            y=alt.Y("complete:Q", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]), title="calls complete"),
            color=_coloured(rows, legend=True),
            shape=alt.Shape("what:N", sort=None, legend=None),
        )
        .properties(width=WIDTH, height=230),
        independent=True,
    )


def share_chart(field: str, title: str) -> Callable[[list[Row]], alt.Chart]:
    """A bar a method of one share."""

    def chart(rows: list[Row]) -> alt.Chart:
        bars = (
            alt.Chart(alt.Data(values=rows))
            .mark_bar()
            .encode(
                x=alt.X(f"{field}:Q", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]), title=title),
                y=alt.Y("what:N", sort=None, title=None, axis=alt.Axis(labelLimit=300)),
                color=_coloured(rows),
            )
        )
        return _panels(rows, bars.properties(width=WIDTH - 170))

    return chart


def promise_rows() -> list[Row]:
    """Planted promises that are all there, first and now, with Wilson's interval at 95 %."""
    # The first was measured at one setting only, which had no name then.
    first = [
        {"H, summary": "25%, 10%", "when": "first measured", **row} for row in result("promise_survival_first")["rows"]
    ]
    now = [{"when": "now", **row} for row in result("promise_survival")["rows"]]
    rows = []
    for row in (row for row in [*first, *now] if row["summariser"] != "all"):
        items, share = int(number(row["items"])), number(row["all there"]) / 100
        low, high = interval(round(share * items), items)
        what = f"{row['summariser']}, {row['when']}"
        where = f"{row['sessions from']}: H, summary {row['H, summary']}"
        rows.append({"where": where, "what": what, "share": share, "low": low, "high": high})
    return sorted(rows, key=lambda row: row["where"])


def _coloured(rows: list[Row], *, legend: bool = False) -> alt.Color:
    names = list(dict.fromkeys(row["what"] for row in rows))
    scale = alt.Scale(domain=names, range=[COLOURS[at % len(COLOURS)] for at in range(len(names))])
    shown = alt.Legend(orient="bottom", columns=2, labelLimit=500, title=None) if legend else None
    return alt.Color("what:N", scale=scale, legend=shown)


def _panels(rows: list[Row], chart: alt.Chart, *, independent: bool = False) -> alt.Chart:
    """The same chart for each set of recordings, two beside each other."""
    order = list(dict.fromkeys(row["where"] for row in rows))
    panels = chart.facet(
        facet=alt.Facet("where:N", title=None, sort=order, header=alt.Header(labelFontWeight="bold", labelFontSize=12)),
        columns=2,
    )
    return panels.resolve_scale(x="independent") if independent else panels


def svg(chart: alt.Chart) -> str:
    """A chart as SVG text."""
    drawn: str = vl_convert.vegalite_to_svg(chart.to_json(validate=True))
    return drawn


def table(name: str) -> str:
    """The numbers behind a chart."""
    held = result(name)
    head = "".join(f"<th>{html.escape(plain(one))}</th>" for one in held["columns"])
    lines = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in held["cells"]]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    measured = html.escape(f"{held['date']}, {held['command']}, {held['machine']}")
    return (
        f"<details><summary>Numbers</summary><table><tr>{head}</tr>{body}</table></details>"
        f'<p class="from">Measured {measured}.</p>'
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page.

    Attributes:
        title: its heading.
        said: what is measured.
        rows: gives what is drawn.
        chart: draws it.
        name: the result file with the numbers.
    """

    title: str
    said: str
    rows: Callable[[], list[Row]]
    chart: Callable[[list[Row]], alt.Chart]
    name: str

    def written(self) -> str:
        """The part as HTML."""
        drawn = svg(self.chart(self.rows()))
        said = html.escape(" ".join(self.said.split()))
        return f"<section><h2>{html.escape(self.title)}</h2><p>{said}</p>{drawn}{table(self.name)}</section>"


PARTS = (
    Part(
        "Step recall at a budget",
        """Before each recorded tool call: for how many calls all values of their arguments that were said earlier still
        stand in what is sent. H is the room for the history, in tokens; lines are 95 % intervals (Wilson).""",
        recall_rows,
        recall_chart,
        "step_recall",
    ),
    Part(
        "Cost of whole sessions against what is found",
        """Every session replayed call by call at Anthropic's prices with its prompt cache; H is a part of the session's
        own history. The upper left corner is the best.""",
        cost_rows,
        cost_chart,
        "cost",
    ),
    Part(
        "Read from the cache",
        "Share of the input tokens that the call before sent as well.",
        cost_rows,
        share_chart("cached", "of what is sent"),
        "cost",
    ),
    Part(
        "Prefix breaks",
        "Calls that do not begin with all of the call before: fewer is better.",
        cost_rows,
        share_chart("breaks", "of the calls"),
        "cost",
    ),
    Part(
        "Promise survival",
        """Decisions, amounts, dates, negations and corrections planted into sessions, by a writer who had not seen the
        words that Octavo looks for; after five rounds of compaction or more, the share that is still sent, with 95 %
        intervals (Wilson). What was first measured is a blind figure; what is measured now is not.""",
        promise_rows,
        partial(recall_chart, title="all there"),
        "promise_survival",
    ),
)


def page() -> str:
    """The whole page."""
    parts = "".join(part.written() for part in PARTS)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Octavo: quality</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
        f"<h1>What the next call still finds, and what it costs</h1>{parts}</body></html>\n"
    )


def main() -> None:
    """Write the page."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/quality.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(), encoding="utf-8")
    print(f"{target.name}: {target.stat().st_size / 1e3:,.0f} kB")


if __name__ == "__main__":
    main()
