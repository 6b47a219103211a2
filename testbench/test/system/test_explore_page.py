"""Pages of explorations (tributary explore --html): well-formed, linked, fast, and readable without scripts (docs/explore.md).

usage: test_explore_page.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from executable import run_tests, tributary

FILE = """explore: 1
platform: torus:2x2
algorithm: multitree
workloads:
  small: {size: 4KiB}
  large: {size: 16KiB}
variables:
  rate: {parameter: schedule_nic.link.rate, from: 4GB/s, to: 16GB/s, step: x2}
  latency: {parameter: schedule_nic.link.latency, values: [50ns, 150ns, 450ns]}
let:
  cost: rate / 1GB/s * 100ns / latency
constraints:
  - cost <= 30
objectives:
  - {minimize: "geomean(small.time, large.time)", name: time}
  - {minimize: cost}
method: {kind: evolution, population: 6, generations: 3}
baseline: {rate: 8GB/s, latency: 150ns}
"""
BROWSER = shutil.which("chromium-headless-shell") or shutil.which("chromium")
XHTML = "{http://www.w3.org/1999/xhtml}"
# Fires pointer or mouse events at places of an element, relative to its upper left corner.
FIRE = """const fire = (target, Kind, events) => { const box = target.getBoundingClientRect(); for (const [what, x, y] of events)
  (what === 'mouseup' ? document : target).dispatchEvent(new Kind(what, {bubbles: true, clientX: box.left + x, clientY: box.top + y, button: 0, pointerId: 1,
    movementX: 5, movementY: 5})); };
  const numbers = text => text ? text.split(',').map(Number) : [];
  const result = () => document.body.dataset.result = JSON.stringify({scatter: numbers(document.getElementById('scatter').dataset.selected),
    lines: numbers(document.getElementById('lines').dataset.selected),
    table: [...document.querySelectorAll('#rows tr.chosen')].map(row => Number(row.dataset.id)).sort((a, b) => a - b),
    point: document.getElementById('chosen').textContent});
