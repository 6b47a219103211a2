"""The bottleneck of a run (docs/bottleneck.md): set-ups with one known bottleneck by construction. The run names it; its parameter
gains much, and the parameters of the other bottlenecks gain little.

usage: test_bottlenecks.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import io
import json
import tempfile
import unittest

from executable import run_tests, tributary

# Parameters that a user would change, by family: the parameter, and the value that removes its bottleneck.
NVSWITCH = {
    "nvswitch.link.rate": "30GB/s", "nvswitch.gpu.dma.waves": "512", "nvswitch.switch.reduction_table.bytes": "256KiB",
    "nvswitch.switch.input_buffer": "64KiB", "nvswitch.switch.crossbar.speedup": "4"}
SCHEDULE_NIC = {
    "schedule_nic.link.rate": "16GB/s", "schedule_nic.router.buffer_flits": "2000", "schedule_nic.nic.reduction.units": "64",
    "schedule_nic.nic.memory.rate": "1000GB/s", "schedule_nic.nic.lockstep.kind": "off"}
NETREDUCE = {"netreduce.link.rate": "25GB/s", "netreduce.flow_control.window": "16", "netreduce.accelerator.clock": "1ns"}
TOFINO = {"tofino.link.rate": "25GB/s", "tofino.switchml.packet_time": "10ns", "tofino.switch.slots": "8192", "tofino.atp.window": "256"}
BLINK = {
    "blink.nvlink.rate": "50GB/s", "blink.kernel.rate": "2000GB/s", "blink.copy.engines": "8", "blink.pcie.rate": "32GB/s",
    "blink.pcie.socket_rate": "50GB/s"}

CLEAR = 0.9  # the named parameter reduces the time to this fraction or less
LITTLE = 0.02  # maximum gain of any other parameter


def run(arguments, sets):
    settings = [word for item in sets.items() for word in ("--set", "=".join(item))]
    done = tributary("run", *arguments.split(), *settings, "--no-data", "--quiet", "--json", "-")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["results"][0]


class Bottlenecks(unittest.TestCase):
    def named(self, bottleneck, cause, parameter):
        """The parameter is named alone, or is the first of several that are named together."""
        self.assertEqual((bottleneck["cause"], bottleneck["parameters"][:1]), (cause, [parameter]), bottleneck)
        self.assertEqual(bottleneck["claim"], "named" if len(bottleneck["parameters"]) == 1 else "together")

    def unnamed(self, arguments, base):
        """A run whose time is not explained by what was measured claims nothing."""
        bottleneck = run(arguments, base)["bottleneck"]
        self.assertEqual((bottleneck["claim"], bottleneck["parameters"]), ("unnamed", []), bottleneck)

    def check(self, cause, parameter, module, arguments, base, turned, apart=()):
        """`apart`: parameters that the model couples to the bottleneck, so that they change the time, too."""
        row = run(arguments, base)
        bottleneck = row["bottleneck"]
        self.named(bottleneck, cause, parameter)
        self.assertRegex(bottleneck["module"], module)
        self.assertTrue(0 < bottleneck["share"] <= 1)
        self.assertEqual([s["share"] for s in bottleneck["seen"]], sorted((s["share"] for s in bottleneck["seen"]), reverse=True))
        for name, value in turned.items():
            if name in apart:
                continue
            gained = 1 - run(arguments, {**base, name: value})["time_ns"] / row["time_ns"]
            if name == parameter:
                self.assertGreater(gained, 1 - CLEAR, name)
            else:
                self.assertLess(gained, LITTLE, name)

    def test_links_are_the_bottleneck_of_a_push(self):
        self.check("link", "nvswitch.link.rate", r"^gpu\d+\.port\d+>switch", "--platform dgx2 --algorithm push --size 2MiB",
                   {"nvswitch.switch.reduction_table.bytes": "64KiB"}, NVSWITCH)

    def test_links_with_tables_and_waves_that_match_them_are_named_together(self):
        """At defaults, a faster link alone makes the tables evict, and the push slower (Eq. (2))."""
        arguments = "--platform dgx2 --algorithm push --size 1MiB"
        row = run(arguments, {})
        self.assertEqual((row["bottleneck"]["claim"], row["bottleneck"]["parameters"]),
                         ("together", ["nvswitch.link.rate", "nvswitch.switch.reduction_table.bytes", "nvswitch.gpu.dma.waves"]))
        self.assertGreater(run(arguments, {"nvswitch.link.rate": "50GB/s"})["time_ns"], 1.4 * row["time_ns"])
        all_three = {"nvswitch.link.rate": "50GB/s", "nvswitch.switch.reduction_table.bytes": "512B", "nvswitch.gpu.dma.waves": "32"}
        self.assertLess(run(arguments, all_three)["time_ns"], 0.6 * row["time_ns"])

    def test_a_single_wave_is_a_bottleneck(self):
        self.check("waves", "nvswitch.gpu.dma.waves", r"^gpu\d+\.dma$", "--platform dgx2 --algorithm push --size 64KiB",
                   {"nvswitch.gpu.dma.waves": "1", "nvswitch.gpu.dma.wave_bytes": "1KiB"}, NVSWITCH)

    def test_a_queue_of_one_packet_is_a_bottleneck(self):
        name = "nvswitch.gpu.dma.tx_queue"
        self.best("window", name, "--platform dgx2 --algorithm push --size 16KiB", {name: "1"},
                  {name: "2", "nvswitch.gpu.memory.latency": "57.6ns", "nvswitch.link.rate": "50GB/s"})

    def test_waits_for_entries_of_a_pull_leave_its_links_the_bottleneck(self):
        self.best("link", "nvswitch.link.rate", "--platform dgx2 --algorithm pull --size 2MiB", {},
                  {"nvswitch.link.rate": "50GB/s", "nvswitch.switch.latency": "75ns", "nvswitch.switch.reduction_table.bytes": "8KiB"})

    def test_losses_and_the_rate_of_a_busy_link_are_named_together(self):
        bottleneck = run("--platform rack:6 --algorithm netreduce --size 4MiB", {"netreduce.link.loss_rate": "0.001"})["bottleneck"]
        self.assertEqual((bottleneck["claim"], bottleneck["parameters"]), ("together", ["netreduce.link.rate", "netreduce.link.loss_rate"]))

    def test_a_table_of_one_entry_is_a_bottleneck(self):
        self.check("table_full", "nvswitch.switch.reduction_table.bytes", r"^switch\d_\d\.port\d+\.table$",
                   "--platform dgx2 --algorithm pull --size 512KiB", {"nvswitch.switch.reduction_table.bytes": "128B"},
                   {**NVSWITCH, "nvswitch.link.rate": "26GB/s"})

    def test_buffers_of_seven_packets_are_a_bottleneck(self):
        self.check("credits", "nvswitch.switch.input_buffer", r"^switch\d_\d\.port\d+\.input$",
                   "--platform dgx2 --algorithm push --size 512KiB", {"nvswitch.switch.input_buffer": "1KiB"}, NVSWITCH)

    def test_a_crossbar_of_half_the_links_rate_is_a_bottleneck(self):  # its rate is a multiple of the links' rate
        self.check("crossbar", "nvswitch.switch.crossbar.speedup", r"^switch\d_\d\.port\d+$",
                   "--platform dgx2 --algorithm push --size 512KiB",
                   {"nvswitch.switch.crossbar.speedup": "0.5", "nvswitch.switch.reduction_table.bytes": "1MiB"}, NVSWITCH,
                   apart=("nvswitch.link.rate",))

    def test_copies_at_the_input_are_the_bottleneck_of_a_broadcast(self):  # in sequence, for each GPU of the board and the other board
        self.check("crossbar", "nvswitch.switch.crossbar.speedup", r"^switch0_\d\.port\d+$",
                   "--platform dgx2 --collective broadcast --algorithm multicast --size 1MiB", {},
                   {name: value for name, value in NVSWITCH.items() if name != "nvswitch.switch.input_buffer"}, apart=("nvswitch.link.rate",))

    def test_latency_is_the_bottleneck_of_a_small_push(self):
        self.start_up("nvswitch.switch.latency", "75ns", "--platform dgx2 --algorithm push --size 128B")

    def test_thread_blocks_links_and_hops_are_the_bottlenecks_of_sends(self):
        halved = {"nvswitch.nccl.simple.block_rate": "43GB/s", "nvswitch.link.rate": "50GB/s", "nvswitch.nccl.ll.base": "3.3us"}
        for cause, name, arguments in (("channel", "nvswitch.nccl.simple.block_rate", "--gpus 3 --collective sendrecv --size 16MiB"),
                                       ("chain", "nvswitch.nccl.ll.base", "--collective alltoall --size 4KiB")):
            self.best(cause, name, "--platform h100 --algorithm nccl " + arguments, {}, halved)
        bottleneck = run("--platform h100 --gpus 4 --collective alltoall --algorithm nccl --size 8MiB", {})["bottleneck"]  # links delay its sends
        self.assertEqual((bottleneck["claim"], sorted(bottleneck["parameters"])), ("together", ["nvswitch.link.rate", "nvswitch.nccl.simple.block_rate"]))

    def test_links_are_the_bottleneck_of_a_ring(self):
        self.check("link", "schedule_nic.link.rate", r"^nic\d+\.port\d>nic\d+\.port\d$", "--platform torus:4x4 --algorithm ring --size 256KiB",
                   {"schedule_nic.link.rate": "8GB/s"}, SCHEDULE_NIC)

    def test_routers_with_room_for_two_packets_are_a_bottleneck(self):
        self.check("credits", "schedule_nic.router.buffer_flits", r"^nic\d+\.port\d\.input$", "--platform torus:4x4 --size 256KiB",
                   {"schedule_nic.router.buffer_flits": "40"}, SCHEDULE_NIC)

    def test_a_slow_memory_is_a_bottleneck(self):
        self.check("memory", "schedule_nic.nic.memory.rate", r"nic", "--platform torus:4x4 --size 1MiB",
                   {"schedule_nic.nic.memory.rate": "16GB/s"}, SCHEDULE_NIC)

    def test_additions_that_wait_for_each_other_are_a_bottleneck(self):
        unit = "schedule_nic.nic.reduction."
        slow = {unit + "units": "1", unit + "width": "4"}
        self.best("compute", unit + "units", "--platform torus:4x4 --size 1MiB", slow,
                  {unit + "units": "2", "schedule_nic.link.rate": "32GB/s", "schedule_nic.link.latency": "75ns"})
        passes = {unit + "cycles": "20000"}  # a chunk needs one pass: more units do not help
        self.best("compute", unit + "cycles", "--platform torus:4x4 --size 1MiB", passes,
                  {unit + "cycles": "10000", unit + "units": "32", "schedule_nic.link.rate": "32GB/s"})

    def test_a_window_of_one_message_is_a_bottleneck(self):
        self.check("window", "netreduce.flow_control.window", r"^host\d+\.agent\.window$", "--platform rack:4 --size 64KiB",
                   {"netreduce.flow_control.window": "1", "netreduce.flow_control.message_packets": "1", "netreduce.nic.tx_latency": "5us"},
                   NETREDUCE)

    def test_a_slow_accelerator_is_a_bottleneck(self):
        self.check("compute", "netreduce.accelerator.clock", r"^accelerator\.combinator$", "--platform rack:4 --size 2040KiB",
                   {"netreduce.accelerator.clock": "20ns"}, NETREDUCE)

    def test_units_of_a_combinator_are_not_added_up(self):
        """Two rings have a unit each, at work for 17 cycles of the 88.48 ns of a packet; a unit for both is the bottleneck."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as scenario:
            scenario.write("platform: rack:6\nsize: 2040KiB\njobs:\n  - {ranks: 0-2}\n  - {ranks: 3-5}\n")
            scenario.flush()
            own = run(scenario.name, {})["bottleneck"]
            self.named(own, "link", "netreduce.link.rate")
            for seen in own["seen"]:
                self.assertTrue(seen["cause"] != "compute" or seen["share"] < 0.62, own)
            shared = run(scenario.name, {"netreduce.accelerator.combinators": "1"})["bottleneck"]
            self.named(shared, "compute", "netreduce.accelerator.clock")

    def test_a_run_with_a_late_rank_names_nothing(self):
        self.unnamed("--platform rack:4 --size 1MiB --skew 0us,0us,0us,350us", {})
        self.unnamed("--platform torus:4x4 --size 1MiB --skew 200us", {})

    def test_links_are_the_bottleneck_of_a_rack(self):
        self.check("link", "netreduce.link.rate", r"^host\d+\.port0>switch|^switch\.port\d+>host", "--platform rack:4 --size 2040KiB", {}, NETREDUCE)

    def test_cores_of_workers_are_a_bottleneck(self):
        self.check("software", "tofino.switchml.packet_time", r"^host\d+\.worker$", "--platform tofino:4 --size 1MiB --algorithm switchml",
                   {"tofino.switchml.packet_time": "100ns"}, TOFINO)

    def test_slots_of_a_pool_are_a_bottleneck(self):
        self.check("window", "tofino.switch.slots", r"^host\d+\.worker$", "--platform tofino:4 --size 1MiB --algorithm switchml",
                   {"tofino.switch.slots": "16", "tofino.switchml.packet_time": "1ns"}, TOFINO)

    def test_a_window_of_eight_packets_is_a_bottleneck(self):
        self.check("window", "tofino.atp.window", r"^host\d+\.worker$", "--platform tofino:4 --size 1MiB --algorithm atp",
                   {"tofino.atp.window": "8"}, TOFINO)

    def test_the_link_of_two_sockets_is_a_bottleneck(self):
        self.check("link", "blink.pcie.socket_rate", r"^socket0\.port\d>socket1", "--platform dgx1v --collective broadcast --ranks 1,4 --size 16MiB",
                   {}, BLINK)

    def test_slow_kernels_are_a_bottleneck(self):
        self.check("compute", "blink.kernel.rate", r"^gpu\d\.kernel$", "--platform dgx1v --size 16MiB", {"blink.kernel.rate": "500MB/s"}, BLINK)

    def test_copies_that_wait_for_an_engine_are_a_bottleneck(self):
        name = "blink.copy.engines"
        self.best("copy_engine", name, "--platform dgx1v --collective broadcast --size 64MiB", {name: "1"}, {name: "2", "blink.nvlink.rate": "50GB/s"})

    def best(self, cause, parameter, arguments, base, better, tie=0):
        """If parameters are improved by the same factor, the named one gains most."""
        row = run(arguments, base)
        bottleneck = row["bottleneck"]
        self.named(bottleneck, cause, parameter)
        gained = {name: 1 - run(arguments, {**base, name: value})["time_ns"] / row["time_ns"] for name, value in better.items()}
        others = {name: gain for name, gain in gained.items() if name != parameter}
        self.assertGreater(gained[parameter], 1 - CLEAR, gained)
        self.assertGreater(gained[parameter], max(others.values()) - tie, gained)
        return bottleneck

    def test_the_longest_latency_of_a_push_is_named(self):
        halved = {"nvswitch.switch.latency": "75ns", "nvswitch.gpu.memory.latency": "57600ps", "nvswitch.gpu.memory.jitter": "57600ps",
                  "nvswitch.link.latency": "10ns"}
        self.best("start_up", "nvswitch.switch.latency", "--platform dgx2 --algorithm push --size 128B", {}, halved)
        for name, long, half in (("nvswitch.gpu.memory.latency", "1us", "500ns"), ("nvswitch.link.latency", "300ns", "150ns")):
            self.best("start_up", name, "--platform dgx2 --algorithm push --size 128B", {name: long}, {**halved, name: half})

    def test_latencies_of_a_pull_a_multicast_and_an_exchange_are_named(self):
        halved = {"nvswitch.switch.latency": "75ns", "nvswitch.gpu.memory.latency": "57600ps", "nvswitch.link.latency": "10ns"}
        for cause, arguments in (("start_up", "--algorithm pull --size 1KiB"), ("start_up", "--collective allgather --algorithm multicast --size 1KiB"),
                                 ("chain", "--collective alltoall --size 1KiB")):
            self.best(cause, "nvswitch.switch.latency", "--platform dgx2 " + arguments, {}, halved)
        slow = {"nvswitch.gpu.memory.latency": "2us"}
        self.best("start_up", "nvswitch.gpu.memory.latency", "--platform dgx2 --algorithm pull --size 1KiB", slow,
                  {**halved, "nvswitch.gpu.memory.latency": "1us"})

    def test_latencies_of_the_chain_of_a_software_schedule_are_named(self):
        halved = {"nvswitch.switch.latency": "75ns", "nvswitch.gpu.memory.latency": "57600ps", "nvswitch.link.latency": "10ns"}
        for algorithm in ("ring", "halving_doubling"):
            self.best("chain", "nvswitch.gpu.memory.latency", f"--platform dgx2 --algorithm {algorithm} --size 64KiB", {}, halved)
        self.best("chain", "nvswitch.link.rate", "--platform dgx2 --algorithm star --size 1MiB", {}, {**halved, "nvswitch.link.rate": "50GB/s"})

    def test_the_chain_of_streams_is_named(self):
        halved = {"blink.copy.launch": "1250ns", "blink.kernel.launch": "2500ns", "blink.nvlink.rate": "50GB/s"}
        deep = {"blink.treegen.prefer": "fewest", "blink.stream_reuse": "true", "blink.chunk": "1MB"}  # links idle for a third of the time
        self.best("chain", "blink.nvlink.rate", "--platform dgx1v --size 64MiB", deep, halved)
        self.best("chain", "blink.streams.queues", "--platform dgx1v --size 16MiB", {**deep, "blink.streams.queues": "1"},
                  {**halved, "blink.streams.queues": "2"})

    def test_the_slowest_link_of_a_channel_is_named(self):
        self.best("link", "blink.pcie.socket_rate", "--platform dgx1v --algorithm nccl --ranks 1,4 --size 256KiB", {},
                  {"blink.pcie.socket_rate": "12GB/s", "blink.pcie.rate": "31508MB/s", "blink.nccl.link_rate": "40GB/s", "blink.nccl.step.pcie": "2850ns"})

    def test_latencies_of_chains_are_named(self):
        hosts = {"netreduce.nic.tx_latency": "800ns", "netreduce.nic.rx_latency": "650ns", "netreduce.link.rate": "200Gb/s"}
        for arguments in ("rack:4 --algorithm ring", "rack:6 --algorithm halving_doubling", "spine_leaf:3x4 --algorithm ring"):
            self.best("chain", "netreduce.nic.tx_latency", f"--platform {arguments} --size 1KiB", {}, hosts)
        nics = {"schedule_nic.link.latency": "75ns", "schedule_nic.router.latency": "1500ps", "schedule_nic.link.rate": "32GB/s"}
        for arguments in ("torus:4x4", "torus:4x4 --algorithm ring", "torus:4x4 --algorithm double_binary_tree", "mesh:4x4", "fat_tree_2level:16"):
            self.best("chain", "schedule_nic.link.latency", f"--platform {arguments} --size 1KiB", {}, nics)
        self.best("chain", "schedule_nic.router.latency", "--platform torus:4x4 --size 1KiB", {"schedule_nic.router.latency": "1us"},
                  {**nics, "schedule_nic.router.latency": "500ns"})

    def test_latencies_of_programmable_switches_are_named(self):
        halved = {"tofino.host.tx_latency": "800ns", "tofino.host.rx_latency": "650ns", "tofino.link.rate": "200Gb/s"}
        self.best("start_up", "tofino.host.tx_latency", "--platform tofino:4 --size 1KiB --algorithm switchml", {}, halved)
        turn = {"tofino.switchml_rdma.turnaround": "1900ns"}
        self.best("start_up", "tofino.switchml_rdma.turnaround", "--platform tofino:4 --size 1KiB --algorithm switchml_rdma", {}, {**halved, **turn})

    def test_passes_through_pipelines_are_a_bottleneck(self):
        self.best("crossbar", "tofino.link.rate", "--platform tofino:4 --size 1MiB --algorithm atp", {},
                  {"tofino.link.rate": "200Gb/s", "tofino.atp.window": "512", "tofino.host.tx_latency": "800ns"})

    def test_disturbed_runs_are_unnamed(self):
        self.unnamed("--platform dgx2 --algorithm push --size 1MiB", {"nvswitch.gpu.dma.issue_order": "shuffled:512"})
        self.unnamed("--platform dgx2 --algorithm push --size 1MiB", {"nvswitch.link.bit_error_rate": "0.00001"})
        self.unnamed("--platform dgx2 --algorithm push --size 256KiB", {"nvswitch.switch.reduction_table.timeout": "20ns"})
        self.unnamed("--platform rack:6 --algorithm netreduce --size 4MiB", {"netreduce.link.bit_error_rate": "1e-7"})
        self.unnamed("--platform spine_leaf:2x4 --algorithm parameter_server --size 256KiB", {})  # timeouts that end too early: nothing was lost

    def test_the_interval_of_issues_is_a_bottleneck(self):
        name = "schedule_nic.nic.issue_interval"
        self.best("injection", name, "--platform torus:4x4 --size 1KiB", {name: "1us"}, {name: "500ns", "schedule_nic.link.latency": "75ns"})

    def test_slow_additions_of_hosts_are_a_bottleneck(self):
        self.best("software", "netreduce.host.reduction_rate", "--platform rack:4 --algorithm ring --size 1MiB",
                  {"netreduce.host.reduction_rate": "1GB/s"},
                  {"netreduce.host.reduction_rate": "2GB/s", "netreduce.link.rate": "200Gb/s", "netreduce.nic.tx_latency": "800ns"})

    def test_little_padding_leaves_the_links_the_bottleneck(self):  # 13.9 % of the bytes; 171 packets need no padding
        self.best("link", "netreduce.link.rate", "--platform rack:6 --algorithm netreduce --size 1MiB", {},
                  {"netreduce.link.rate": "200Gb/s", "netreduce.accelerator.clock": "1ns", "netreduce.flow_control.message_packets": "171"})

    def test_padding_of_messages_is_a_bottleneck(self):
        self.best("padding", "netreduce.flow_control.message_packets", "--platform rack:4 --size 1KiB", {},
                  {"netreduce.flow_control.message_packets": "85", "netreduce.link.rate": "200Gb/s", "netreduce.nic.tx_latency": "800ns"})

    def test_latencies_of_a_parameter_server_are_named(self):
        halved = {"tofino.host.tx_latency": "800ns", "tofino.host.rx_latency": "650ns", "tofino.switch.latency": "150ns"}
        self.best("start_up", "tofino.host.tx_latency", "--platform tofino:4 --size 1KiB --algorithm atp", {}, halved)

    def start_up(self, parameter, value, arguments, cause="start_up"):
        row = run(arguments, {})
        self.named(row["bottleneck"], cause, parameter)
        self.assertLess(run(arguments, {parameter: value})["time_ns"], CLEAR * row["time_ns"])

    def test_steps_of_channels_are_a_bottleneck(self):
        self.start_up("blink.nccl.step.nvlink", "500ns", "--platform dgx1v --algorithm nccl --size 256KiB --set blink.nccl.low_latency.below=16KiB", "chain")
        self.start_up("blink.nccl.low_latency.step.nvlink", "100ns", "--platform dgx1v --algorithm nccl --size 2KiB", "chain")
        self.start_up("nvswitch.switch.latency", "75ns", "--platform dgx2 --algorithm nccl --size 1KiB", "chain")
        trees = "--platform h100 --gpus 4 --algorithm nccl --set nvswitch.nccl.algorithm=tree --set nvswitch.nccl.protocol=ll --size "
        self.start_up("nvswitch.nccl.tree.ll.hop", "650ns", trees + "64B", "chain")
        self.start_up("nvswitch.nccl.tree.ll.rate", "282GB/s", trees + "1MiB", "channel")

    def test_the_host_of_kernels_back_to_back_is_a_bottleneck(self):
        arguments = "--platform h100 --gpus 4 --algorithm nccl --size 2KiB --back-to-back 8"
        self.check("software", "nvswitch.host.launch_time", "^host$", arguments,
                   {"nvswitch.host.launch": "thread", "nvswitch.host.launch_time": "20us"},
                   {"nvswitch.host.launch_time": "10us", "nvswitch.link.rate": "50GB/s", "nvswitch.nccl.ll.base": "3us"})
        self.check("software", "nvswitch.host.launch_time", "^host$", arguments.replace("nccl", "nvls"),
                   {"nvswitch.host.launch": "thread", "nvswitch.host.launch_time": "40us"},
                   {"nvswitch.host.launch_time": "20us", "nvswitch.nvls.base": "20us"})
        self.start_up("nvswitch.nccl.ll.hop", "650ns", arguments, "chain")


