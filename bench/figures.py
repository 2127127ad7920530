"""How long a figure takes from a move of its slider to the frame that shows it: python -m bench.figures

Opens the built pages in Chromium, at full speed and with a processor made four times slower, moves each slider
through its range, and prints for each the median time, and how many frames of 1/60 s that is. The clock stops when
the frame after the event has been painted: one frame is the least that can be seen.
"""

import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SLOWDOWNS = (1, 4)
FRAME_MS = 1000 / 60
MOVES = 40

# The work of one event, and from the event until a task can run after the frame that shows it.
MOVE = """async ([slider, moves]) => {
  const [low, high] = [Number(slider.min), Number(slider.max)], work = [], shown = [];
  const start = slider.value;
  for (let i = 0; i < moves; i += 1) {
    await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
    const began = performance.now();
    slider.value = low + (high - low) * ((i * 7 + 3) % moves) / moves;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    work.push(performance.now() - began);
    await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
    shown.push(performance.now() - began);
  }
  slider.value = start;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return { work, shown };
}"""
NAME = """slider => [slider.closest("[data-figure]").id,
  slider.labels?.[0]?.textContent || slider.ariaLabel || slider.getAttribute("aria-valuetext")].join(": ")"""


def measure(browser, site, pages):
    """{page: {slider: {slowdown: median milliseconds of work and until shown}}}"""
    from tools.browser import Visit, serve

    found = {}
    with serve(site) as base, Visit(browser) as visit:
        for name in pages:
            visit.go(f"{base}/{name}")
            visit.page.wait_for_function("!document.querySelector('[data-figure]:not([data-ready])')")
            tools = visit.context.new_cdp_session(visit.page)
            for slider in visit.page.query_selector_all("[data-figure] input[type=range]"):
                if not slider.is_visible():
                    continue
                times = {}
                for slowdown in SLOWDOWNS:
                    tools.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
                    got = visit.page.evaluate(MOVE, [slider, MOVES])
                    times[str(slowdown)] = {key: round(statistics.median(ms), 1) for key, ms in got.items()}
                tools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
                said = slider.evaluate(NAME)
                found.setdefault(name, {})[said] = times
                print(line(name, said, times), flush=True)
    return found


def line(page, slider, times):
    told = (
        f"×{slow}: work {ms['work']:5.1f} ms, shown in {ms['shown']:5.1f} ms, {ms['shown'] / FRAME_MS:.1f} frames"
        for slow, ms in times.items()
    )
    return f"{page:28} {slider[:44]:44} {';  '.join(told)}"


def main():
    site = ROOT / "_build" / "html"
    if not (site / "index.html").is_file():
        sys.exit("No built book: run `make book` first.")
    pages = [
        f"{entry}.html" for entry in re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    ]
    from tools.browser import launched

    with launched() as browser:
        measure(browser, site, pages)


if __name__ == "__main__":
    main()
