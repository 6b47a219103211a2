"""Scripts of `tributary sweep --emit`, run with substitutes for the commands of the schedulers: each task runs its points, the
join comes last, and the table equals that of the local sweep byte for byte. (test_sweep_slurm.py uses the real Slurm.)

usage: test_sweep_emit.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from executable import TRIBUTARY, run_tests, tributary

# Substitute for the submission: runs the tasks in sequence and answers as the scheduler does.
STAND_IN = """#!{python} -B
import os, re, subprocess, sys
name, arguments, script = {name!r}, sys.argv[1:], sys.stdin.read()
with open(os.environ["CALLS"], "a") as calls:
    print(name, *arguments, file=calls)
text = " ".join(arguments)
found = re.search(r"--array=(\\d+)-(\\d+)|-t (\\d+)-(\\d+)|\\[(\\d+)-(\\d+)\\]", text)
first, last = [int(n) for n in found.groups() if n is not None] if found else (0, 0)
variable = {variable!r}
for task in range(first, last + 1):
    environment = dict(os.environ, **({{variable: str(task)}} if found else {{}}))
    subprocess.run(["bash", "-c", script], env=environment, check=True, stdout=subprocess.DEVNULL)
print({answer!r})
"""
PARALLEL = """#!{python} -B
import os, subprocess, sys
command = sys.argv[sys.argv.index("run_task"):]
with open(os.environ["CALLS"], "a") as calls:
    print("parallel", *sys.argv[1:], file=calls)
for line in sys.stdin:
    subprocess.run(["bash", "-c", " ".join(command).replace("{{}}", line.strip())], check=True, stdout=subprocess.DEVNULL)
"""
COMMANDS = {"slurm": ("sbatch", "SLURM_ARRAY_TASK_ID", "17"), "sge": ("qsub", "SGE_TASK_ID", "17.1-6:1"),
            "lsf": ("bsub", "LSB_JOBINDEX", "Job <17> is submitted to default queue <normal>.")}
SWEEP = "algorithm: [push, pull, ring]\ngpus: [2, 4]\nsize: 1KiB\n"


class Emit(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "it's a folder"
        (self.folder / "bin").mkdir(parents=True)
        (self.folder / "my sweep.yaml").write_text(SWEEP)

    def script(self, scheduler, *options):
        done = tributary("sweep", "my sweep.yaml", "--out", "results", "--emit", scheduler, *options, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse((self.folder / "results").exists())
        return done.stdout

    def run_script(self, text, command, stand_in, *arguments):
        path = self.folder / "bin" / command
        path.write_text(stand_in)
        path.chmod(0o755)
        (self.folder / "submit.sh").write_text(text)
        environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", CALLS=str(self.folder / "calls"))
        done = subprocess.run(["bash", "submit.sh", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "calls").read_text().splitlines()

    def check_table(self):
        done = tributary("sweep", "my sweep.yaml", "--out", "local", "--quiet", cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.folder / "results/results.csv").read_bytes(), (self.folder / "local/results.csv").read_bytes())

    def test_arrays_run_all_points(self):
        for scheduler, (command, variable, answer) in COMMANDS.items():
            with self.subTest(scheduler):
                self.setUp()
                stand_in = STAND_IN.format(python=sys.executable, name=command, variable=variable, answer=answer)
                tasks, join = self.run_script(self.script(scheduler), command, stand_in, "--own", "argument")
                self.assertIn("--own argument", tasks)
                self.assertRegex(join, r"afterany:17\b|-hold_jid 17\b|ended\(17\)")
                self.check_table()

    def test_parallel_runs_all_points(self):
        (call,) = self.run_script(self.script("parallel"), "parallel", PARALLEL.format(python=sys.executable), "--jobs", "2")
        self.assertEqual(call, "parallel --jobs 2 run_task {}")
        self.check_table()

    def test_a_script_is_reproducible(self):
        self.assertEqual(self.script("slurm"), self.script("slurm"))
        self.assertIn(str(TRIBUTARY), self.script("slurm"))

    def test_more_points_than_tasks_are_ranges(self):
        (self.folder / "my sweep.yaml").write_text("size: 4B\nseed: [" + ", ".join(map(str, range(1, 2502))) + "]\n")
        text = self.script("slurm", "--jobs", "2")
        self.assertIn("--array=0-833 ", text)  # 2501 points, three each
        (index,) = re.findall(r"--index (\"\S.*?\") --quiet", text)
        for task, points in ((0, "0:2"), (1, "3:5"), (833, "2499:2500")):
            done = subprocess.run(["bash", "-c", f"echo {index}"], env={"SLURM_ARRAY_TASK_ID": str(task)}, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.strip(), points)
        self.assertIn("--jobs 2 --index", text)

    def test_an_index_may_name_several_points(self):
        done = tributary("sweep", "my sweep.yaml", "--out", "results", "--index", "1:3", "--quiet", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(list((self.folder / "results/points").glob("*.json"))), 3)
        self.assertFalse((self.folder / "results/results.csv").exists())
        for wrong in ("3:1", "0:6", "6", "1:", ":2", "a:b"):
            with self.subTest(wrong):
                done = tributary("sweep", "my sweep.yaml", "--out", "results", "--index", wrong, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("--index", done.stderr)

    def test_bad_options_are_refused(self):
        for options, text in ((("--emit", "slurms"), "did you mean slurm?"), (("--emit", "slurm", "--list"), "exclude each other"),
                              (("--emit", "slurm", "--index", "0"), "--index and --emit exclude each other")):
            done = tributary("sweep", "my sweep.yaml", "--out", "results", *options, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    run_tests()
