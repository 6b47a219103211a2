"""Runs the scripts of docs/clusters.md under a real Slurm of one node, which the test sets up in a folder of its own.

usage: test_sweep_slurm.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from executable import SOURCE, TRIBUTARY, run_tests

DAEMONS = ("munged", "slurmctld", "slurmd")
QUICK = "algorithm: [push, pull, ring]\ngpus: [2, 4, 16]\nsizes: 1KiB:4KiB:x4\n"
SLOW = "algorithm: push\nsize: 8MiB\nno-data: true\nseed: [1, 2, 3, 4, 5, 6, 7, 8]\n"  # about half a second for each point
EXPLORATION = """explore: 1
platform: torus:2x2
algorithm: multitree
workloads: {large: {size: 64KiB}}
variables:
  rate: {parameter: schedule_nic.link.rate, from: 2GB/s, to: 16GB/s, step: x2}
  latency: {parameter: schedule_nic.link.latency, values: [50ns, 150ns, 450ns]}
objectives:
  - {minimize: large.time, name: time}
  - {minimize: rate / latency, name: effort}
method: {kind: evolution, population: 6, generations: 2}
"""
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def scripts_of_page():
    """The scripts of the page: a job array, and one job of many tasks."""
    page = (SOURCE / "docs/clusters.md").read_text(encoding="utf-8")
    return re.findall(r"^```bash\n(#!.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


class OneNode:
    """Munge and Slurm on this machine, with separate ports, key, state and logs."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.host = socket.gethostname().split(".")[0]
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_"))}
        self.environment["SLURM_CONF"] = str(folder / "slurm.conf")
        self.environment["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}:/usr/sbin"

    def start(self):
        """Starts the daemons. Returns None, or the reason why they do not run."""
        for name in ("state", "spool", "bin"):
            (self.folder / name).mkdir()
        (self.folder / "bin/tributary").symlink_to(TRIBUTARY)
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        controller_port, node_port = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=self.host, folder=self.folder, controller_port=controller_port, node_port=node_port), encoding="utf-8")
        self.daemon("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket", f"--key-file={key}",
                    f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.own.log")
        self.wait(lambda: (self.folder / "munge.socket").exists())
        self.daemon("slurmctld", "-D", "-c")
        self.daemon("slurmd", "-D", "-N", self.host)
        if self.wait(lambda: self.run("sinfo", "-h", "-o", "%T").stdout.strip() == "idle"):
            return None
        ended = [line for name in DAEMONS for line in self.log(name).splitlines() if "fatal" in line or "Error:" in line]
        return ended[-1] if ended else "the node does not become idle"

    def daemon(self, name, *options):
        with open(self.folder / f"{name}.log", "wb") as log:
            self.daemons.append(subprocess.Popen([name, *options], env=self.environment, stdout=log, stderr=subprocess.STDOUT))

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                return False
            time.sleep(0.1)
        return True

    def run(self, *command, cwd=None):
        return subprocess.run(command, cwd=cwd, env=self.environment, capture_output=True, text=True, timeout=120, check=False)

    def stop(self):
        if len(self.daemons) == len(DAEMONS):
            self.run("scancel", "--user=root")
        for daemon in reversed(self.daemons):  # only these daemons, by their own ids
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("a Slurm of one node needs root here")
        path = os.environ["PATH"] + ":/usr/sbin"
        for tool in (*DAEMONS, "sbatch", "srun"):
            if shutil.which(tool, path=path) is None:
                raise unittest.SkipTest(f"there is no {tool} (Debian packages slurm-wlm and munge)")
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.slurm = OneNode(pathlib.Path(folder.name))
        cls.addClassCleanup(cls.slurm.stop)
        reason = cls.slurm.start()
        if reason is not None:
            raise unittest.SkipTest("Slurm does not run here: " + reason)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in zip(("array.sh", "tasks.sh"), scripts_of_page()):
            (self.folder / name).write_text(text, encoding="utf-8")

    def local(self, scenario):
        (self.folder / "sweep.yaml").write_text(scenario, encoding="utf-8")
        done = self.slurm.run("tributary", "sweep", "sweep.yaml", "--out", "local", "--quiet", "--jobs", "2", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def submit(self, *options):
        done = self.slurm.run("sbatch", "--parsable", *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def wait(self, job):
        """Waits for a job; returns the exit codes of its tasks. sbatch --wait does the same, but polls only every few seconds."""
        self.assertTrue(self.slurm.wait(lambda: self.slurm.run("squeue", "-h", "-j", job).stdout == "", 120))
        return re.findall(r"ExitCode=(\d+:\d+)", self.slurm.run("scontrol", "show", "job", job).stdout)

    def submit_and_wait(self, *options, code=0, tasks=1):
        codes = self.wait(self.submit(*options))
        self.assertEqual(codes, [f"{code}:0"] * tasks, "".join(log.read_text(encoding="utf-8") for log in self.folder.glob("*.log")))

    def finished(self):
        return {path.name: path.stat().st_mtime_ns for path in (self.folder / "results/points").glob("*.json")}

    def check_joined(self):
        join = self.slurm.run("tributary", "sweep", "sweep.yaml", "--out", "results", "--join", cwd=self.folder)
        self.assertEqual((join.returncode, join.stderr), (0, ""), join.stdout)
        self.check_table()

    def check_table(self):
        table, local = ((self.folder / name / "results.csv").read_bytes() for name in ("results", "local"))
        self.assertEqual(table, local)

    def test_a_job_array_joins_to_the_bytes_of_the_local_sweep(self):
        self.local(QUICK)
        self.submit_and_wait("array.sh", tasks=4)
        self.assertEqual(len(list(self.folder.glob("array.sh-*_*.log"))), 4)
        self.assertFalse((self.folder / "results/results.csv").exists())
        self.check_joined()

    def test_srun_of_four_tasks_joins_to_the_bytes_of_the_local_sweep(self):
        self.local(QUICK)
        self.submit_and_wait("tasks.sh")
        (log,) = self.folder.glob("tasks.sh-*.log")
        self.assertEqual(len(re.findall(r"^[23] points: [23] run; results in results/points$", log.read_text(), re.MULTILINE)), 4)
        self.check_table()

    def test_four_tasks_of_an_exploration_give_the_bytes_of_one_process(self):
        (self.folder / "e.yaml").write_text(EXPLORATION, encoding="utf-8")
        local = self.slurm.run("tributary", "explore", "e.yaml", "--out", "local", "--quiet", cwd=self.folder)
        self.assertEqual((local.returncode, local.stderr), (0, ""))
        emitted = self.slurm.run("tributary", "explore", "e.yaml", "--out", "results", "--emit", "slurm", "--tasks", "4", cwd=self.folder)
        (self.folder / "submit.sh").write_text(emitted.stdout, encoding="utf-8")
        done = self.slurm.run("bash", "submit.sh", "--time=10", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.wait(done.stdout.split()[-1]), ["0:0"])
        self.assertEqual(len(list((self.folder / "results").glob("task_*.log"))), 4)
        for name in ("points.csv", "front.csv", "explore.json"):
            self.assertEqual(*((self.folder / folder / name).read_bytes() for folder in ("results", "local")), name)

    def test_an_emitted_script_submits_an_array_and_its_join(self):
        self.local(QUICK)
        emitted = self.slurm.run("tributary", "sweep", "sweep.yaml", "--out", "results", "--emit", "slurm", cwd=self.folder)
        (self.folder / "submit.sh").write_text(emitted.stdout, encoding="utf-8")
        done = self.slurm.run("bash", "submit.sh", "--time=10", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.wait(done.stdout.split()[-1]), ["0:0"])
        self.check_table()

    def test_srun_runs_a_task_without_a_batch_script(self):
        self.local(QUICK)
        done = self.slurm.run("srun", "-n", "4", "tributary", "sweep", "sweep.yaml", "--out", "results", "--shard", "auto", "--quiet", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_joined()

    def test_a_script_without_srun_is_not_a_task(self):
        self.local("size: 1KiB\n")
        self.submit_and_wait("--output=own.log", "--ntasks=4", "--wrap", "tributary sweep sweep.yaml --out results --shard auto", code=2)
        self.assertFalse((self.folder / "results").exists())
        self.submit_and_wait("--output=own.log", "--ntasks=4", "--wrap", "tributary sweep sweep.yaml --out results")  # a plain sweep has all points
        self.check_table()

    def kill(self, job):
        """Sends SIGKILL to the processes of a job. (scancel begins with SIGTERM even for --signal=KILL.)"""
        own = self.slurm.run("squeue", "-h", "-j", job, "-o", "%A").stdout.strip()
        for line in self.slurm.run("scontrol", "listpids", own).stdout.splitlines()[1:]:
            if line.split()[1] == own:
                os.kill(int(line.split()[0]), signal.SIGKILL)

    def test_killed_tasks_are_run_again_by_the_next_submission(self):
        self.local(SLOW)
        points = self.folder / "results/points"
        listed = self.slurm.run("tributary", "sweep", "sweep.yaml", "--list", cwd=self.folder).stdout
        ids = [line.split()[1] for line in listed.splitlines()]
        number = self.submit("array.sh")
        for task in (1, 2):
            self.assertTrue(self.slurm.wait((points / f"{ids[task]}.log").exists))
        self.kill(number + "_1")
        self.slurm.run("scancel", number + "_2")
        self.assertEqual(sorted(self.wait(number)), ["0:0", "0:0", "0:9", "3:0"])
        kept = self.finished()
        last = [f"{ids[task + 4]}.json" in kept for task in range(4)]  # the second point of each task
        self.assertEqual(last, [True, False, False, True])
        self.submit_and_wait("array.sh", tasks=4)
        self.assertEqual({name: time for name, time in self.finished().items() if name in kept}, kept)
        self.check_joined()


if __name__ == "__main__":
    run_tests()
