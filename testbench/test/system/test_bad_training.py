"""What `tributary train` refuses.

usage: test_bad_training.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
from executable import run_tests
from refusals import Refusals


class Training(Refusals):
    def train_refused(self, arguments, *words):
        self.refused(["train", *arguments], *words)

    def test_names(self):
        self.train_refused(["--model", "resnet51"], "--model", "unknown model 'resnet51'", "did you mean resnet50")
        self.train_refused(["--mode", "buckets"], "--mode", "comm.mode", "one_shot", "layer_wise")
        self.train_refused(["--order", "first"], "--order", "comm.order", "fifo", "priority")
        self.train_refused(["--compute", "rofline"], "--compute", "compute.model", "roofline")
        self.train_refused(["--preset", "klenk"], "--preset", "unknown preset 'klenk'", "klenk-volta")
        self.train_refused(["--platform", "dgx3"], "did you mean dgx2")
        self.train_refused(["--algorithm", "psuh"], "did you mean push")
        self.train_refused(["--set", "comm.streems=2"], "comm.streems", "did you mean comm.streams?")
        self.train_refused(["--modle", "alexnet"], "--modle", "did you mean --model")
        self.train_refused(["--size", "4KiB"], "--size")

    def test_numbers(self):
        self.train_refused(["--batch", "0"], "training.batch", "legal: 1 to")
        self.train_refused(["--batch", "many"], "training.batch", "many")
        self.train_refused(["--iterations", "1001"], "training.iterations", "legal: 1 to 1000")
        self.train_refused(["--streams", "9"], "comm.streams", "legal: 1 to 8")
        self.train_refused(["--set", "comm.bucket=25"], "comm.bucket", "no unit")
        self.train_refused(["--set", "ring.sms=80"], "ring.sms", "0 to 79")
        self.train_refused(["--set", "compute.jitter=-1"], "compute.jitter")
        self.train_refused(["--batch", "1", "--batch", "2"], "--batch", "twice")
        self.train_refused(["--set", "compute.factors=3"], "compute.factors", "RANK:FACTOR")
        self.train_refused(["--set", "compute.factors=16:2"], "compute.factors: there is no rank 16", "legal: 0 to 15")
        self.train_refused(["--compute", "systolic", "--batch", "1000000000", "--set", "compute.clock=1us"], "1000 s")

    def test_what_does_not_fit_together(self):
        self.train_refused(["--sharding", "all", "--mode", "bucket"], "comm.mode=layer_wise")
        self.train_refused(["--sharding", "all", "--order", "priority"], "comm.order=fifo")
        self.train_refused(["--compute", "table"], "compute.time or compute.table")
        self.train_refused(["--compute", "trace"], "compute.model=trace without a trace")
        self.train_refused(["--platform", "rack:6", "--sharding", "gradients", "--algorithm", "netreduce", "--gpus", "1"], "")

    def test_files(self):
        self.train_refused(["--model", "none.yaml"], "none.yaml")
        self.train_refused(["--model", self.file("m.yaml", "name: x\nlayers: []\n")], "m.yaml")
        self.train_refused(["--model", self.file("m.yaml", "name: x\nlayers: [{name: pool}]\n")], "m.yaml")
        self.train_refused(["--model", self.file("m.yaml", "name: x\nlayers:\n  - {name: a, matrix: [10, 0]}\n")], "m.yaml:3")
        preset = self.file("p.yaml", "name: p\nparameters:\n  comm.mode: bucket\n  comm.steams: 2\n")
        self.train_refused(["--preset", preset], "p.yaml:4", "comm.steams")
        self.train_refused(["--json", "/nowhere/r.json"], "/nowhere/r.json")


if __name__ == "__main__":
    run_tests()