"""


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def explore(self, text, *options, page="page.html"):
        (self.folder / "e.yaml").write_text(text, encoding="utf-8")
        return tributary("explore", "e.yaml", "--out", "out", "--html", page, "--quiet", *options, cwd=self.folder)

    def page(self, text=FILE):
        done = self.explore(text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "page.html").read_text(encoding="utf-8")

    def data(self, text):
        return json.loads(re.search(r'id="exploration">(.*?)</script>', text, re.DOTALL)[1])

    def shown(self, text, *options):
        """The page in a browser after its scripts have run; its console must be empty."""
        if BROWSER is None:
            self.skipTest("there is no Chromium (Debian package chromium-headless-shell)")
        (self.folder / "shown.html").write_text(text, encoding="utf-8")
        command = [BROWSER, "--headless", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", *options, "--dump-dom",
                   (self.folder / "shown.html").as_uri()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertIn('data-ready="1"', done.stdout)
        self.assertNotIn("CONSOLE", done.stderr)
        return done.stdout

    def after(self, text, script):
        """What the page shows as selected after a script acts on it."""
        act = f"<script>{FIRE} setTimeout(() => {{ {script}; setTimeout(result, 100); }}, 100);</script></body>"
        shown = self.shown(text.replace("</body>", act), "--virtual-time-budget=3000")
        return json.loads(re.search(r'data-result="([^"]*)"', shown)[1].replace("&quot;", '"').replace("&gt;", ">").replace("&amp;", "&"))

    def test_a_page_is_complete_without_scripts(self):
        text = self.page()
        page = ElementTree.fromstring(text)
        self.assertNotRegex(text, r'(src|href)="(https?:)?//')
        self.assertNotIn(str(self.folder), text)
        drawings = [element for part in page.iter(XHTML + "noscript") for element in part.iter("{http://www.w3.org/2000/svg}svg")]
        self.assertEqual(len(drawings), 3)  # scatter, parallel coordinates, hypervolume
        for drawing in drawings[:2]:
            words = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
            self.assertTrue(any("knee" in word for word in words), words)
            self.assertTrue(any("baseline" in word for word in words), words)
        self.assertIn("front", [element.text for element in drawings[0].iter("{http://www.w3.org/2000/svg}text")])
        found = json.loads((self.folder / "out/explore.json").read_text(encoding="utf-8"))
        rows = [[cell.text or "" for cell in row] for part in page.iter(XHTML + "noscript") for row in part.iter(XHTML + "tr")]
        roles = [row[1] for row in rows[1:len(found["front"]) + 1]]
        self.assertTrue(all(role.startswith("front") for role in roles), roles)
        self.assertEqual(sum("knee" in role for role in roles), 1)
        self.assertEqual(sum(1 for row in rows if row[0].isdigit()) - found["points"], len(found["front"]) + ("baseline" not in "".join(roles)))

    def test_commands_of_points_run_and_give_their_times(self):
        data = self.data(self.page())
        point = data["front"][0]
        sizes = []
        for texts in data["commands"]:
            words = [data["words"][number] for number in texts[point]]
            self.assertEqual(words[0], "tributary")
            done = tributary(*words[1:], "--quiet", "--json", "run.json", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            sizes.append(json.loads((self.folder / "run.json").read_text())["results"][0]["time_ns"])
        column = next(column for column in data["columns"] if column["name"] == "time")
        self.assertAlmostEqual(column["data"][point], (sizes[0] * sizes[1]) ** 0.5, delta=1e-5 * sizes[1])

    def test_the_page_has_the_points_of_the_table(self):
        data = self.data(self.page())
        lines = (self.folder / "out/points.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines) - 1, len(data["generation"]))
        names = lines[0].split(",")
        for i, line in enumerate(lines[1:]):
            cells = dict(zip(names, line.split(",")))
            for column in data["columns"]:
                value = column["data"][i]
                if "values" in column:
                    self.assertEqual(column["values"][value], cells[column["name"]])
                elif value is not None:
                    cell = cells[column["name"] + ("_" + column["unit"] if "unit" in column else "")]
                    self.assertAlmostEqual(value, float(cell), delta=1e-6 * float(cell))
        self.assertEqual(data["hypervolume"]["points"][-1], len(lines) - 1)

    def test_a_browser_links_drawings_and_table(self):
        text = self.page()
        data = self.data(text)
        feasible = [i for i, f in enumerate(data["feasible"]) if f and all(column["data"][i] is not None for column in data["columns"])]
        found = self.after(text, "fire(document.querySelector('[data-axis=rate]'), PointerEvent, [['pointerdown', 9, 1], ['pointermove', 9, 60], ['pointerup', 9, 90]])")
        top = max(data["columns"][0]["data"])
        self.assertEqual(found["scatter"], [i for i in feasible if data["columns"][0]["data"][i] == top])
        self.assertEqual((found["lines"], found["table"]), (found["scatter"], found["scatter"]))
        self.assertTrue(0 < len(found["scatter"]) < len(feasible))
        everything = self.after(text, """const over = document.querySelector('#scatter .u-over'), box = over.getBoundingClientRect();
          fire(over, MouseEvent, [['mouseenter', 1, 1], ['mousemove', 1, 1], ['mousedown', 1, 1], ['mousemove', 99, 99], ['mousemove', box.width - 1, box.height - 1], ['mouseup', box.width - 1, box.height - 1]])""")
        for part in ("scatter", "lines", "table"):
            self.assertEqual(everything[part], feasible, part)
        point = data["front"][0]
        one = self.after(text, f"document.querySelector('#rows tr[data-id=\"{point}\"]').click()")
        for part in ("scatter", "lines", "table"):
            self.assertEqual(one[part], [point], part)
        for texts in data["commands"]:
            self.assertIn(" ".join(data["words"][number] for number in texts[point]), one["point"])
        self.assertIn("Bottleneck: ", one["point"])

    def test_ten_thousand_points_draw_within_a_second(self):
        text = self.page()
        data = self.data(text)
        count, known = 10_000, len(data["generation"])
        for column in data["columns"]:
            column["data"] = [value if "values" in column else value and value * (1 + 0.37 * (i * 7919 % 1000) / 1000)
                              for i, value in zip(range(count), column["data"] * (count // known + 1))]
        for list_of in (data, data["commands"], data["bottlenecks"]):
            for key in (("generation", "rung", "feasible", "reason") if list_of is data else range(len(list_of))):
                list_of[key] = (list_of[key] * (count // known + 1))[:count]
        start, end = re.search(r'id="exploration">(.*?)</script>', text, re.DOTALL).span(1)
        large = text[:start] + json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + text[end:]
        times = []
        while len(times) < 4 and min(times, default=9999) > 1000:  # other processes may hold the processor
            times.append(int(re.search(r'data-drawn="(\d+)"', self.shown(large))[1]))
        self.assertLessEqual(min(times), 1000)

    def test_every_method_has_a_page(self):
        for method, parts in (("{kind: grid}", ["Trade-offs"]), ("{kind: halving, start: 8, rungs: [{size: 1KiB}, {}]}", ["cheaper run"]),
                              ("{kind: bisect, variable: rate, of: large.algbw, keep: 0.6}", ["bisection: rate="]),
                              ("{kind: sensitivity, of: large.time, points: 2}", ["mu*: mean effect"]),
                              ("{kind: sensitivity, design: sobol, of: large.time, points: 4}", ["S1: alone", "ST: with all others"])):
            with self.subTest(method=method):
                text = self.page(FILE.replace("{kind: evolution, population: 6, generations: 3}", method))
                ElementTree.fromstring(text)
                for part in parts:
                    self.assertIn(part, text)
                if "sensitivity" in method and BROWSER is not None:
                    self.assertIn("<canvas", self.shown(text))

    def test_a_budget_leaves_a_page(self):
        self.explore(FILE)  # a few points; the budget then ends a larger search
        self.explore(FILE.replace("generations: 3", "generations: 40").replace("16KiB", "32KiB"), "--budget", "40ms")
        self.assertIn("The search ended early: budget", (self.folder / "page.html").read_text(encoding="utf-8"))

    def test_pages_never_overwrite_an_input_or_a_table(self):
        self.page()
        for page in ("e.yaml", "./e.yaml", "out/points.csv", "out/explore.json", "out/points/x.html", "-", "", "none/page.html"):
            done = self.explore(FILE, page=page)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn("--html", done.stderr)
        self.assertEqual((self.folder / "e.yaml").read_text(encoding="utf-8"), FILE)
        self.assertEqual(self.explore(FILE, page="out/page.html").returncode, 0)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(self.explore(FILE, page="out/page.html").returncode, 0)  # the folder does not exist before
        for option in (["--list"], ["--share", "0/2"], ["--emit", "slurm"]):
            self.assertIn("--html requires the tables", self.explore(FILE, *option).stderr)


if __name__ == "__main__":
    run_tests()
