"""Tests the criteria of scripts/reproduce blink: arithmetic on links, packings as `tributary schedule` writes them, verdicts.

usage: test_blink_claims.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import copy
import importlib
import re
import sys
import unittest
from fractions import Fraction

from executable import SOURCE, TRIBUTARY, run_tests

sys.path.insert(0, str(SOURCE / "scripts"))
ALL = tuple(range(8))


class Arithmetic(unittest.TestCase):
    """Arithmetic by hand on the published links."""

    def setUp(self):
        self.servers = importlib.import_module("reproduction.blink.servers")

    def test_each_gpu_has_its_published_links(self):
        for server, links in (("dgx1p", 4), ("dgx1v", 6)):
            for gpu in range(8):
                self.assertEqual(sum(n for pair, n in self.servers.LINKS[server].items() if gpu in pair), links)

    def test_allocations_are_counted(self):
        for server, expected in (("dgx1p", {3: 2, 4: 4, 5: 3, 6: 3, 7: 1, 8: 1}), ("dgx1v", {3: 5, 4: 14, 5: 14, 6: 10, 7: 2, 8: 1})):
            found = self.servers.classes(server)
            sizes = [len(members[0]) for members in found.values()]
            self.assertEqual({n: sizes.count(n) for n in expected}, expected)
            self.assertEqual((sum(map(len, found.values())), len(self.servers.sets())), (181, 219))

    def test_bounds_are_those_of_the_links(self):
        for server, cut, partition, rings in (("dgx1v", 6, Fraction(24, 7), 6), ("dgx1p", 4, Fraction(16, 7), 4)):
            self.assertEqual((self.servers.least_cut(server, ALL, 0), self.servers.least_partition(server, ALL),
                              self.servers.most_rings(server, ALL)), (cut, partition, rings))
        self.assertEqual(len(self.servers.partitions(ALL)), 4140)  # Bell's number
        self.assertEqual(self.servers.least_cut("dgx1v", (0, 3, 4), 0), 2)
        self.assertEqual(self.servers.most_rings("dgx1v", (1, 4, 5, 6)), 0)
        self.assertEqual(self.servers.most_rings("dgx1p", (0, 1, 2, 3)), 3)  # six rings of half a link
        self.assertFalse(self.servers.joined("dgx1v", (0, 1, 6)))


class Trees(unittest.TestCase):
    def setUp(self):
        self.servers = importlib.import_module("reproduction.blink.servers")
        self.trees = importlib.import_module("reproduction.blink.trees")

    def ask(self, server, collective, gpus):
        return self.trees.ask(TRIBUTARY, server, collective, gpus, 0, "")

    def test_packings_of_all_gpus_are_right_and_broken_ones_are_detected(self):
        for collective in self.trees.COLLECTIVES:
            good = self.ask("dgx1v", collective, ALL)
            self.assertTrue(self.servers.packs("dgx1v", ALL, good))
            self.assertFalse(self.servers.packs("dgx1p", ALL, good))  # equal pairs with fewer links
            for broken in range(3):
                bad = copy.deepcopy(good)
                tree = bad["trees"][0]
                if broken == 0:
                    tree["units"] *= 30
                elif broken == 1:
                    tree["edges"].pop()
                else:
                    tree["edges"].append({"parent": tree["root"], "child": tree["edges"][0]["child"]})
                self.assertFalse(self.servers.packs("dgx1v", ALL, bad))

    def test_gpus_without_common_links_have_no_trees_over_links(self):
        self.assertIsNone(self.ask("dgx1v", "broadcast", (0, 1, 6)))
        with self.assertRaisesRegex(importlib.import_module("reproduction.tools").Failure, "exit code 2"):
            self.ask("dgx3", "broadcast", (0, 1, 2))


class Made:
    """Documents with these speed-ups, one of them without a ring."""

    def __init__(self, numbers):
        self.numbers = numbers

    def unique(self, *_):
        return {(i,): {"speed_up": n, "rings": i} for i, n in enumerate(self.numbers)}

    def of(self, *_):
        return {"speed_up": self.numbers[-1]}


class Simulated(unittest.TestCase):
    """Verdicts of simulated rows, tested with made-up rows."""

    def setUp(self):
        self.claim = importlib.import_module("reproduction.claim")
        self.server = importlib.import_module("reproduction.blink.claims_server")
        self.runs = importlib.import_module("reproduction.blink.runs")
        self.sensitivity = importlib.import_module("reproduction.blink.sensitivity")
        self.tools = importlib.import_module("reproduction.tools")

    def sweep(self, rows):
        made = self.tools.Results.__new__(self.tools.Results)
        made.folder, made.rows = SOURCE, [self.tools.Row(row) for row in rows]
        return made

    def rows(self, numbers, **more):
        """Rows with (GB/s of Blink, GB/s of NCCL) of three sets of GPUs, all collectives, both servers."""
        return [{"platform": server, "collective": collective, "algorithm": algorithm, "endpoints": gpus, "status": "done",
                 "blink.chunk": "4MB" if algorithm == "blink" else "", "algbw_GBps": str(pair[i])} | more
                for server in ("dgx1v", "dgx1p") for collective in ("broadcast", "allreduce")
                for gpus, pair in zip(("0-1,4", "0-2", "0-7"), numbers) for i, algorithm in enumerate(("blink", "nccl"))]

    def test_rows_hold_the_sets_of_gpus(self):
        self.assertEqual([self.runs.endpoints(t) for t in ("0-1,4", "3", "0-7")], [(0, 1, 4), (3,), ALL])

    def test_speed_ups_are_ratios_of_rates(self):
        def verdicts(numbers):
            table = self.claim.gather([self.server.speed_ups], {"allocations": self.sweep(self.rows(numbers))})
            return [c.verdict == self.claim.REPRODUCED for c in table]
        self.assertEqual(verdicts([(50, 10), (20, 20), (30, 20)]), [True] * 3 + [False, False, True] + [True] * 3)
        self.assertEqual(verdicts([(50, 10), (19.7, 20), (30, 20)])[2::3], [False] * 3)  # never slower
        self.assertEqual(verdicts([(30, 10), (20, 21), (50, 20)]), [True, False, False, False, True, False, True, False, False])

    def test_the_best_chunk_size_counts(self):
        rows = self.rows([(50, 10), (20, 20), (30, 20)]) + self.rows([(60, 10), (10, 20), (31, 20)])
        found = self.runs.both({"allocations": self.sweep(rows)}, "dgx1v", "broadcast")
        self.assertEqual(list(found.values()), [(20, 20), (60, 10), (31, 20)])

    def test_parameters_change_only_the_classes_that_were_run_again(self):
        base = self.rows([(50, 10), (20, 20), (30, 20)])
        moved = [row | {"blink.copy.engines": "2", "algbw_GBps": "20"} for row in base if row["algorithm"] == "blink"]
        slower = [row | {"blink.pcie.socket_rate": "5GB/s", "algbw_GBps": "5"} for row in base
                  if row["algorithm"] == "nccl" and row["endpoints"] == "0-1,4"]
        found = self.sensitivity.speed_ups({"allocations": self.sweep(base), "sensitivity": self.sweep(moved + slower)},
                                           "dgx1v", "broadcast")
        self.assertEqual(found, {None: {(0, 1, 4): 5, (0, 1, 2): 1, ALL: 1.5},
                                 ("blink.copy.engines", "2"): {(0, 1, 4): 2, (0, 1, 2): 1, ALL: 1},
                                 ("blink.pcie.socket_rate", "5GB/s"): {(0, 1, 4): 10, (0, 1, 2): 1, ALL: 1.5}})

    def test_the_rates_of_a_ring_over_pcie_are_compared(self):
        base = self.rows([(50, 10), (20, 20), (30, 20)])
        moved = [row | {"blink.copy.engines": "2"} for row in base if row["algorithm"] == "blink"]
        slower = [row | {"blink.pcie.socket_rate": rate, "algbw_GBps": str(numbers)} for row in base
                  for rate, numbers in (("7.5GB/s", 20), ("8.8GB/s", 25)) if row["algorithm"] == "nccl" and row["endpoints"] == "0-1,4"]
        claims = list(self.sensitivity.rings_over_pcie({"allocations": self.sweep(base), "sensitivity": self.sweep(moved + slower)}))
        self.assertEqual([claim.measured.split("; ")[0] for claim in claims], ["1.96, 5.0", "1.55, 2.5", "1.44, 2.0"])  # cube roots of 7.5, 3.75, 3
        self.assertEqual({claim.verdict for claim in claims}, {self.claim.REPORTED})

    def test_messages_of_50_mb_are_never_slower(self):
        small = importlib.import_module("reproduction.blink.claims_small")
        rows = [row for row in self.rows([(50, 10), (20, 20), (30, 20)]) if (row["platform"], row["endpoints"]) == ("dgx1v", "0-7")]
        rows += [row | {"algbw_GBps": "19" if row["collective"] == "allreduce" else "31"} for row in rows if row["algorithm"] == "blink"]
        verdicts = [claim.verdict for claim in small.fifty_megabytes({"small": self.sweep(rows)})]
        self.assertEqual(verdicts, [self.claim.REPRODUCED] * 2)  # the best of both chunk sizes
        for row in rows:
            row["algbw_GBps"] = "19" if (row["collective"], row["algorithm"]) == ("allreduce", "blink") else row["algbw_GBps"]
        verdicts = [claim.verdict for claim in small.fifty_megabytes({"small": self.sweep(rows)})]
        self.assertEqual(verdicts, [self.claim.REPRODUCED, self.claim.NOT_REPRODUCED])

    def test_the_sweeps_contain_a_set_of_each_class(self):
        classes = importlib.import_module("reproduction.blink.servers").classes
        for form in ("quick", "full"):
            text = (SOURCE / "scripts" / "reproduction" / "blink" / form / "allocations.yaml").read_text(encoding="utf-8")
            found = {}
            for document in text.split("---\n"):
                words = dict(re.findall(r"^(platform|collective|algorithm): (\w+)$", document, re.MULTILINE))
                found.setdefault((words["platform"], words["collective"], words["algorithm"]), []).extend(
                    tuple(map(int, gpus.split(","))) for gpus in re.findall(r"'([0-7,]+)'", document))
            self.assertGreaterEqual(len(found), 6)
            for (server, _, _), sets in found.items():
                self.assertEqual(sorted(sets), sorted(members[0] for members in classes(server).values()))


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.claim = importlib.import_module("reproduction.claim")
        self.theory = importlib.import_module("reproduction.blink.claims_theory")

    def verdicts(self, function, numbers):
        return [c.verdict in (self.claim.REPRODUCED, self.claim.CONSISTENT) for c in self.claim.gather([function], {"trees": Made(numbers)})]

    def test_a_class_that_is_slower_than_its_ring_is_detected(self):
        self.assertTrue(self.verdicts(self.theory.figure_13, [1.0, 1.5])[-1])
        self.assertFalse(self.verdicts(self.theory.figure_13, [0.99, 1.5])[-1])

    def test_figure_13_has_one_geometric_mean_and_one_maximum_per_server(self):
        mean, most = 1.612, 4.0  # a broadcast on a DGX-1V, two figures
        self.assertEqual(self.verdicts(self.theory.figure_13, [mean * mean / most, most])[:4], [False, True, False, False])

    def test_own_arithmetic_is_no_claim_of_the_paper(self):
        claims = self.claim.gather([self.theory.figure_13], {"trees": Made([1.0, 1.5])})
        self.assertEqual([c.verdict in (self.claim.CONSISTENT, self.claim.INCONSISTENT) for c in claims], [True] * (len(claims) - 1) + [False])

    def test_the_largest_speed_up_must_be_without_a_ring(self):
        self.assertEqual(self.verdicts(self.theory.rings_or_none, [4.0, 1.0]), [True] * 5)
        self.assertEqual(self.verdicts(self.theory.rings_or_none, [1.0, 4.0]), [False] * 5)


if __name__ == "__main__":
    run_tests()
