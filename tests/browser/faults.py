"""Measure layout shift at loading, and what axe finds, on every page, size and theme.

``python -m tests.browser.faults [path of axe.min.js, from the npm package axe-core]``
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from distpriv.dashboard.main import MENU
from tests.browser.browsing import SIZES, browsing, idle, serving, visit

SHIFTS = """
window.shifts = 0;
new PerformanceObserver(list => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts += each.value;
}).observe({type: 'layout-shift', buffered: true});
"""


def main(axe: str = "") -> int:
    worst, serious = 0.0, 0
    with serving() as address, browsing() as browser:
        for size in SIZES:
            for scheme in ("light", "dark"):
                for name in MENU:
                    page = visit(browser, "about:blank", size, scheme)
                    page.add_init_script(SHIFTS)
                    page.goto(f"{address}/{name}")
                    idle(page)
                    page.wait_for_timeout(2500)
                    shift = page.evaluate("window.shifts")
                    line = f"{name:10} {size:5} {scheme:5} shift {shift:.3f}"
                    worst = max(worst, shift)
                    if axe:
                        page.evaluate(Path(axe).read_text(encoding="utf-8"))
                        found = page.evaluate("axe.run()")["violations"]
                        line += f" {dict(Counter(each['impact'] for each in found))}"
                        for each in found:
                            if each["impact"] in ("serious", "critical"):
                                serious += 1
                                node = each["nodes"][0]
                                line += f"\n  {each['id']}: {node['target'][0]} {node['html'][:90]}"
                    print(line, flush=True)
                    page.context.close()
    print(f"largest shift {worst:.3f}, {serious} serious faults")
    return worst > 0.1 or serious > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