class Training(unittest.TestCase):
    def bottleneck(self, *options):
        done = tributary("train", "--model", "scalesim-alphagozero", "--gpus", "4", "--platform", "dgx2", *options, "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        iteration = json.loads(done.stdout)["iterations"][-1]
        return iteration["bottleneck"], iteration

    def test_computation_or_communication_is_named(self):
        bottleneck, iteration = self.bottleneck()
        self.assertEqual((bottleneck["cause"], bottleneck["parameters"]), ("compute", ["compute.clock"]))
        self.assertAlmostEqual(bottleneck["share"], iteration["compute_ns"] / iteration["time_ns"], 6)
        faster = self.bottleneck("--set", "compute.clock=500ps")[1]
        self.assertLess(faster["time_ns"], CLEAR * iteration["time_ns"])
        bottleneck, iteration = self.bottleneck("--set", "compute.clock=1ps")
        self.assertIn("nvswitch.link.rate", bottleneck["parameters"])
        self.assertRegex(bottleneck["module"], ">")
        self.assertAlmostEqual(bottleneck["share"], iteration["exposed_ns"] / iteration["time_ns"], 6)
        faster = self.bottleneck("--set", "compute.clock=1ps", "--set", "nvswitch.link.rate=26GB/s")[1]
        self.assertLess(faster["time_ns"], iteration["time_ns"])

    def test_software_slower_than_its_packets_is_a_bottleneck(self):
        bottleneck = self.bottleneck("--algorithm", "ring", "--set", "compute.clock=1ps", "--set", "ring.step=1ms")[0]
        self.assertEqual((bottleneck["cause"], bottleneck["parameters"]), ("software", ["ring.step"]))

    def test_the_screen_names_the_bottleneck(self):
        done = tributary("train", "--model", "scalesim-alphagozero", "--gpus", "4", "--platform", "dgx2", "--quiet")
        self.assertRegex(done.stdout, r"(?m)^# bottleneck: compute, [\d.]+% \(compute\.clock\)$")


class Outputs(unittest.TestCase):
    ARGUMENTS = ("run", "--platform", "torus:4x4", "--no-data", "--size", "1MiB")

    def test_the_screen_ends_with_a_line_for_each_range_of_sizes(self):
        done = tributary("run", "--platform", "torus:4x4", "--no-data", "--sizes", "1KiB:1MiB:x32")
        lines = [line for line in done.stdout.splitlines() if line.startswith("# bottleneck: ")]
        self.assertEqual(len(lines), 3, done.stdout)
        self.assertRegex(lines[0], r"^# bottleneck: 1KiB: chain, 99\.9% \(schedule_nic\.link\.latency\)$")
        self.assertRegex(lines[1], r"^# bottleneck: 32KiB: link nic\d+\.port\d>nic\d+\.port\d, [\d.]+%, with chain and credits: ")
        self.assertRegex(lines[2], r"^# bottleneck: 1MiB: link nic\d+\.port\d>nic\d+\.port\d, [\d.]+%, with credits: improve schedule_nic\.link\.rate and ")

    def test_csv_and_json_have_the_same_bottlenecks(self):
        bottleneck = json.loads(tributary(*self.ARGUMENTS, "--quiet", "--json", "-").stdout)["results"][0]["bottleneck"]
        row = next(csv.DictReader(io.StringIO(tributary(*self.ARGUMENTS, "--quiet", "--csv", "-").stdout)))
        self.assertEqual([row["bottleneck"], row["bottleneck_module"], row["bottleneck_claim"]], [bottleneck[k] for k in ("cause", "module", "claim")])
        self.assertEqual(row["bottleneck_parameters"], "+".join(bottleneck["parameters"]))
        self.assertAlmostEqual(float(row["bottleneck_share"]), bottleneck["share"], 6)

    def test_both_modes_agree(self):
        bottlenecks = [json.loads(tributary(*self.ARGUMENTS, "--mode", engine, "--quiet", "--json", "-").stdout)["results"][0]["bottleneck"]
                  for engine in ("windowed", "event")]
        self.assertEqual(*bottlenecks)

    def test_bottlenecks_of_fluid_runs_are_links(self):
        row = json.loads(tributary(*self.ARGUMENTS, "--mode", "fluid", "--quiet", "--json", "-").stdout)["results"][0]
        self.assertEqual(row["bottleneck"]["cause"], "link")
        self.assertEqual(row["bottleneck"]["module"], row["peak_link"]["name"])
        self.assertLessEqual({s["cause"] for s in row["bottleneck"]["seen"]}, {"link", "chain"})


if __name__ == "__main__":
    run_tests()
