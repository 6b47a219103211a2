"""Runs the real executable on MSCCL files: tributary verify, schedule --msccl, run --algorithm msccl:FILE.

usage: test_msccl.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import json
import tempfile
from pathlib import Path

from executable import SOURCE, run_tests, tributary
from refusals import Refusals

RING = SOURCE / "testbench/workload/data/msccl/ring4.xml"


def step(number, kind, source, source_offset, to, offset, count):
    return (f'<step s="{number}" type="{kind}" srcbuf="{source}" srcoff="{source_offset}" dstbuf="{to}" dstoff="{offset}" '
            f'cnt="{count}" depid="-1" deps="-1" hasdep="0"/>\n')


def in_pieces(collective, ranks, pieces):
    """Every rank sends directly to every other one; each part consists of `pieces` chunks, which a step moves together."""
    whole = ranks * pieces
    own = whole if collective == "alltoall" else pieces
    text = (f'<algo name="straight" proto="LL" nchannels="1" nchunksperloop="{whole}" ngpus="{ranks}" coll="{collective}" '
            'inplace="0" outofplace="1" minBytes="0" maxBytes="0">\n')
    for g in range(ranks):
        def source(peer):
            return peer * pieces if collective == "alltoall" else 0

        text += f'<gpu id="{g}" i_chunks="{own}" o_chunks="{whole}" s_chunks="0">\n<tb id="0" send="-1" recv="-1" chan="0">\n'
        text += step(0, "cpy", "i", source(g), "o", g * pieces, pieces) + "</tb>\n"
        for number, peer in enumerate((p for p in range(ranks) if p != g), 1):
            text += (f'<tb id="{number}" send="{peer}" recv="{peer}" chan="0">\n' +
                     step(0, "s", "i", source(peer), "o", g * pieces, pieces) +
                     step(1, "r", "o", peer * pieces, "o", peer * pieces, pieces) + "</tb>\n")
        text += "</gpu>\n"
    return text + "</algo>\n"


class MscclFiles(Refusals):
    def run_json(self, *arguments):
        done = tributary("run", *arguments, "--json", "-", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["results"][0]

    def test_files_are_verified(self):
        done = tributary("verify", str(RING))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("proved", done.stdout)
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "x.xml"
            text = RING.read_text(encoding="utf-8")
            file.write_text(text.replace('type="rrcs"', 'type="rcs"', 1), encoding="utf-8")
            done = tributary("verify", str(file))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, r"verdict +not proved\noutput chunk \d of gpu \d ends with")
            file.write_text(text.replace('chan="0"', 'chan="0" colour="red"'), encoding="utf-8")
            done = tributary("verify", str(file))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 4))
            self.refused(["verify", str(file), "--strict"], f"{file}:3:", "colour")
            file.write_text(text.replace('cnt="1"', 'cnt="1" a="1"'), encoding="utf-8")
            self.assertIn("18 more warnings", tributary("verify", str(file)).stderr)

    def test_runs_give_right_data(self):
        for platform, ranks in (("dgx2", ["--gpus", "4"]), ("dgx2", ["--ranks", "15,3,0,8"]), ("torus:2x2", []), ("mesh:4x4", []),
                                ("rack:6", []), ("dgx1v", []), ("dgx1p", ["--ranks", "1,4,5,6"])):
            with self.subTest(platform=platform, ranks=ranks):
                row = self.run_json("--platform", platform, "--algorithm", f"msccl:{RING}", *ranks, "--size", "40kB")
                self.assertEqual(row["wrong"], 0)
                self.assertEqual(row["status"], "done")

    def test_written_schedules_run_like_the_built_in_ones(self):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "x.xml"
            for collective, algorithm in (("allreduce", "multitree"), ("allgather", "ring"), ("reduce_scatter", "multitree"),
                                          ("alltoall", "multitree")):
                with self.subTest(collective=collective):
                    done = tributary("schedule", "--topology", "torus:2x2", "--collective", collective, "--algorithm", algorithm,
                                     "--msccl", str(file))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for size in ("12B", "1000B", "100kB"):  # for all sizes of parts
                        for platform in ("torus:2x2", "dgx2", "dgx1v"):
                            row = self.run_json("--platform", platform, "--algorithm", f"msccl:{file}", "--size", size)
                            self.assertEqual((row["status"], row["wrong"]), ("done", 0))

    def test_trees_of_servers_can_be_written_as_files(self):
        """The number of chunks of a tree follows its weight; a file runs on a machine with as many GPUs and gives right data."""
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "x.xml"
            # DGX-1V: its broadcast has six trees of one link each; a tree has seven edges. With switches there is a
            # tree for each root.
            for topology, collective, ranks, chunks, messages in (("dgx1v", "broadcast", 8, 6, 42), ("dgx1v", "reduce", 8, 6, 42),
                                                                  ("dgx2", "allreduce", 16, 16, 480), ("dgx2", "broadcast", 16, 15, 225),
                                                                  ("dgx1p", "allreduce", 8, None, None)):
                with self.subTest(topology=topology, collective=collective):
                    done = tributary("schedule", "--topology", topology, "--collective", collective, "--msccl", str(file))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn('<algo name="blink"', file.read_text(encoding="utf-8"))
                    proof = tributary("verify", str(file)).stdout
                    self.assertIn("proved", proof)
                    if chunks is not None:
                        self.assertIn(f"{ranks} GPUs, {chunks} chunks", proof)
                        self.assertIn(f"{messages} of {messages} chunks", proof)
                    for platform in {"dgx2", topology}:
                        row = self.run_json("--platform", platform, "--collective", collective, "--algorithm", f"msccl:{file}", "--size", "100kB")
                        self.assertEqual((row["status"], row["wrong"]), ("done", 0))

    def test_long_messages_run_in_many_loops(self):
        """The steps of these trees impose no order between loops: the proof of one loop holds for all."""
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "x.xml"
            done = tributary("schedule", "--topology", "fat_tree_2level:16", "--collective", "reduce", "--algorithm", "double_binary_tree", "--ranks", "0-11", "--msccl", str(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            for own in (["rack:12", "--size", "160MB", "--no-data", "--set", "netreduce.host.slice=64KiB"], ["servers:2xdgx1v", "--size", "300kB", "--set", "blink.chunk=128B"]):
                row = self.run_json("--collective", "reduce", "--algorithm", f"msccl:{file}", "--platform", *own)
                self.assertEqual((row["status"], row["wrong"] or 0), ("done", 0))

    def test_parts_of_several_chunks_have_their_addresses(self):
        for collective in ("alltoall", "allgather"):
            file = self.file(f"{collective}.xml", in_pieces(collective, 4, 3))
            self.assertEqual(tributary("verify", file).returncode, 0)
            for platform, *own in (("dgx2",), ("dgx1p", "--set", "blink.chunk=1kB"), ("torus:2x2", "--set", "schedule_nic.nic.table.entries=auto")):
                for size in ("16B", "10000B", "100kB"):  # the third chunk of the last part of 10 000 B is short
                    with self.subTest(collective=collective, platform=platform, size=size):
                        row = self.run_json("--platform", platform, "--algorithm", f"msccl:{file}", "--size", size, *own)
                        self.assertEqual((row["status"], row["wrong"]), ("done", 0))

    def test_attributes_that_a_run_does_not_follow_cause_warnings(self):
        text = Path(RING).read_text(encoding="utf-8").replace('proto="Simple"', 'proto="LL"').replace('maxBytes="0"', 'maxBytes="4096"')
        algorithm = "msccl:" + self.file("window.xml", text)
        run = ["run", "--platform", "dgx2", "--no-data", "--algorithm"]
        done = tributary(*run, algorithm, "--size", "64KiB")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('window.xml: proto="LL" has no effect', done.stderr)
        self.assertIn('window.xml: 64KiB is outside minBytes="0" to maxBytes="4096"', done.stderr)
        self.refused([*run, algorithm, "--size", "64KiB", "--strict"], 'proto="LL"', "--strict")
        self.assertNotIn("outside", tributary(*run, algorithm, "--size", "4KiB").stderr)
        self.assertEqual(tributary(*run, f"msccl:{RING}", "--size", "64KiB", "--strict").returncode, 0)

    def test_bad_files_are_refused(self):
        algorithm = f"msccl:{RING}"
        self.refused(["run", "--algorithm", algorithm, "--gpus", "8", "--size", "1KiB"], "--algorithm", "for 4 ranks, 8 take part")
        self.refused(["run", "--algorithm", algorithm, "--collective", "broadcast", "--size", "1KiB"], "--collective", "allreduce")
        self.refused(["run", "--algorithm", "msccl:/nowhere", "--size", "1KiB"], "--algorithm", "/nowhere", "cannot be read")
        self.refused(["run", "--algorithm", algorithm, "--platform", "mesh:1x2", "--size", "1KiB"], "--algorithm", "mesh:1x2 has 2")
        self.refused(["run", "--algorithm", algorithm, "--platform", "tofino:4", "--size", "1KiB"], "--algorithm", "do not execute schedules of files", "legal")
        self.refused(["run", "--algorithm", algorithm, "--platform", "dgx1v", "--size", "16GiB", "--no-data"], "cut 16GiB into 17184 (legal: at most 10000")
        many = ('<algo name="many" nchannels="1" nchunksperloop="10001" ngpus="2" proto="Simple" coll="broadcast" inplace="1" outofplace="0" minBytes="0" maxBytes="0">\n'
                + "".join(f'<gpu id="{g}" i_chunks="10001" o_chunks="10001" s_chunks="0"><tb id="0" send="{1 if g == 0 else -1}" recv="{0 if g else -1}" chan="0">\n'
                          + "".join(step(number, "r" if g else "s", "o", number, "o", number, 1) for number in range(10001)) + "</tb></gpu>\n" for g in (0, 1)) + "</algo>")
        self.refused(["run", "--algorithm", "msccl:" + self.file("many.xml", many), "--platform", "dgx1v", "--size", "16KiB", "--no-data"], "the file has 10001 chunks (legal: at most 10000)")
        # Trees with the weights of the linear program.
        self.refused(["schedule", "--topology", "dgx1v", "--treegen", "steps=any", "--msccl", "-"], "--msccl", "chunks (legal: at most 256")
        self.refused(["verify"], "FILE is missing")
        self.refused(["verify", "/nowhere"], "/nowhere", "cannot be read")


if __name__ == "__main__":
    run_tests()
