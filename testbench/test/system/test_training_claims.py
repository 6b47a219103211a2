"""Tests the criteria of scripts/reproduce training: iterations composed of measured parts, runs that are kept, verdicts.

usage: test_training_claims.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import importlib
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from executable import SOURCE, TRIBUTARY, run_tests

sys.path.insert(0, str(SOURCE / "scripts"))


def document(messages, compute=8, optimizer=1, time=0, software=0, transfers=None, ranks=2):
    """A result as `train --json` writes it; times in us. messages: (ready, bytes); transfers: bytes -> us."""
    sizes = [size for _, size in messages]
    return {
        "iterations": [{"time_ns": 1e3 * time, "compute_ns": 1e3 * compute, "optimizer_ns": 1e3 * optimizer}],
        "operations": [{"ready_ns": 1e3 * ready, "size_bytes": size} for ready, size in messages],
        "transfers": [{"size_bytes": size, "time_ns": 1e3 * t, "software_ns": 1e3 * software, "operations": sizes.count(size)}
                      for size, t in (transfers or {}).items()],
        "samples_per_s": 10.0, "ranks": ranks}


def module(name):
    return importlib.import_module("reproduction.training." + name)


class Parts(unittest.TestCase):
    def step(self, *arguments, **more):
        return module("steps").Step(document(*arguments, **more))

    def test_transfers_are_sequential_and_wait_for_their_gradients(self):
        step = self.step([(6, 100), (2, 300), (8, 100)])
        self.assertEqual(step.with_transfers(lambda size: size / 100), 10)   # 2 to 5, 6 to 7, 8 to 9; optimizer
        self.assertEqual(step.with_transfers(lambda size: size / 50), 13)    # 2 to 8, 8 to 10, 10 to 12
        self.assertEqual(step.with_transfers(lambda size: 0), 9)             # compute and optimizer

    def test_communication_includes_every_operation_and_its_software(self):
        step = self.step([(6, 100), (2, 300), (8, 100)], transfers={100: 1, 300: 2}, software=0.5)
        self.assertEqual(step.communication(), 2 * 1.5 + 2.5)
        self.assertEqual(step.transfers, {100: 1.5, 300: 2.5})

    def klenk(self):
        klenk = module("claims_klenk")
        messages = [(4, 100), (8, 200)]
        transfers = {("ring", "one_shot"): self.step([(8, 300)], transfers={300: 6}, software=2),
                     ("ring", "layer_wise"): self.step(messages, transfers={100: 2, 200: 4}, software=2),
                     ("push", "one_shot"): self.step([(8, 300)], transfers={300: 3}),
                     ("push", "layer_wise"): self.step(messages, transfers={100: 1, 200: 2})}
        ready = {(ratio, tokens): self.step(messages) for ratio in klenk.PRESETS for tokens in klenk.TOKENS}
        images = {(a, mode): self.step(messages, time=8 + t) for a, mode, t in (("ring", "one_shot", 4), ("ring", "layer_wise", 2),
                                                                             ("push", "one_shot", 1), ("push", "layer_wise", 3))}
        return klenk.Klenk(transfers, ready, images, {1: self.step([(8, 600)])})

    def test_ring_and_push_are_composed_for_any_batch(self):
        klenk = self.klenk()
        self.assertEqual(klenk.step("ring", "1:1", 640, False), 8 + 8 + 1)
        self.assertEqual(klenk.step("ring", "1:1", 640, True), 8 + 6 + 1)  # the first is hidden
        self.assertEqual(klenk.step("push", "1:1", 640, True), 8 + 2 + 1)
        self.assertEqual(klenk.step("ring", "1:1", 640, False, slower=10), 8 + 62 + 1)  # the time of software does not change
        self.assertEqual(klenk.step("ring", "1:1", 640, False, software=False), 8 + 6 + 1)
        self.assertAlmostEqual(klenk.speed_up("1:1", 640), 15 / 11)
        self.assertAlmostEqual(klenk.share("4:1", 640), 8 / 17)
        self.assertEqual(klenk.first_overlap("1:1"), 640)

    def test_other_networks_of_klenk_are_composed(self):
        klenk = self.klenk()
        self.assertAlmostEqual(klenk.image_speed_up(), 10 / 9)  # the better of both
        share, gain = klenk.bert(1)  # twice the bytes of Transformer: 2 x 8, and 2 x 3
        self.assertAlmostEqual(share, 16 / 25)
        self.assertAlmostEqual(gain, 25 / 15)

    def test_an_all_reduce_of_all_gradients_excludes_its_launch(self):
        ring, push = module("claims_klenk").all_reduce(self.klenk())
        self.assertIn("0.006 ms", ring.measured)
        self.assertIn("0.003 ms", push.measured)

    def test_megatron_saves_the_time_that_push_saves_of_its_share(self):
        claim = module("claims_klenk").megatron(self.klenk())
        self.assertEqual(claim.measured, f"{30 * (1 - 3 / 8):.1f} %")

    def test_printed_ratios_scale_the_ring(self):
        multitree = module("claims_multitree")
        steps = {("net", "one_shot", name): self.step([(8, 100)], optimizer=0, time=8 + t, transfers={100: t})
                 for name, t in (("ring", 23), ("2d", 12), ("multitree", 7), ("messages", 6))}
        networks = multitree.Networks(steps, ["net"])
        self.assertAlmostEqual(networks.share("net"), 23 / 31)
        self.assertAlmostEqual(networks.gain("net", "one_shot", "2d"), 100 * (20 / 15 - 1))
        self.assertAlmostEqual(networks.printed("net", "one_shot", "ring"), 100 * (31 / 18 - 1))
        trees, messages = multitree.averages(networks)
        self.assertEqual((trees.measured, trees.verdict), ("3.29 and 1.71", "not reproduced"))  # 23/7 and 12/7
        self.assertEqual((messages.measured, messages.verdict), ("3.83 and 2.00", "not reproduced"))
        self.assertAlmostEqual(networks.printed("net", "one_shot", "2d"), 100 * (23.6 / 18 - 1))

    def networks(self, ring):
        """ResNet50 and NCF, steps of these us by RING, of 10 and 11 by MultiTree and 2D-RING; half of RING's step is the message."""
        multitree = module("claims_multitree")
        steps = {(net, mode, name): self.step([(0, 100)], optimizer=0, time=time, transfers={100: time / 2})
                 for net in ("resnet50", "ncf") for mode in ("one_shot", "layer_wise")
                 for name, time in (("ring", ring), ("2d", 11), ("multitree", 10), ("messages", 10))}
        return multitree.Networks(steps, ["resnet50", "ncf"])

    def test_gains_that_are_too_small_are_not_reproduced_either(self):
        multitree = module("claims_multitree")
        for ring, convolutional, layers in ((13.4, "reproduced", "not reproduced"), (10, "not reproduced", "not reproduced"), (11, "not reproduced", "reproduced"),
                                            (14.6, "not reproduced", "not reproduced")):
            [first, second] = multitree.gains(self.networks(ring))
            self.assertEqual((first.verdict, second.verdict), (convolutional, "not reproduced"), ring)
            [most, *_] = multitree.layer_wise(self.networks(ring))
            self.assertEqual(most.verdict, layers, ring)

    def test_the_shares_of_the_paper_are_judged_apart_from_arithmetic(self):
        [*own, ends] = module("claims_multitree").shares(self.networks(10))
        self.assertEqual([c.verdict for c in own], ["inconsistent", "inconsistent"])  # 0.5 is neither 0.43 nor 0.80
        self.assertEqual((ends.verdict, ends.measured), ("not reproduced", "50.0 % of ncf, 50.0 % of resnet50"))

    def test_the_geometric_mean_is_that_of_the_remaining_time(self):
        self.assertAlmostEqual(module("claims_blink").geometric([0.5, 0.0, 0.75]), 1 - (0.5 * 0.25) ** (1 / 3))

    def test_the_full_form_of_blink_contains_a_set_of_each_class(self):
        wanted = {}
        steps = unittest.mock.Mock()
        steps.all.side_effect = lambda all: wanted.update(all) or all
        module("claims_blink").measure(steps, "full")
        self.assertEqual(len(wanted), 4 * 46 * 2 + 4 * 2)  # and two servers


class Runs(unittest.TestCase):
    def test_a_run_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            simulator = importlib.import_module("reproduction.tools").Simulator(TRIBUTARY, pathlib.Path(folder), 2)
            steps = module("steps").Steps(simulator)
            wanted = {"alexnet": ("rack:2", "netreduce", "netreduce-testbed2", "alexnet", "--grouping", "one_shot")}
            step = steps.all(wanted)["alexnet"]
            self.assertAlmostEqual(step.compute, 13550)
            self.assertAlmostEqual(step.time, step.compute + step.communication(), places=3)
            self.assertEqual(step.messages(), [(step.compute, 4 * 61100840)])
            self.assertAlmostEqual(step.with_transfers(step.transfers.__getitem__), step.time, places=3)
            self.assertGreater(steps.cpu_seconds(), 0)
            with unittest.mock.patch("reproduction.training.steps.run", side_effect=AssertionError("runs again")):
                self.assertEqual(steps.all(wanted)["alexnet"].time, step.time)


run_tests()
