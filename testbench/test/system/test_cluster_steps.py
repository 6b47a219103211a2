"""Published steps of large Transformers on clusters by flows (docs/results/cluster_steps.md).

usage: test_cluster_steps.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import statistics
import unittest

from executable import run_tests, tributary

OVERLAPPED = ["--set", "training.sequence_parallel=true", "--set", "comm.tensor_overlap=gemm", "--sharding", "optimizer"]
REPEATED = ["--set", "training.recompute=full"]
H100_70B = ("h100", "llama3-70b", "tensor=4,context=2,pipeline=4", 5)
A100_530B = ("a100", "mt-nlg-530b", "tensor=8,pipeline=35", 1)
# Servers, preset, model, degrees, stages of a rank, sequences, measured seconds, further options.
FITTED = [
    (8, *H100_70B, 128, 14.72, OVERLAPPED),
    (280, *A100_530B, 1920, 60.1, REPEATED),
    (16, "b200", "llama3-405b", "tensor=4,context=2,pipeline=8", 8, 64, 64 * 8192 / (661 * 128), [*OVERLAPPED, "--dtype", "fp8"]),
    (8, "h100", "llama3-70b", "tensor=4,pipeline=8", 5, 128, 128 * 8192 / (1602 * 64), [*OVERLAPPED, "--dtype", "fp8"])]
PREDICTED = [
    (128, *H100_70B, 2048, 14.92, OVERLAPPED),
    (72, "h100", "llama3-405b", "tensor=8,context=2,pipeline=9", 7, 252, 17.20, OVERLAPPED),
    (16, "h100", "gpt3-175b", "tensor=4,pipeline=8", 12, 256, 8.309, OVERLAPPED),
    # Gradients in f32 would not fit.
    (16, "h100", "nemotron4-340b", "tensor=8,pipeline=8", 12, 32, 4.61, [*OVERLAPPED, "--set", "training.gradient_dtype=bf16"]),
    (350, *A100_530B, 1920, 50.2, REPEATED)]


def seconds(servers, preset, model, degrees, stages, sequences, _, more):
    done = tributary("train", "--platform", f"cluster:{servers}x{preset}", "--mode", "fluid", "--fidelity", "isolated", "--preset", preset, "--model", model,
                     "--parallel", degrees, "--sequences", str(sequences), "--set", f"training.virtual_stages={stages}", "--set", "training.stages=blocks",
                     "--set", "optimizer.kind=adam", "--algorithm", "ring_ring", "--quiet", *more, "--json", "-")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["iterations"][-1]["time_ns"] * 1e-9


class Steps(unittest.TestCase):
    def test_fitted_steps_have_their_times(self):
        for row in FITTED:
            self.assertAlmostEqual(seconds(*row) / row[6], 1, delta=0.005, msg=str(row))

    def test_other_steps_are_predicted(self):
        errors = [abs(seconds(*row) / row[6] - 1) for row in PREDICTED]
        self.assertLess(max(errors), 0.08, errors)
        self.assertLess(statistics.median(errors), 0.04, errors)

    def test_weak_scaling_costs_little(self):
        growth = seconds(*PREDICTED[0]) / seconds(*FITTED[0]) - 1  # measured: 1.4 %
        self.assertGreaterEqual(growth, 0)
        self.assertLessEqual(growth, 0.03)


if __name__ == "__main__":
    run_tests()
