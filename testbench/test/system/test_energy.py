"""Energy and area of runs against arithmetic and published figures (docs/energy.md).

usage: test_energy.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import re
import unittest

from executable import SOURCE, run_tests, tributary

MIB = 1 << 20


def run(*arguments):
    done = tributary("run", *arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def energies(document):
    """Parts of the last row in pJ per byte, with `marginal` and `standing`."""
    row = document["results"][-1]
    scale = 1e12 / (document["ranks"] * row["size_bytes"])
    energy = row["energy"]
    all_parts = {name: joules * scale for name, joules in energy["parts"].items()}
    return dict(all_parts, marginal=energy["marginal_J"] * scale, standing=energy["standing_J"] * scale, whole=energy["per_byte_pJ"])


class Dgx2(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents = {a: run("--algorithm", a, "--size", "1MiB", "--no-data") for a in ("push", "pull", "ring", "multitree")}
        cls.energies = {a: energies(d) for a, d in cls.documents.items()}

    def near(self, algorithm, part, expected, share):
        self.assertLessEqual(abs(self.energies[algorithm][part] - expected), share * expected + 0.006, (algorithm, part, self.energies[algorithm][part]))

    def test_rows(self):
        rows = {"push": dict(links=245.6, memory=62.7, tables=2.13, adders=0.13, standing=341),
                "pull": dict(links=226.1, memory=62.8, tables=2.13, standing=478),
                "ring": dict(links=398.4, memory=149.1, adders=0.13, marginal=630, standing=1223),
                "multitree": dict(links=475.0, memory=205.3, adders=0.13, marginal=793, standing=634)}
        switches = dict(push=60.7, pull=45.7, ring=82.3, multitree=112.1)  # copies cross, too
        for algorithm, parts in rows.items():
            for part, expected in parts.items():
                self.near(algorithm, part, expected, 0.01)
            self.near(algorithm, "switches", switches[algorithm], 0.03)
        self.near("push", "marginal", 371, 0.01)
        self.near("pull", "marginal", 337, 0.01)

    def test_claims(self):
        push, pull, ring = (self.energies[a] for a in ("push", "pull", "ring"))
        self.assertAlmostEqual(push["marginal"] / ring["marginal"], 0.59, delta=0.01)
        self.assertAlmostEqual(push["whole"] / ring["whole"], 0.38, delta=0.01)
        self.assertAlmostEqual((push["tables"] + push["adders"]) / push["marginal"], 0.006, delta=0.001)  # Klenk IV-G
        self.assertAlmostEqual(ring["memory"] / push["memory"], 2.4, delta=0.05)
        self.assertLess(pull["marginal"], push["marginal"])
        self.assertGreater(pull["whole"], push["whole"])
        # equal where the standing power of a switch is 12.5 W
        per_watt = [(e["standing"]) / 50 for e in (push, pull)]
        self.assertAlmostEqual((push["marginal"] - pull["marginal"]) / (per_watt[1] - per_watt[0]), 12.5, delta=1.0)

    def test_copies_cross_the_crossbar(self):
        """Bytes of a push: an operand of 144 B crosses into its table, half of them through another switch; results of 144 B reach 16
        GPUs and a trunk; acks of 16 B cross a trunk or end at their home port."""
        blocks = MIB // 128
        operands, results, acks = 16 * 1.5 * 144, 17 * 144, 16 * 1.5 * 16
        counters = self.documents["push"]["results"][0]["counters"]
        self.assertEqual(counters["switch.crossbar_bytes"], blocks * (operands + results + acks))

    def test_sums(self):
        for algorithm, document in self.documents.items():
            counters = document["results"][0]["counters"]
            adds = counters.get("switch.merges", 0) * 32 + counters["gpu.added_elements"]
            if algorithm == "pull":  # barriers pull a block for each GPU, too
                self.assertAlmostEqual(adds, 15 * (MIB + 16 * 128) // 4, algorithm)
            else:
                self.assertEqual(adds, 15 * MIB // 4, algorithm)

    def test_rank_order_adds_as_much(self):
        """A table with room for all operands of its entries writes n - 1 of them and reads them back."""
        table = "nvswitch.switch.reduction_table.bytes=64KiB"
        arrival, rank = (run("--algorithm", "push", "--size", "64KiB", "--no-data", "--set", table, "--set", f"nvswitch.switch.reduction_table.order={order}")
                         for order in ("arrival", "rank"))
        self.assertEqual(arrival["results"][0]["counters"]["gpu.added_elements"], 0)
        self.assertEqual(rank["results"][0]["counters"]["gpu.added_elements"], 0)
        self.assertAlmostEqual(energies(arrival)["adders"] / energies(rank)["adders"], 1, places=9)
        # 64 KiB lie a fifth of the way from 32 KiB (1.552 pJ per byte) to 1 MiB (4.19) in the logarithm; 16 operands search 512 entries of 48 bits
        access, tags = 1.552 + 0.2 * (4.19 - 1.552), 16 * 512 * 48 * 0.6e-3 / (16 * 128)
        self.assertAlmostEqual(energies(rank)["tables"], 2 * 15 / 16 * access + tags, delta=0.01)

    def test_area(self):
        area = self.documents["push"]["area"]
        self.assertAlmostEqual(area["tables"], 0.0111, delta=0.0001)
        self.assertAlmostEqual(area["tables"], self.documents["push"]["cost"]["sram_mm2_per_switch"], delta=1e-5)
        self.assertAlmostEqual(area["adders"], 0.102, delta=0.0005)
        self.assertAlmostEqual(area["tags"], 0.004, delta=0.0005)
        self.assertAlmostEqual(area["crossbar"], 0.43, delta=0.001)
        self.assertAlmostEqual(area["serdes"], 44.8, delta=0.01)
        self.assertAlmostEqual(area["reduction"], 0.117, delta=0.001)
        self.assertLess(area["reduction"] / 106, 0.01)  # Klenk: less than 1 %
        self.assertAlmostEqual(area["total"], sum(area[p] for p in ("tables", "adders", "tags", "buffers", "crossbar", "serdes")), delta=1e-9)



class Nvls(unittest.TestCase):
    def test_memory_and_sums_do_not_depend_on_the_size_of_load_reduces(self):
        parts = [energies(run("--platform", "h100", "--gpus", "4", "--algorithm", "nvls", "--size", "1MiB", "--no-data", "--set", f"nvswitch.nvls.payload={payload}B"))
                 for payload in (32, 64, 128)]
        for other in parts[1:]:
            self.assertAlmostEqual(other["memory"], parts[0]["memory"], delta=0.001 * parts[0]["memory"])
            self.assertAlmostEqual(other["adders"], parts[0]["adders"], delta=0.001 * parts[0]["adders"])

class Rack(unittest.TestCase):
    """One message of 1 MiB takes 7 messages of 170 packets of 1 KiB with NetReduce; headers and padding are sent, stored and added."""
    PAYLOAD = 6 * 7 * 170 * 1024
    LENGTH = 7 * (170 * 1024 - 16) // 4

    @classmethod
    def setUpClass(cls):
        options = ("--platform", "rack:6", "--size", "1MiB", "--no-data", "--algorithm")
        cls.documents = {a: run(*options, a) for a in ("netreduce", "ring")}
        cls.energies = {a: energies(d) for a, d in cls.documents.items()}

    def test_rows(self):
        rows = {"netreduce": dict(links=401.8, switches=361.6, nics=401.9, accelerator=80, marginal=1316, standing=2748),
                "ring": dict(links=288.5, switches=259.7, nics=577.0, adders=0.116, standing=2502)}
        for algorithm, parts in rows.items():
            for part, expected in parts.items():
                self.assertAlmostEqual(self.energies[algorithm][part] / expected, 1, delta=0.01, msg=(algorithm, part))

    def test_counters(self):
        netreduce, ring = (self.documents[a]["results"][0]["counters"] for a in ("netreduce", "ring"))
        self.assertEqual(netreduce["accelerator.payload_writes"], self.PAYLOAD)
        self.assertEqual(netreduce["accelerator.payload_reads"], self.PAYLOAD)
        self.assertEqual(netreduce["accelerator.added_elements"], 5 * self.LENGTH)
        self.assertEqual(netreduce["host.memory_bytes"], 6 * MIB + self.PAYLOAD)
        self.assertEqual(netreduce["host.added_elements"], 0)
        # 10 parts of a sixth in and out, 5 of them are added: two are read and one is written
        self.assertEqual(ring["host.memory_bytes"], MIB * (10 + 10 + 3 * 5))
        self.assertEqual(ring["host.added_elements"], 5 * MIB // 4)

    def test_claims(self):
        """NetReduce takes more than the ring, and less once GPUs that wait are counted."""
        self.assertGreater(self.energies["netreduce"]["whole"], self.energies["ring"]["whole"])
        joules = {}
        for algorithm in ("netreduce", "ring"):
            row = run("--platform", "rack:6", "--size", "1MiB", "--no-data", "--algorithm", algorithm, "--set", "energy.gpu.standing=300")["results"][0]
            joules[algorithm] = row["energy"]["marginal_J"] + row["energy"]["standing_J"]
            self.assertNotIn("GPUs while they wait", row["energy"]["not_included"])
        self.assertAlmostEqual(joules["netreduce"], 0.222, delta=0.003)
        self.assertAlmostEqual(joules["ring"], 0.302, delta=0.003)


class Tofino(unittest.TestCase):
    def test_counters(self):
        """Workers read their operand and write the result; each value updates a register."""
        counters = run("--platform", "tofino:4", "--algorithm", "switchml", "--size", "64KiB", "--no-data")["results"][0]["counters"]
        self.assertEqual(counters["worker.memory_bytes"], 2 * 4 * 65536)
        self.assertEqual(counters["switch.register_accesses"], 4 * 65536 // 4)
        self.assertEqual(counters["switch.added_elements"], 3 * 65536 // 4)

    def test_each_frame_passes_a_pipeline_once_or_all_chained_ones(self):
        for algorithm, pipelines in (("switchml", 1), ("switchml_rdma", 4)):
            row = run("--platform", "tofino:4", "--algorithm", algorithm, "--size", "64KiB", "--no-data")["results"][0]
            counters = row["counters"]
            entering = row["wire_bytes"] // 2  # the other half leaves
            gaps = 20 * counters["switch.passages"]  # preambles and gaps end at the port
            self.assertEqual(counters["switch.passage_bytes"] + gaps, pipelines * entering, algorithm)


class Priced(unittest.TestCase):
    def test_prices_change_no_results(self):
        plain = run("--size", "64KiB")
        priced = run("--size", "64KiB", "--set", "energy.link.nvlink=1", "--set", "technology.node=7", "--set", "area.clock=2")
        self.assertNotEqual(plain["results"][0]["energy"], priced["results"][0]["energy"])
        for document in (plain, priced):
            del document["results"][0]["energy"], document["area"], document["parameters"], document["kernel"]
        self.assertEqual(plain, priced)

    def test_modes_agree(self):
        for arguments in (["--algorithm", "push"], ["--algorithm", "ring"], ["--algorithm", "nccl", "--gpus", "4"], ["--platform", "torus:4x4"], ["--platform", "rack:4"],
                          ["--platform", "rack:4", "--algorithm", "ring"], ["--platform", "tofino:4"], ["--platform", "dgx1v"]):
            both = [run("--size", "64KiB", "--mode", mode, *arguments)["results"][0] for mode in ("windowed", "event")]
            self.assertEqual(both[0]["energy"], both[1]["energy"], arguments)
            self.assertEqual(both[0]["counters"], both[1]["counters"], arguments)

    def test_no_data_counts_as_much(self):
        for arguments in (["--algorithm", "ring"], ["--platform", "torus:4x4"], ["--algorithm", "nccl", "--gpus", "4"], ["--platform", "rack:4"], ["--platform", "tofino:4"], ["--platform", "dgx1v"]):
            both = [run("--size", "64KiB", *arguments, *more)["results"][0]["counters"] for more in ([], ["--no-data"])]
            self.assertEqual(both[0], both[1], arguments)

    def test_parts_are_the_whole(self):
        for platform in ("dgx2", "torus:4x4", "rack:6", "tofino:4", "dgx1v"):
            energy = run("--platform", platform, "--size", "64KiB")["results"][0]["energy"]
            self.assertAlmostEqual(sum(energy["parts"].values()), energy["marginal_J"], delta=1e-12, msg=platform)
            low, high = energy["range"]
            self.assertTrue(0 < low <= energy["per_byte_pJ"] * (1 + 1e-12) and energy["per_byte_pJ"] <= high * (1 + 1e-12), platform)

    def test_screen(self):
        done = tributary("run", "--size", "1MiB", "--energy", "--no-data")
        self.assertEqual(done.returncode, 0)
        found = re.search(r"# energy: (\d+) \((\d+) to (\d+)\) pJ per reduced byte: (\d+) marginal, (\d+) standing \(12 switches of 50 W for 9.53 us\)", done.stdout)
        self.assertTrue(found, done.stdout)
        self.assertAlmostEqual(int(found[1]), int(found[4]) + int(found[5]), delta=1)
        self.assertIn("reduction 0.117 mm2", done.stdout)

    def test_moved_bytes(self):
        done = tributary("run", "--collective", "broadcast", "--size", "64KiB", "--energy", "--no-data")
        self.assertIn("pJ per moved byte", done.stdout)

    def test_flows_name_what_they_lack(self):
        energy = run("--mode", "fluid", "--no-data", "--algorithm", "ring", "--size", "1MiB")["results"][0]["energy"]
        self.assertIn("counter gpu.memory_reads", energy["not_included"])
        self.assertGreater(energy["parts"]["links"], 0)

    def test_total_of_layers(self):
        document = run(str(SOURCE / "testbench/examples/scenarios/layers.yaml"), "--no-data")
        rows = document["results"]
        self.assertEqual(rows[-1]["label"], "total")
        for name in ("marginal_J", "standing_J"):
            self.assertAlmostEqual(rows[-1]["energy"][name], sum(r["energy"][name] for r in rows[:-1]), delta=1e-9 * rows[-1]["energy"][name] + 1e-12)


if __name__ == "__main__":
    run_tests()
