"""Drawings of results: plots (tributary plot), pages (run --html), timelines (run --perfetto, --perfetto-json).

usage: test_drawings.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from executable import SOURCE, run_tests, tributary

SVG = "{http://www.w3.org/2000/svg}"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in(self, *arguments, code=0):
        done = tributary(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done


class Plots(InFolder):
    def test_results_of_a_run_are_plotted(self):
        self.run_in("run", "--sizes", "1KiB:64KiB:x4", "--quiet", "--csv", "r.csv")
        options = ["plot", "r.csv", "--x", "size_bytes", "--y", "algbw_GBps", "--by", "algorithm", "--log", "x,y", "--bound"]
        done = self.run_in(*options, "-o", "r.svg")
        self.assertEqual(done.stdout, "algbw_GBps over size_bytes: 4 rows, 1 panel, 1 line; drawn in r.svg\n")
        text = (self.folder / "r.svg").read_text(encoding="utf-8")
        drawing = ElementTree.fromstring(text)
        labels = [element.text for element in drawing.iter(SVG + "text")]
        for label in ["1KiB", "4KiB", "16KiB", "64KiB", "push", "push, bound"]:
            self.assertIn(label, labels)
        self.assertEqual(len(list(drawing.iter(SVG + "polyline"))), 2)
        self.assertEqual(self.run_in(*options, "-o", "-").stdout, text)
        done = self.run_in(*options, "--html", "r.html")
        self.assertEqual(done.stdout, "algbw_GBps over size_bytes: 4 rows, a page in r.html\n")
        page = (self.folder / "r.html").read_text(encoding="utf-8")
        ElementTree.fromstring(page)
        chosen = json.loads(re.search(r'id="rows">(.*?)</script>', page, re.DOTALL)[1])
        self.assertEqual([chosen[key] for key in ("x", "y", "by", "logx", "logy")], ["size_bytes", "algbw_GBps", "algorithm", True, True])
        self.run_in(*options, "--html", "both.html", "-o", "both.svg")
        self.assertEqual((self.folder / "both.html").read_text(encoding="utf-8"), page)
        self.assertEqual((self.folder / "both.svg").read_text(encoding="utf-8"), text)

    def test_a_figure_file_is_plotted(self):
        (self.folder / "f.json").write_text('{"title": "F", "panels": [{"series": [{"name": "a", "points": [[1, 2], [2, 3]]}], "stated": [{"y": 4}]}]}')
        self.assertEqual(self.run_in("plot", "f.json", "-o", "f.svg").stdout, "F: 1 panel, 1 line; drawn in f.svg\n")
        self.assertEqual(len(list(ElementTree.parse(self.folder / "f.svg").iter(SVG + "polyline"))), 1)
        for arguments, part in [(["--x", "a", "-o", "g.svg"], "--x: f.json is a figure file"), ([], "-o FIGURE.svg is missing"),
                                (["--html", "g.html"], "--html: f.json is a figure file")]:
            self.assertIn(part, self.run_in("plot", "f.json", *arguments, code=2).stderr)
        (self.folder / "f.json").write_text('{"panels": [{"series": [{"points": [[1]]}]}]}')
        self.assertIn("f.json: panels[0].series[0].points[0]: [1] is not legal", self.run_in("plot", "f.json", "-o", "g.svg", code=2).stderr)
        self.assertFalse((self.folder / "g.svg").exists())

    def test_two_runs_are_compared(self):
        for name, latency in (("a", "20ns"), ("b", "40ns")):
            self.run_in("run", "--sizes", "1KiB:4KiB:x2", "--quiet", "--json", f"{name}.json", "--set", f"nvswitch.link.latency={latency}")
        done = self.run_in("plot", "a.json", "b.json", "--html", "c.html")
        self.assertEqual(done.stdout, "a.json and b.json: a page in c.html\n")
        text = (self.folder / "c.html").read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        self.assertNotRegex(text, r'(src|href)="(https?:)?//')
        self.assertIn("<td>nvswitch.link.latency</td><td>20000 ps</td><td>40000 ps</td>", text)
        for run in (json.loads((self.folder / name).read_text()) for name in ("a.json", "b.json")):
            for row in run["results"]:
                self.assertIn(f'<td class="number">{row["time_ns"] / 1000:.3f}</td>', text)
        self.run_in("plot", "a.json", "a.json", "--html", "same.html")
        self.assertIn("Times, statuses and counters are equal.", (self.folder / "same.html").read_text(encoding="utf-8"))
        for arguments, part in [(["a.json", "b.json"], "--html PAGE.html is missing"), (["a.json", "b.csv", "--html", "d.html"], "'b.csv' cannot be compared"),
                                (["a.json", "b.json", "--x", "a", "--html", "d.html"], "two runs are compared on a page"),
                                (["a.json", "none.json", "--html", "d.html"], "none.json: cannot be read"),
                                (["a.json", "b.json", "--html", "a.json"], "a.json")]:
            self.assertIn(part, self.run_in("plot", *arguments, code=2).stderr)
        self.assertFalse((self.folder / "d.html").exists())

    def test_two_swept_parameters_are_a_heat_map(self):
        (self.folder / "s.yaml").write_text("size: [64KiB, 256KiB]\nno-data: true\nparameters: {nvswitch.gpu.dma.wave_bytes: [4KiB, 16KiB]}\n")
        self.run_in("sweep", "s.yaml", "--out", "s", "--quiet")
        options = ["plot", "s/results.csv", "--x", "size_bytes", "--y", "nvswitch.gpu.dma.wave_bytes", "--heat", "algbw_GBps"]
        done = self.run_in(*options, "-o", "h.svg")
        self.assertEqual(done.stdout, "algbw_GBps over size_bytes and nvswitch.gpu.dma.wave_bytes: 4 rows, 1 panel, 4 cells; drawn in h.svg\n")
        labels = [element.text for element in ElementTree.parse(self.folder / "h.svg").iter(SVG + "text")]
        for label in ("64KiB", "256KiB", "4KiB", "16KiB", "algbw (GB/s)"):
            self.assertIn(label, labels)
        done = self.run_in(*options, "--log", "heat", "-o", "l.svg")
        self.assertIn("4 cells", done.stdout)
        self.assertNotEqual((self.folder / "h.svg").read_text(), (self.folder / "l.svg").read_text())
        self.assertIn("--log x and y and --heat exclude each other", self.run_in(*options, "--log", "x,heat", "-o", "x.svg", code=2).stderr)
        self.assertIn("--html and --heat exclude each other", self.run_in(*options, "--html", "h.html", code=2).stderr)

    def test_bad_plots_are_refused(self):
        (self.folder / "r.csv").write_text("size_bytes,algbw_GBps\n1024,1\n")
        for arguments, part in [
                ([], "a file of results is missing"),
                (["r.csv", "--x", "size_bytes", "-o", "r.svg"], "--y COLUMN is missing"),
                (["r.csv", "--x", "size_bytes", "--y", "algbw_GBps"], "-o FIGURE.svg is missing"),
                (["r.csv", "--x", "sizebytes", "--y", "algbw_GBps", "-o", "r.svg"], "did you mean size_bytes? (legal: size_bytes"),
                (["r.csv", "--x", "size_bytes", "--y", "algbw_GBps", "--log", "z", "-o", "r.svg"], "legal: x, y or x,y"),
                (["none.csv", "--x", "x", "--y", "y", "-o", "r.svg"], "none.csv: cannot be read: No such file"),
                (["r.csv", "--x", "size_bytes", "--y", "algbw_GBps", "-o", "none/r.svg"], "cannot write 'none/r.svg'")]:
            done = self.run_in("plot", *arguments, code=2)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse((self.folder / "r.svg").exists())


class Pages(InFolder):
    """Pages are self-contained: well-formed, complete, without references to other hosts."""

    RUNS = {  # by family: options, and texts that the page must contain
        "dgx2": (["--size", "16KiB", "--trace-block", "3"],
                 ["topology", "links", "level0", "stages0", "latency", "block", "Reduction tables", "Waves in flight"]),
        "torus:2x2": (["--size", "16KiB"], ["topology", "links", "level0", "stages0", "Schedule tables", "Time steps"]),
        "rack:2": (["--size", "4KiB"], ["topology", "links", "latency"]),
        "tofino:2": (["--size", "4KiB"], ["topology", "links", "latency"]),
        "dgx1v": (["--size", "64KiB", "--ranks", "0-3"], ["topology", "links", "Copy engines"]),
    }

    def page(self, platform, *options):
        self.run_in("run", "--platform", platform, "--quiet", "--html", "run.html", *options)
        return (self.folder / "run.html").read_text(encoding="utf-8")

    def test_every_family_has_a_page(self):
        for platform, (options, parts) in self.RUNS.items():
            with self.subTest(platform=platform):
                text = self.page(platform, *options)
                page = ElementTree.fromstring(text)
                ids = {element.get("id") for element in page.iter()}
                for part in parts:
                    self.assertTrue(part in ids or part in text, part)
                self.assertIn("Every element of every result is right.", text)
                self.assertIn("<p>Bottleneck: ", text)
                self.assertNotRegex(text, r'(src|href)="(https?:)?//')
                self.assertNotRegex(re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL), r"\bNaN\b|undefined|\binf\b")
                self.assertNotIn(str(self.folder), text)

    def test_packets_of_a_cluster_show_all_servers(self):
        for servers, circles in ((2, 32), (8, 16)):  # GPUs and NICs; in larger clusters those of a server are one circle
            text = self.page(f"cluster:{servers}xh100", "--mode", "windowed", "--size", "256KiB", "--no-data", "--algorithm", "pull_ring")
            page = ElementTree.fromstring(text)
            machine = next(element for element in page.iter() if element.get("class") == "topology")
            shapes = [element.get("class", "") for element in machine.iter()]
            self.assertEqual((shapes.count("frame"), shapes.count("device")), (servers, circles))
            names = {element.text for element in machine.iter() if element.text}
            self.assertLessEqual({f"server{s}" for s in range(servers)} | {"rail0_switch", "rail7_switch"}, names)
            self.assertNotIn("The picture shows one of", text)
        flows = self.page("cluster:2xh100", "--size", "256KiB", "--no-data", "--algorithm", "pull_ring")
        self.assertIn("The picture shows one of 2 equal servers", flows)

    def test_links_have_the_load_of_the_results(self):
        text = self.page("dgx2", "--size", "64KiB", "--json", "run.json")
        row = json.loads((self.folder / "run.json").read_text())["results"][0]
        titles = dict(re.findall(r"<title>([^<]*&gt;[^<]*): busy ([0-9.]+) %", text))
        self.assertGreater(len(titles), 200)
        for link in row["links"]:
            name = link["name"].replace(">", "&gt;")
            if name in titles:  # the load until the result; acks after it may follow within the last interval
                self.assertAlmostEqual(float(titles[name]) / 100, link["bytes"] / (25 * row["time_ns"]), delta=0.02)

    def test_pages_are_the_same_in_both_modes(self):
        pages = [re.sub(r"<code>.*</code>", "", self.page("dgx2", "--size", "32KiB", "--mode", engine))
                 for engine in ("windowed", "event")]
        self.assertEqual(*pages)

    def test_fluid_runs_and_failed_runs_have_a_page(self):
        self.assertIn("Timing only", self.page("dgx2", "--size", "1MiB", "--mode", "fluid"))
        self.run_in("run", "--size", "64KiB", "--quiet", "--html", "run.html", "--time-limit", "500ns", code=3)
        text = (self.folder / "run.html").read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        self.assertIn("did not finish", text)

    def shown(self, name):
        """The page in a browser after its scripts have run; its console must be empty."""
        browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        if browser is None:
            raise unittest.SkipTest("there is no Chromium (Debian package chromium-headless-shell)")
        command = [browser, "--headless", "--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000",
                   "--enable-logging=stderr", "--dump-dom", (self.folder / name).as_uri()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertIn('data-ready="1"', done.stdout)
        self.assertNotIn("CONSOLE", done.stderr)
        return done.stdout

    def test_a_browser_shows_a_run(self):
        text = self.page("dgx2", "--size", "64KiB")
        shown = self.shown("run.html")
        added = {"<rect": text.count('class="strips"')}  # clips their rows
        for element in ("<rect", "<path", "<section"):
            self.assertEqual(shown.count(element), text.count(element) + added.get(element, 0))
        curves = re.findall(r'<div class="curves">.*?<script[^>]*>(.*?)</script>', text, re.DOTALL)
        self.assertEqual(len(curves), 3)  # links, tables, waves
        self.assertEqual((shown.count("<canvas"), shown.count('class="curves drawn"')), (3, 3))
        for curve in curves:
            for line in json.loads(curve)["lines"]:
                self.assertIn(f'<div class="u-label">{line["name"]}</div>', shown)

    def test_curves_of_links_carry_the_bytes_of_the_results(self):
        text = self.page("dgx2", "--size", "256KiB", "--no-data", "--json", "run.json")
        row = json.loads((self.folder / "run.json").read_text())["results"][0]
        curve = json.loads(re.search(r'<div class="curves">.*?<script[^>]*>(.*?)</script>', text, re.DOTALL)[1])
        busy = {line["name"]: line["values"] for line in curve["lines"]}
        self.assertTrue(all(0 <= mean <= most <= 100.001 for mean, most in zip(busy["mean of all links"], busy["busiest link"])))
        links = 16 * 6 + 12 * 8 + 2 * 48  # from GPUs, to GPUs, and trunks in both directions
        unit = {"ns": 1e-3, "us": 1, "ms": 1e3}[curve["unit"]]
        carried = sum(busy["mean of all links"]) / 100 * curve["stretch"] * unit * links * 25e3  # B/us of a link
        self.assertAlmostEqual(carried / row["wire_bytes"], 1, delta=0.01)

    def zoomed(self, text, script):
        """The times of all pictures over time before and after a script acts on the page, and the length of the run."""
        act = """<script>setTimeout(() => {
          const times = () => [...document.querySelectorAll('[data-time]')].map(e => e.dataset.time).join(';');
          document.body.dataset.before = times();
          %s
          setTimeout(() => document.body.dataset.after = times(), 100);
        }, 100);</script></body>""" % script
        (self.folder / "act.html").write_text(text.replace("</body>", act), encoding="utf-8")
        shown = self.shown("act.html")
        after = re.search(r'data-after="([^"]*)"', shown)[1]
        return [tuple(float(t) for t in time.split()) for time in after.split(";") if time], shown

    def test_dragging_in_a_chart_zooms_all_charts_and_strips(self):
        text = self.page("dgx2", "--size", "64KiB", "--no-data")
        length = float(re.search(r'class="strips" data-length="([^"]*)"', text)[1])
        times, _ = self.zoomed(text, """
          const area = document.querySelector('.u-over'), box = area.getBoundingClientRect();
          const fire = (target, what, x) => target.dispatchEvent(new MouseEvent(what, {bubbles: true, clientX: box.left + x,
            clientY: box.top + 50, button: 0, movementX: 5, movementY: 1}));
          for (const [what, x] of [['mouseenter', 100], ['mousemove', 100], ['mousedown', 100], ['mousemove', 200], ['mousemove', 300]]) fire(area, what, x);
          fire(document, 'mouseup', 300);""")
        pictures = text.count('<div class="curves">') + text.count('class="strips"')
        self.assertGreater(pictures, 6)
        self.assertEqual((len(times), len(set(times))), (pictures, 1))
        self.assertTrue(0 < times[0][0] < times[0][1] < length)

    def test_dragging_in_a_strip_zooms_all_charts_and_strips(self):
        """The chosen time fills the axis, and a double click restores the whole run."""
        text = self.page("torus:2x2", "--size", "16KiB", "--no-data")
        length = float(re.search(r'class="strips" data-length="([^"]*)"', text)[1])
        drag = """
          const strip = document.querySelector('svg.strips'), box = strip.getBoundingClientRect();
          strip.setPointerCapture = () => {};
          const fire = (what, x) => strip.dispatchEvent(new PointerEvent(what, {bubbles: true, button: 0, pointerId: 1,
            clientX: box.left + (250 + x) / 1078 * box.width, clientY: box.top + 5}));
          fire('pointerdown', 192); fire('pointermove', 300); fire('pointerup', 576);"""
        times, shown = self.zoomed(text, drag)
        pictures = text.count('<div class="curves">') + text.count('class="strips"')
        self.assertEqual((len(times), len(set(times))), (pictures, 1))
        for time, share in zip(times[0], (0.25, 0.75)):
            self.assertAlmostEqual(time / length, share, delta=0.002)
        row = re.search(r'class="times" transform="translate\((\S+) 0\) scale\((\S+) 1\)"', shown)
        shift, scale = (float(number) for number in row.groups())
        self.assertAlmostEqual(scale, 2, delta=0.01)
        self.assertAlmostEqual(shift + (250 + 192) * scale, 250, delta=2)
        times, _ = self.zoomed(text, drag + "strip.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));")
        self.assertEqual({(round(a / length, 9), round(b / length, 9)) for a, b in times}, {(0, 1)})

    def test_equal_times_of_charts_and_strips_are_above_each_other(self):
        text = self.page("dgx2", "--size", "64KiB", "--no-data")
        _, shown = self.zoomed(text, """
          const edges = [...document.querySelectorAll('.u-over')].map(e => e.getBoundingClientRect()).map(b => [b.left, b.right]);
          for (const strip of document.querySelectorAll('svg.strips')) {
            const row = strip.querySelector('rect.empty');
            if (row) edges.push([row.getBoundingClientRect().left, row.getBoundingClientRect().right]);
          }
          document.body.dataset.edges = JSON.stringify(edges);""")
        edges = json.loads(re.search(r'data-edges="([^"]*)"', shown)[1])
        shown_edges = [edge for edge in edges if edge[1] > edge[0]]  # folded strips have no size
        self.assertGreater(len(shown_edges), 6)
        for left, right in shown_edges:
            self.assertAlmostEqual(left, shown_edges[0][0], delta=1.5)
            self.assertAlmostEqual(right, shown_edges[0][1], delta=1.5)

    def test_a_stuck_run_shows_its_cause_first_and_the_dead_link(self):
        dead = "gpu0.port0>switch0_0.port0"
        self.run_in("run", "--platform", "dgx2", "--size", "1MiB", "--no-data", "--quiet", "--html", "run.html", "--json", "run.json",
                    "--fault", f"down:{dead}@1us", "--set", "watchdog.window=1ms", code=3)
        text = (self.folder / "run.html").read_text(encoding="utf-8")
        page = ElementTree.fromstring(text)
        waiters = json.loads((self.folder / "run.json").read_text())["results"][0]["report"].count("\n") - 1
        self.assertGreater(waiters, 100)
        before_machine = text[:text.index('<section id="topology">')]
        unfolded = re.sub(r"<details>.*?</details>", "", before_machine, flags=re.DOTALL)
        self.assertLess(unfolded[unfolded.index("<body>"):].count("\n"), 60)
        self.assertLess(unfolded.index("ranks are not done"), unfolded.index('<section id="results">'))
        self.assertIn(f"all that wait: {waiters - 1} lines", text)  # but the dead link
        hover = [path.find("title") if path.find("title") is not None else None for path in page.iter() if "dead" in (path.get("class") or "")]
        titles = [element.text for element in page.iter("{http://www.w3.org/1999/xhtml}title")] + \
                 [element.text for element in page.iter(SVG + "title")]
        self.assertEqual(len(hover), 2)  # a dashed line and a cross
        self.assertTrue(any(title.startswith(f"{dead} is dead since 1us; ") for title in titles))
        done = self.page("dgx2", "--size", "4KiB", "--no-data", "--fault", f"down:{dead}@1ms")
        self.assertNotIn("is dead since", done)  # after the end of the run

    def test_every_device_of_the_drawing_has_a_name(self):
        for platform, names in (("torus:4x4", [f"nic{i}" for i in range(16)]), ("mesh:3x3", [f"nic{i}" for i in range(9)]),
                                ("dgx1v", [f"gpu{i}" for i in range(8)] + ["pcie0", "socket1"]), ("rack:3", ["host0", "host2", "switch"]),
                                ("dgx2", ["gpu0", "gpu15", "switch1_5"]), ("mesh:2x40", [str(i) for i in range(80)])):
            with self.subTest(platform=platform):
                size = "64KiB" if platform == "dgx1v" else "4KiB"
                page = ElementTree.fromstring(self.page(platform, "--size", size, "--no-data"))
                drawing = next(element for element in page.iter(SVG + "svg") if element.get("class") == "topology")
                texts = [element.text for element in drawing.iter(SVG + "text")]
                devices = [element for element in drawing.iter() if "device" in (element.get("class") or "").split()]
                self.assertEqual(len(texts), len(devices))
                self.assertEqual(set(names) - set(texts), set())
                self.assertFalse(any(text.endswith("\u2026") for text in texts))

    def test_a_sweep_is_plotted(self):
        (self.folder / "s.yaml").write_text("algorithm: [push, ring]\nsize: [1KiB, 4KiB]\nno-data: true\n")
        self.run_in("sweep", "s.yaml", "--out", "s", "--quiet", "--html", "s.html")
        text = (self.folder / "s.html").read_text(encoding="utf-8")
        ElementTree.fromstring(text)
        self.assertNotRegex(text, r'(src|href)="(https?:)?//')
        self.assertIn("4 rows, 4 finished with correct results", text)
        done = tributary("sweep", "s.yaml", "--out", "s", "--index", "0", "--html", "s.html", cwd=self.folder)
        self.assertEqual((done.returncode, "--html requires the table of all points" in done.stderr), (2, True))
        shown = self.shown("s.html")
        self.assertIn("<canvas", shown)
        for name in ("push", "ring"):  # in the legend
            self.assertIn(f'<div class="u-label">{name}</div>', shown)

    def test_lines_of_a_sweep_are_distinguished_by_two_parameters(self):
        (self.folder / "s.yaml").write_text("algorithm: [push, pull]\nsize: [1KiB, 4KiB]\nno-data: true\nparameters: {nvswitch.gpu.dma.wave_bytes: [4KiB, 16KiB]}\n")
        self.run_in("sweep", "s.yaml", "--out", "s", "--quiet", "--html", "s.html")
        lines = [f"{algorithm}, {wave}" for algorithm in ("push", "pull") for wave in ("4KiB", "16KiB")]
        plot = ["plot", "s/results.csv", "--x", "size_bytes", "--y", "algbw_GBps", "--html", "p.html", "--by"]
        self.run_in(*plot, "nvswitch.gpu.dma.wave_bytes", "--facet", "algorithm")
        self.assertEqual(self.lines("s.html"), (set(lines), ""))
        self.assertEqual(self.lines("p.html"), ({", ".join(reversed(line.split(", "))) for line in lines}, ""))
        self.run_in(*plot, "algorithm", "--mean-over", "nvswitch.gpu.dma.wave_bytes")
        self.assertEqual(self.lines("p.html"), ({"push", "pull"}, "Points are means of rows that differ in: nvswitch.gpu.dma.wave_bytes."))

    def lines(self, page):
        """The names of the lines of a sweep's page, and its note about means."""
        shown = self.shown(page)
        return set(re.findall(r'<div class="u-label">([^<]*)</div>', shown)) - {"size_bytes"}, re.search(r'id="mixed"[^>]*>([^<]*)<', shown)[1]


