"""Tests the bands of docs/validation/silicon.md against the published tables of nccl-tests.

usage: test_silicon.py TRIBUTARY SOURCE_DIRECTORY Quick|Large|Servers [unittest arguments]
"""
import sys
import unittest
from dataclasses import replace

from executable import SOURCE, TRIBUTARY, run_tests

sys.path.insert(0, str(SOURCE / "scripts"))
import silicon_clusters  # noqa: E402  (the path is that of the source)
import silicon_tables  # noqa: E402

MIB = 1 << 20


def error(tables, least=0, most=1 << 62):
    """The error in percent of the rows of the tables between two sizes, and their number. Rows on which a number was set are left out."""
    chosen = [row for row in silicon_tables.rows() if row["id"] in tables and least <= int(row["size_B"]) <= most]
    found = [result for result in silicon_tables.results(TRIBUTARY, rows_of=chosen) if not result.is_calibrated]
    return silicon_tables.deviation(found), len(found)


class Quick(unittest.TestCase):
    def test_eight_h100_up_to_16_mib(self):
        deviation, count = error({"h100-8-dgxc"}, most=16 * MIB)
        self.assertEqual(count, 17)
        self.assertLess(deviation, 10)

    def test_graphs_of_four_h100(self):
        self.assertLess(error({"h100-4-wh-sym-r0g1"})[0], 12)

    def test_a_message_of_many_loops_follows_from_two(self):
        run = silicon_tables.Run("h100", 2, "allreduce", 1 << 30, "2.29", "ring", "simple", False)
        parts = silicon_tables.Simulator(TRIBUTARY).parts(run)
        self.assertEqual([part.size for part in parts], [96 * MIB, 192 * MIB])  # 24 channels of 2 MiB for each of 2 ranks
        nvls = silicon_tables.Run("h100", 8, "allreduce", 1 << 30, "2.29", "nvls", "", False)
        self.assertEqual([(part.size, part.chunk) for part in silicon_tables.Simulator(TRIBUTARY).parts(nvls)],
                         [(64 * MIB, 128 << 10), (128 * MIB, 128 << 10)])
        b200 = silicon_tables.Run("b200", 8, "allgather", 2 << 30, "2.27", "", "", False)
        self.assertEqual([part.size for part in silicon_tables.Simulator(TRIBUTARY).parts(b200)], [256 * MIB, 512 * MIB])  # 16 channels
        sends = silicon_tables.Run("b200", 8, "sendrecv", 128 * MIB, "2.27", "", "", False)
        self.assertEqual([(part.size, part.channels) for part in silicon_tables.Simulator(TRIBUTARY).parts(sends)], [(8 * MIB, 8), (16 * MIB, 8)])

    def test_one_thread_launches_short_kernels_one_after_another(self):
        launches = 4 * silicon_tables.LAUNCH
        for kernel, period in ((1.0, 1.0 + launches), (2 * launches, 3 * launches), (2.5 * launches, 3 * launches), (90.0, 90.0)):
            self.assertAlmostEqual(silicon_tables.with_launches(kernel, 4), period, 6)
        run = silicon_tables.Run("h100", 4, "allreduce", 8, "2.29", "ring", "ll", True)
        simulator = silicon_tables.Simulator(TRIBUTARY)
        kernel = simulator.time(replace(run, thread=False))[0]
        self.assertAlmostEqual(kernel, 6.6 + 6 * 1.3, 0)  # the base of LL and six hops
        self.assertAlmostEqual(simulator.time(run)[0], kernel + launches, 6)

    def test_rows_of_old_releases_are_left_out(self):
        rows = silicon_tables.rows()
        self.assertFalse([row for row in rows if row["nodes"] != "1" or "abci" in row["id"]])
        self.assertFalse([row for row in rows if row["place"] == "out" and
                          any(other["id"] == row["id"] and other["size_B"] == row["size_B"] and other["place"] == "in" for other in rows)])


class Large(unittest.TestCase):
    """Messages of up to 16 GiB."""

    def test_rings_of_two_and_four_h100(self):
        self.assertLess(error({"h100-2-wh-ring"})[0], 8)
        self.assertLess(error({"h100-4-wh-ring"})[0], 3)

    def test_trees_of_four_h100(self):
        deviation, count = error({"h100-4-wh-algo-tree"})
        self.assertEqual(count, 3)
        self.assertLess(deviation, 10)

    def test_forced_nvls_of_two_and_four_h100(self):
        self.assertLess(error({"h100-2-wh-nvls"})[0], 5)
        self.assertLess(error({"h100-4-wh-nvls"})[0], 5)

    def test_all_reduce_of_eight_a100(self):
        deviation, count = error({"a100-8-dkh", "a100-8-thanos-g8"})
        self.assertEqual(count, 45)  # 55 less the rows on which the launch was set
        self.assertLess(deviation, 20)

    def test_all_gather_of_eight_b200(self):
        self.assertLess(error({"b200-8-ag"})[0], 12)

    def test_all_reduce_of_eight_b200(self):
        deviation, count = error({"b200-8-ar"})
        self.assertEqual(count, 20)  # 32 less the rows on which a number was set
        self.assertLess(deviation, 12)

    def test_eight_h100(self):
        self.assertLess(error({"h100-8-dgxc"})[0], 10)
        self.assertLess(error({"h100-8-dgxc"}, least=2 * MIB)[0], 10)

    def test_sends_of_eight_b200_last_as_long_from_64_to_256_mib(self):
        deviation, count = error({"b200-8-sr"}, least=64 * MIB, most=512 * MIB)
        self.assertEqual(count, 4)
        self.assertLess(deviation, 4)
        self.assertLess(error({"b200-8-a2a"}, least=8 * MIB, most=512 * MIB)[0], 7)

    def test_reduce_scatter(self):
        self.assertLess(error({"h100-4-wh-rs"})[0], 12)

    def test_all_reduce_of_four_h100_by_one_thread_and_by_graphs(self):
        self.assertLess(error({"h100-4-wh-ar", "h100-4-wh-quiet-ar", "h100-4-wh-sym-r0g1"})[0], 8)


class Servers(unittest.TestCase):
    """Clusters by flows, with NVLS on one server by packets."""

    def test_rows_without_gaps(self):
        for row in (row for row in silicon_clusters.ROWS if not row.gap):
            with self.subTest(row.name):
                self.assertLess(abs(silicon_clusters.deviation(TRIBUTARY, row)[1]), silicon_clusters.BAND)

    def test_a_ring_of_five_servers_is_faster_than_trees(self):
        ring, tree = (silicon_clusters.busbw(TRIBUTARY, row) for row in silicon_clusters.ROWS[-2:])
        self.assertGreater(ring, tree)


if __name__ == "__main__":
    run_tests()