BEGIN, END, INSTANT, COUNT = 1, 2, 3, 4


class Timelines(InFolder):
    """Timelines, as protoc decodes them."""

    def decode(self, *options):
        if shutil.which("protoc") is None:
            raise unittest.SkipTest("there is no protoc (Debian package protobuf-compiler)")
        self.run_in("run", "--quiet", "--perfetto", "run.pftrace", *options)
        with open(self.folder / "run.pftrace", "rb") as file:
            text = subprocess.run(["protoc", "-I", SOURCE / "testbench/record", "--decode=Trace", "timeline.proto"], stdin=file,
                                  stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertNotRegex(text, r"(?m)^ *\d+:")  # a field that the proto does not know
        tracks, devices, names, events = {}, {}, {}, []
        for packet in re.split(r"(?m)^packet \{\n", text)[1:]:
            for iid, name in re.findall(r'event_names \{\s+iid: (\d+)\s+name: "([^"]*)"', packet):
                names[int(iid)] = name
            number = {key: int(value) for key, value in re.findall(r"(?m)^    (type|name|track|value|uuid|parent): (\d+)$", packet)}
            flows = [int(flow) for flow in re.findall(r"(?m)^    flow: (\d+)$", packet)]
            if "  track {" in packet:
                name = re.search(r'name: "([^"]*)"', packet)[1]
                tracks[number["uuid"]] = name
                devices[number["uuid"]] = devices.get(number.get("parent"), name.split(" (")[0].split(" ")[-1])
            if "  event {" in packet:
                notes = re.findall(r"note \{\s+name: (\d+)\s+value: (\d+)", packet)
                events.append({**number, **({"flows": flows} if flows else {}), "time": int(re.search(r"timestamp: (\d+)", packet)[1]),
                               **{("block", "source", "bytes")[int(name) - 1]: int(value) for name, value in notes}})
        for event in events:
            event["place"], event["device"] = tracks[event["track"]], devices[event["track"]]
            if "name" in event:
                event["name"] = names[event["name"]]
        return events

    def test_a_block_is_a_trail(self):
        events = self.decode("--size", "8KiB", "--no-data")
        depth = {}
        for event in events:
            depth[event["track"]] = depth.get(event["track"], 0) + {BEGIN: 1, END: -1}.get(event["type"], 0)
            self.assertIn(depth[event["track"]], (0, 1))  # events on a track do not overlap
        self.assertFalse(any(depth.values()))
        of_block = [event for event in events if event.get("block") == 62]
        table = [event["name"] for event in of_block if " entry " in event["place"] and event["type"] == INSTANT]
        self.assertEqual(sorted(table), ["completion"] + 16 * ["operand"])
        sources = {event["source"] for event in of_block if event.get("name") == "operand"}
        self.assertEqual(sources, set(range(16)))
        arrivals = [event for event in of_block if event["place"] == "arrivals"]
        self.assertEqual(len({event["track"] for event in arrivals}), 16)
        completed = next(event["time"] for event in of_block if event.get("name") == "completion")
        self.assertTrue(all(event["time"] > completed for event in arrivals))

    @staticmethod
    def flows_of(events):
        """Events by flow, in order of time."""
        flows = {}
        for event in events:
            for flow in event.get("flows", []):
                flows.setdefault(flow, []).append(event)
        return flows

    def test_each_operand_and_each_copy_is_a_flow(self):
        """Two GPUs are on the other board: their operands and the copies to them cross a trunk."""
        for mode in ("windowed", "event"):
            events = self.decode("--ranks", "0,1,8,9", "--size", "2KiB", "--no-data", "--mode", mode)
            for block in range(16):
                flows = self.flows_of(event for event in events if event.get("block") == block)
                paths = sorted([f"{event['device']} {event['name']}" for event in flow] for flow in flows.values())
                plane = next(event for event in events if event.get("block") == block)["place"].split("switch0_")[-1].split("switch1_")[-1].split(".")[0]
                home, other = f"switch0_{plane}", f"switch1_{plane}"
                if not any(event["device"] == home and event.get("name") == "completion" for event in events if event.get("block") == block):
                    home, other = other, home
                near, far = ((0, 1), (8, 9)) if home.startswith("switch0") else ((8, 9), (0, 1))
                operands = [[f"gpu{g} red_write", f"{home} operand"] for g in near] + [[f"gpu{g} red_write", f"{other} red_write", f"{home} operand"] for g in far]
                copies = [[f"{home} completion", f"{home} mc_write", f"gpu{g} mc_write"] for g in near] + \
                         [[f"{home} completion", f"{home} mc_write", f"{other} mc_write", f"gpu{g} mc_write"] for g in far]
                acks = [[f"gpu{g} mc_write", f"gpu{g} ack"] for g in near] + [[f"gpu{g} mc_write", f"gpu{g} ack", f"{other} ack"] for g in far]
                self.assertEqual(paths, sorted(operands + copies + acks))
                for flow in flows.values():
                    if flow[0]["name"] == "red_write":
                        self.assertEqual({event["source"] for event in flow}, {int(flow[0]["device"][3:])})

    def test_flows_lead_to_the_entry_of_each_network(self):
        """The packet of an operand begins at its source, perhaps as an answer, and ends in the entry; a sum begins at the completion."""
        for platform, algorithm in (("dgx2", "pull"), ("torus:4x4", "multitree"), ("torus:2x2", "ring"), ("rack:4", "netreduce")):
            with self.subTest(platform=platform, algorithm=algorithm):
                events = self.decode("--platform", platform, "--algorithm", algorithm, "--size", "4KiB", "--no-data")
                flows = self.flows_of(events)
                ends = [flow for flow in flows.values() if flow[-1].get("name") == "operand"]
                self.assertGreater(len(ends), 8)
                for flow in ends:
                    packet = [event for event in flow[flow[0]["place"] == "arrivals":] if event.get("name") != "completion"]
                    self.assertEqual(len({event["source"] for event in packet}), 1)
                    if flow[0]["name"] != "completion":  # a partial sum of another table
                        self.assertIn(str(flow[-1]["source"]), re.findall(r"\d+", flow[0]["device"]))
                self.assertGreater(sum(flow[0].get("name") == "completion" for flow in flows.values()), 8)
                for flow in flows.values():
                    times = [event["time"] for event in flow]
                    self.assertEqual(times, sorted(times))
                    self.assertEqual(len({event["block"] for event in flow}), 1)
                    self.assertLessEqual(sum(event["place"] == "arrivals" for event in flow[1:]), 1)

    def test_each_job_has_separate_trails(self):
        """Jobs on networks and servers each count chunks and addresses from 0; a ring of NetReduce counts packets of its tensor."""
        for platform, first, second in (("torus:4x4", ("multitree", "0-7"), ("ring", "8-15")), ("dgx1v", ("blink", "0-3"), ("blink", "4-7")),
                                        ("rack:6", ("netreduce", "0-2"), ("netreduce", "3-5")), ("dgx2", ("push", "0-7"), ("push", "8-15"))):
            with self.subTest(platform=platform):
                jobs = "".join(f"  - {{ collective: allreduce, algorithm: {name}, ranks: {ranks}, size: 16KiB }}\n" for name, ranks in (first, second))
                (self.folder / "two.yaml").write_text(f"platform: {platform}\njobs:\n{jobs}")
                events = self.decode("two.yaml", "--no-data")
                border = int(second[1].split("-")[0])
                jobs_of_flows = {}
                for event in events:
                    for flow in event.get("flows", []):
                        if event.get("source", 1 << 16) < 2 * border:
                            jobs_of_flows.setdefault(flow, set()).add(event["source"] >= border)
                self.assertGreater(len(jobs_of_flows), 4)
                self.assertEqual({len(jobs) for jobs in jobs_of_flows.values()}, {1})
                self.assertEqual({True, False}, set().union(*jobs_of_flows.values()))

    def test_a_slot_of_netreduce_is_a_trail(self):
        """The trail leads from the gradients of all hosts to their results. A message is padded to its 170 packets."""
        events = self.decode("--platform", "rack:4", "--algorithm", "netreduce", "--size", "16KiB", "--no-data")
        slots = {}
        for event in events:
            if "block" in event:
                slots.setdefault(event["block"], []).append(event)
        self.assertEqual(sorted(slots), list(range(170)))
        for of_slot in slots.values():
            flows = self.flows_of(of_slot).values()
            self.assertEqual(sorted(flow[0]["device"] for flow in flows if flow[-1].get("name") == "operand"), [f"host{i}" for i in range(4)])
            self.assertEqual(sorted(flow[-1]["device"] for flow in flows if flow[0].get("name") == "completion"), [f"host{i}" for i in range(4)])
            arrivals = [event for event in of_slot if event["place"] == "arrivals"]
            self.assertEqual(len({event["track"] for event in arrivals}), 4)
            self.assertEqual({event["source"] for event in of_slot if "source" in event}, set(range(4)))
            entry = [event for event in of_slot if event["place"] == f"ring 1 slot {of_slot[0]['block']}"]
            self.assertEqual([event["name"] for event in entry], ["entry"] + 4 * ["operand"] + ["completion"])
            self.assertEqual({event["source"] for event in entry[1:5]}, set(range(4)))
            self.assertTrue(entry[0]["time"] == entry[1]["time"] <= entry[4]["time"] < entry[5]["time"] < min(event["time"] for event in arrivals))

    def test_slots_of_leaves_and_of_the_root_are_entries(self):
        """Two racks of three hosts: three gradients at each leaf, the sums of both at the root; and another ring has entries of its own."""
        (self.folder / "two.yaml").write_text("platform: spine_leaf:2x4\njobs:\n  - { ranks: '0-2,4-6', size: 4KiB }\n  - { ranks: '3,7', size: 4KiB }\n")
        operands = {}
        for event in self.decode("two.yaml", "--no-data"):
            if event.get("name") == "operand":
                operands.setdefault((event["place"], event["track"]), []).append(event["source"])
        counts = {}
        for (place, _), sources in operands.items():
            self.assertEqual(len(set(sources)), len(sources))
            counts.setdefault(place.split(" slot ")[0], []).append(len(sources))
        # Entries of each slot: the two leaves and the root for the first ring, and the same for the second, with one
        # host below each leaf.
        self.assertEqual({ring: sorted(counts[ring]) for ring in counts}, {"ring 1": 170 * [2] + 340 * [3], "ring 2": 340 * [1] + 170 * [2]})

    def test_all_packets_of_all_links_are_drawn(self):
        events = self.decode("--size", "4KiB", "--no-data", "--json", "run.json")
        row = json.loads((self.folder / "run.json").read_text())["results"][0]
        self.assertEqual(sum(event.get("bytes", 0) for event in events if event["type"] == BEGIN), row["wire_bytes"])

    def test_queues_and_credits_are_drawn_on_request(self):
        """Counters have the values that a waveform of the same run has."""
        queue, credits = "switch0_2.port1.output.vc1.flits", "gpu3.port2.output.vc0.credits_used"
        globs = ["--trace", f"*.{queue}", "--trace", f"*.{credits}"]
        events = self.decode("--size", "16KiB", "--no-data", *globs, "--vcd", "run.vcd")
        waves = (self.folder / "run.vcd").read_text()
        for place in (queue, credits):
            leaf = place.rsplit(".", 1)[1]
            shown = {event["time"]: event["value"] for event in events if event["place"] == place.split(".", 1)[1]}
            code = re.search(rf"\$var wire \d+ (\S+) {leaf} ", waves)[1]
            drawn = [int(value, 2) for value in re.findall(rf"(?m)^b([01]+) {re.escape(code)}$", waves)]
            self.assertEqual(self.changes(shown.values()), self.changes(drawn), place)
            self.assertGreater(max(drawn), 0)
        self.assertEqual(len({event["place"] for event in events}), 2)
        everything = self.decode("--size", "4KiB", "--no-data")
        self.assertFalse(any("credits_used" in event["place"] for event in everything))

    @staticmethod
    def changes(values):
        """The changes of a value that begins at 0."""
        kept = [0]
        for value in values:
            if value != kept[-1]:
                kept.append(value)
        return kept

    def test_json_has_the_same_events(self):
        """For viewers of Chrome's trace events: the same marks in the same order, times in thousandths of microseconds, slices of a trail joined."""
        kinds = {"B": BEGIN, "E": END, "i": INSTANT, "C": COUNT}
        for unit in ("ps", "ns"):
            with self.subTest(unit=unit):
                events = self.decode("--size", "8KiB", "--no-data", "--perfetto-unit", unit, "--perfetto-json", "run.json")
                document = json.loads((self.folder / "run.json").read_text())
                names = {(event["pid"], event.get("tid")): event["args"]["name"] for event in document["traceEvents"] if event["ph"] == "M"}
                self.assertEqual(names[1, None], "dgx2 gpu0" + (" (1 ns shown = 1 ps)" if unit == "ps" else ""))
                shown, flows, open_slices = [], {}, {}
                for event in document["traceEvents"]:
                    if event["ph"] == "M":
                        continue
                    if event["ph"] in "stf":
                        self.assertEqual(open_slices[event["pid"], event["tid"]], 1)  # a slice contains the end of the arrow
                        flows.setdefault(event["id"], []).append(event["ph"])
                        continue
                    if event["ph"] in "BE":
                        open_slices[event["pid"], event["tid"]] = open_slices.get((event["pid"], event["tid"]), 0) + {"B": 1, "E": -1}[event["ph"]]
                    place = event["name"] if event["ph"] == "C" else names[event["pid"], event["tid"]]
                    self.assertAlmostEqual(event["ts"] * 1000, round(event["ts"] * 1000), delta=1e-6)
                    shown.append((round(event["ts"] * 1000), kinds[event["ph"]], place, event["args"]["value"] if event["ph"] == "C" else event["name"]))
                begun, marks = {}, []
                for event in events:  # ends have no name in JSON
                    if event["type"] == BEGIN:
                        begun[event["track"]] = event["name"]
                    marks.append((event["time"], event["type"], event["place"], event.get("value", event.get("name", begun.get(event["track"])))))
                self.assertEqual(shown, marks)
                of_slices = self.flows_of(event for event in events if event["type"] == BEGIN or " entry " in event["place"])
                self.assertEqual({int(flow, 16) for flow in flows}, {flow for flow in of_slices if len(of_slices[flow]) > 1})
                for points in flows.values():
                    self.assertEqual(points, ["s"] + ["t"] * (len(points) - 2) + ["f"])

    def test_json_escapes_a_name_that_is_not_utf_8(self):
        name = os.fsdecode(b"n\xff.xml")
        shutil.copy(SOURCE / "testbench/workload/data/topologies/dgx1v.xml", self.folder / name)
        self.run_in("run", "--quiet", "--platform", f"nccl_xml:{name}", "--size", "4KiB", "--no-data", "--perfetto-json", "run.json")
        self.assertIn("\ufffd", json.loads((self.folder / "run.json").read_text(encoding="utf-8"))["traceEvents"][0]["args"]["name"])

    def test_a_repeated_packet_is_not_an_operand(self):
        events = self.decode("--platform", "rack:3", "--size", "4KiB", "--no-data", "--fault", "drop:gradient:1:0:5")
        operands = {}
        for event in events:
            if event.get("name") == "operand":
                operands.setdefault(event["place"], []).append(event["source"])
        self.assertEqual({place: sorted(sources) for place, sources in operands.items()}, {f"ring 1 slot {slot}": [0, 1, 2] for slot in range(170)})

    def test_a_truncated_timeline_is_reported(self):
        done = self.run_in("run", "--size", "4MiB", "--no-data", "--quiet", "--perfetto", "run.pftrace", "--json", "run.json")
        row = json.loads((self.folder / "run.json").read_text())["results"][0]
        self.assertTrue(0 < row["timeline_cut_ns"] < row["time_ns"])
        self.assertRegex(done.stdout, rf"(?m)^# timeline: incomplete after {row['timeline_cut_ns'] / 1e3:.3f} us, as it has more than ")
        self.run_in("run", "--size", "4KiB", "--quiet", "--perfetto", "run.pftrace", "--json", "run.json")
        self.assertNotIn("timeline_cut_ns", json.loads((self.folder / "run.json").read_text())["results"][0])

    def test_both_modes_write_the_same_timeline(self):
        for options in (["--size", "16KiB"], ["--size", "16KiB", "--trace", "*.output.vc0.*"], ["--platform", "torus:2x2", "--size", "16KiB"],
                        ["--platform", "spine_leaf:2x3", "--size", "16KiB"]):
            files = []
            for engine in ("windowed", "event"):
                self.run_in("run", "--quiet", "--mode", engine, "--perfetto", engine, "--perfetto-json", "run.json", *options)
                files.append([(self.folder / name).read_bytes() for name in (engine, "run.json")])
            self.assertEqual(*files)

    def test_signals_are_selected_by_their_names(self):
        """Names as in `list probes`, as for waveforms: rows of a table, fields of a link's packets."""
        for glob, place in (("*switch0_0.port0.table.entry0.value", "port0.table entry 0"), ("*gpu3.port2.link.opcode", "port2 > switch0_2.port3")):
            events = self.decode("--size", "8KiB", "--no-data", "--trace", glob)
            self.assertEqual({event["place"] for event in events}, {place})

    def test_windows_and_signals_can_be_combined(self):
        places = ["--size", "64KiB", "--trace", "*gpu3.port2*"]
        everything = self.decode(*places)
        first = {event["time"] for event in everything}
        some = self.decode(*places, "--perfetto-window", "500ns:600ns")
        self.assertTrue(0 < len(some) < len(everything) / 2)
        self.assertTrue(all(event["time"] in first and 490_000 < event["time"] < 610_000 for event in some))
        self.assertEqual({re.split("[ .]", event["place"])[0] for event in some}, {"port2"})
        for options, part in [(["--perfetto-window", "1us:2us"], "requires --perfetto"),
                              (["--perfetto", "t", "--perfetto-window", "2us:1us"], "is empty"),
                              (["--perfetto", "t", "--mode", "fluid"], "flows have no packets for a timeline"),
                              (["--perfetto", "t", "--trace", "*.no_such_place.*"], "--trace '*.no_such_place.*' matches nothing that a timeline shows"),
                              (["--perfetto", "-"], "cannot go to standard output"), (["--perfetto-json", "-"], "cannot go to standard output"),
                              (["--perfetto-json", "t", "--mode", "fluid"], "flows have no packets for a timeline"),
                              (["--perfetto", "t", "--perfetto-json", "t"], "is also the file of --perfetto")]:
            self.assertIn(part, self.run_in("run", "--size", "4KiB", *options, code=2).stderr)


if __name__ == "__main__":
    run_tests()
