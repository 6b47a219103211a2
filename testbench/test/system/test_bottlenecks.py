"""The bottleneck of a run (docs/bottleneck.md): set-ups with one known bottleneck by construction. The run names it; its parameter
gains much, and the parameters of the other bottlenecks gain little.

usage: test_bottlenecks.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import csv
import io
import json
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
    def check(self, cause, parameter, module, arguments, base, turned, apart=()):
        """`apart`: parameters that the model couples to the bottleneck, so that they change the time, too."""
        row = run(arguments, base)
        bottleneck = row["bottleneck"]
        self.assertEqual((bottleneck["cause"], bottleneck["parameter"]), (cause, parameter))
        self.assertRegex(bottleneck["module"], module)
        self.assertTrue(0 < bottleneck["share"] <= 1)
        self.assertNotEqual((bottleneck["next"]["cause"], bottleneck["next"]["parameter"]), (cause, parameter))
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

    def test_tables_are_next_if_they_match_the_links(self):
        arguments = "--platform dgx2 --algorithm push --size 1MiB"
        bottleneck = run(arguments, {})["bottleneck"]
        self.assertEqual((bottleneck["cause"], bottleneck["next"]["cause"]), ("link", "table_full"))
        fast = run(arguments, {"nvswitch.link.rate": "50GB/s"})["time_ns"]
        both = run(arguments, {"nvswitch.link.rate": "50GB/s", bottleneck["next"]["parameter"]: "64KiB"})["time_ns"]
        self.assertLess(both, CLEAR * fast)

    def test_a_single_wave_is_a_bottleneck(self):
        self.check("waves", "nvswitch.gpu.dma.waves", r"^gpu\d+\.dma$", "--platform dgx2 --algorithm push --size 64KiB",
                   {"nvswitch.gpu.dma.waves": "1", "nvswitch.gpu.dma.wave_bytes": "1KiB"}, NVSWITCH)

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

    def test_links_are_the_bottleneck_of_a_ring(self):
        self.check("link", "schedule_nic.link.rate", r"^nic\d+\.port\d>nic\d+\.port\d$", "--platform torus:4x4 --algorithm ring --size 256KiB",
                   {"schedule_nic.link.rate": "8GB/s"}, SCHEDULE_NIC)

    def test_routers_with_room_for_two_packets_are_a_bottleneck(self):
        self.check("credits", "schedule_nic.router.buffer_flits", r"^nic\d+\.port\d\.input$", "--platform torus:4x4 --size 256KiB",
                   {"schedule_nic.router.buffer_flits": "40"}, SCHEDULE_NIC)

    def test_a_slow_memory_is_a_bottleneck(self):
        self.check("memory", "schedule_nic.nic.memory.rate", r"nic", "--platform torus:4x4 --size 1MiB",
                   {"schedule_nic.nic.memory.rate": "16GB/s"}, SCHEDULE_NIC)

    def test_a_slow_reduction_unit_is_a_bottleneck(self):
        self.check("compute", "schedule_nic.nic.reduction.units", r"^nic\d+\.nic\.reduction$", "--platform torus:4x4 --size 1MiB",
                   {"schedule_nic.nic.reduction.units": "1", "schedule_nic.nic.reduction.width": "4"}, SCHEDULE_NIC)

    def test_a_window_of_one_message_is_a_bottleneck(self):
        self.check("window", "netreduce.flow_control.window", r"^host\d+\.agent\.window$", "--platform rack:4 --size 64KiB",
                   {"netreduce.flow_control.window": "1", "netreduce.flow_control.message_packets": "1", "netreduce.nic.tx_latency": "5us"},
                   NETREDUCE)

    def test_a_slow_accelerator_is_a_bottleneck(self):
        self.check("compute", "netreduce.accelerator.clock", r"^accelerator\.combinator$", "--platform rack:4 --size 1MiB",
                   {"netreduce.accelerator.clock": "20ns"}, NETREDUCE)

    def test_links_are_the_bottleneck_of_a_rack(self):
        self.check("link", "netreduce.link.rate", r"^host\d+\.port0>switch|^switch\.port\d+>host", "--platform rack:4 --size 2MiB", {}, NETREDUCE)

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

    def test_one_copy_engine_is_a_bottleneck(self):  # copies are sequential, each as long as the transfer over its links
        self.check("copy_engine", "blink.copy.engines", r"^gpu\d\.engine0$", "--platform dgx1v --collective broadcast --size 64MiB",
                   {"blink.copy.engines": "1"}, BLINK, apart=("blink.nvlink.rate",))

    def best(self, cause, parameter, arguments, base, better, second=True, tie=0):
        """If parameters are improved by the same factor, the named one gains most, and then the one named next."""
        row = run(arguments, base)
        bottleneck = row["bottleneck"]
        self.assertEqual((bottleneck["cause"], bottleneck["parameter"]), (cause, parameter))
        gained = {name: 1 - run(arguments, {**base, name: value})["time_ns"] / row["time_ns"] for name, value in better.items()}
        others = {name: gain for name, gain in gained.items() if name != parameter}
        self.assertGreater(gained[parameter], 1 - CLEAR, gained)
        self.assertGreater(gained[parameter], max(others.values()) - tie, gained)
        following = bottleneck["next"]["parameter"]
        self.assertNotIn(following, ("", parameter))
        if second and following in others:
            self.assertGreaterEqual(others[following], max(others.values()) - 0.01, gained)
        return bottleneck

    def test_the_longest_latency_of_a_push_is_named(self):
        halved = {"nvswitch.switch.latency": "75ns", "nvswitch.gpu.memory.latency": "57600ps", "nvswitch.gpu.memory.jitter": "57600ps",
                  "nvswitch.link.latency": "10ns"}
        self.best("start_up", "nvswitch.switch.latency", "--platform dgx2 --algorithm push --size 128B", {}, halved)
        for name, long, half in (("nvswitch.gpu.memory.latency", "1us", "500ns"), ("nvswitch.link.latency", "300ns", "150ns")):
            self.best("start_up", name, "--platform dgx2 --algorithm push --size 128B", {name: long}, {**halved, name: half})

    def test_latencies_of_a_pull_a_multicast_and_an_exchange_are_named(self):
        halved = {"nvswitch.switch.latency": "75ns", "nvswitch.gpu.memory.latency": "57600ps", "nvswitch.link.latency": "10ns"}
        for arguments in ("--algorithm pull --size 1KiB", "--collective allgather --algorithm multicast --size 1KiB",
                          "--collective alltoall --size 1KiB"):
            self.best("start_up", "nvswitch.switch.latency", "--platform dgx2 " + arguments, {}, halved, second=False)
        slow = {"nvswitch.gpu.memory.latency": "2us"}
        self.best("start_up", "nvswitch.gpu.memory.latency", "--platform dgx2 --algorithm pull --size 1KiB", slow,
                  {**halved, "nvswitch.gpu.memory.latency": "1us"})

    def test_latencies_of_trees_by_software_are_named(self):
        self.best("start_up", "nvswitch.gpu.memory.latency", "--platform dgx2 --algorithm double_binary_tree --size 1KiB",
                  {"nvswitch.gpu.memory.latency": "200ns"},
                  {"nvswitch.switch.latency": "75ns", "nvswitch.gpu.memory.latency": "100ns", "nvswitch.gpu.memory.jitter": "57600ps"})
        self.best("start_up", "nvswitch.switch.latency", "--platform dgx2 --algorithm double_binary_tree --size 1KiB",
                  {"nvswitch.switch.latency": "400ns"},
                  {"nvswitch.switch.latency": "200ns", "nvswitch.gpu.memory.latency": "57600ps", "nvswitch.gpu.memory.jitter": "57600ps"})

    def test_room_for_one_packet_that_is_read_is_a_bottleneck(self):
        self.best("window", "nvswitch.gpu.dma.tx_queue", "--platform dgx2 --algorithm push --size 16KiB", {"nvswitch.gpu.dma.tx_queue": "1"},
                  {"nvswitch.gpu.dma.tx_queue": "2", "nvswitch.link.rate": "50GB/s", "nvswitch.gpu.memory.latency": "57600ps",
                   "nvswitch.gpu.memory.jitter": "57600ps", "nvswitch.switch.latency": "75ns"}, second=False)

    def test_a_table_that_stalls_blocks_is_a_bottleneck(self):
        self.best("table_full", "nvswitch.switch.reduction_table.bytes", "--platform dgx2 --algorithm pull --gpus 8 --size 64KiB",
                  {"nvswitch.switch.reduction_table.bytes": "128B"},
                  {"nvswitch.switch.reduction_table.bytes": "256B", "nvswitch.gpu.dma.waves": "64", "nvswitch.link.rate": "50GB/s",
                   "nvswitch.switch.latency": "75ns"})

    def test_tables_filled_by_blocks_in_different_orders_are_a_bottleneck(self):
        """One stall of a full table delays everything: larger tables, crossbars or waves each bring the run to the rate of its links within 0.5 %."""
        self.best("table_full", "nvswitch.switch.reduction_table.bytes", "--platform dgx2 --algorithm push --size 1MiB",
                  {"nvswitch.gpu.dma.issue_order": "shuffled:512"},
                  {"nvswitch.switch.reduction_table.bytes": "64KiB", "nvswitch.link.rate": "30GB/s", "nvswitch.switch.crossbar.speedup": "4",
                   "nvswitch.gpu.dma.waves": "64"}, second=False, tie=0.005)

    def test_links_that_retransmit_are_a_bottleneck(self):
        self.best("retransmission", "nvswitch.link.bit_error_rate", "--platform dgx2 --algorithm push --size 1MiB",
                  {"nvswitch.link.bit_error_rate": "0.00001"},
                  {"nvswitch.link.bit_error_rate": "0", "nvswitch.link.rate": "50GB/s", "nvswitch.switch.reduction_table.bytes": "64KiB"})

    def test_losses_that_hosts_retransmit_are_a_bottleneck(self):
        """Includes the consequences of the losses: links are busy, but faster ones would gain nothing."""
        better = {"netreduce.link.rate": "200Gb/s", "netreduce.nic.rto": "50us", "netreduce.accelerator.clock": "2ns"}
        for cause, base, lossless in (("netreduce.link.bit_error_rate", "1e-7", "0"), ("netreduce.link.loss_rate", "0.001", "0")):
            self.best("retransmission", cause, "--platform rack:6 --algorithm netreduce --size 4MiB", {cause: base}, {**better, cause: lossless}, second=False)
        self.best("retransmission", "netreduce.switch.buffer", "--platform rack:6 --algorithm netreduce --size 4MiB --background incast:0.2@2",
                  {"netreduce.switch.buffer": "512KiB"}, {**better, "netreduce.switch.buffer": "1MiB"}, second=False)

    def test_latencies_of_networks_of_nics_are_named(self):
        halved = {"schedule_nic.link.latency": "75ns", "schedule_nic.router.latency": "1500ps"}
        self.best("start_up", "schedule_nic.link.latency", "--platform torus:4x4 --size 1KiB", {}, halved, second=False)
        for cause, name in (("start_up", "schedule_nic.router.latency"), ("start_up", "schedule_nic.nic.memory.latency"),
                            ("injection", "schedule_nic.nic.issue_interval")):
            self.best(cause, name, "--platform torus:4x4 --size 1KiB", {name: "1us"}, {**halved, name: "500ns"})
        both = {"schedule_nic.nic.memory.latency": "1us", "schedule_nic.nic.issue_interval": "1us"}  # no step of a ring waits for these
        self.best("start_up", "schedule_nic.nic.memory.latency", "--platform torus:4x4 --algorithm ring --size 1KiB", both,
                  {**halved, **{name: "500ns" for name in both}})

    def test_latencies_of_hosts_are_named(self):
        halved = {"netreduce.nic.tx_latency": "800ns", "netreduce.nic.rx_latency": "700ns", "netreduce.switch.latency": "150ns"}
        arguments = "--platform rack:4 --algorithm ring --size 1KiB"
        self.best("start_up", "netreduce.nic.tx_latency", arguments, {}, halved)
        for name in ("netreduce.nic.rx_latency", "netreduce.switch.latency"):
            self.best("start_up", name, arguments, {name: "5us"}, {**halved, name: "2500ns"})
        self.best("start_up", "netreduce.switch.latency", "--platform spine_leaf:4x8 --size 1KiB",
                  {"netreduce.flow_control.message_packets": "1"}, halved)
        self.best("start_up", "netreduce.host.hop", "--platform rack:4x8 --algorithm ring --size 1KiB", {},
                  {**halved, "netreduce.host.hop": "500ns"})

    def test_slow_additions_of_hosts_are_a_bottleneck(self):
        self.best("software", "netreduce.host.reduction_rate", "--platform rack:4 --algorithm ring --size 1MiB",
                  {"netreduce.host.reduction_rate": "1GB/s"},
                  {"netreduce.host.reduction_rate": "2GB/s", "netreduce.link.rate": "200Gb/s", "netreduce.nic.tx_latency": "800ns"})

    def test_padding_of_messages_is_a_bottleneck(self):
        self.best("padding", "netreduce.flow_control.message_packets", "--platform rack:4 --size 1KiB", {},
                  {"netreduce.flow_control.message_packets": "85", "netreduce.link.rate": "200Gb/s", "netreduce.nic.tx_latency": "800ns"}, second=False)

    def test_latencies_of_programmable_switches_are_named(self):
        halved = {"tofino.host.tx_latency": "800ns", "tofino.host.rx_latency": "650ns", "tofino.switch.latency": "150ns"}
        for algorithm in ("switchml", "atp"):
            arguments = f"--platform tofino:4 --size 1KiB --algorithm {algorithm}"
            self.best("start_up", "tofino.host.tx_latency", arguments, {}, halved)
            self.best("start_up", "tofino.switch.latency", arguments, {"tofino.switch.latency": "5us"}, {**halved, "tofino.switch.latency": "2500ns"})
        self.best("start_up", "tofino.switchml_rdma.turnaround", "--platform tofino:4 --size 1KiB --algorithm switchml_rdma", {},
                  {**halved, "tofino.switchml_rdma.turnaround": "1900ns"})

    def test_commands_of_streams_are_a_bottleneck(self):
        halved = {"blink.copy.launch": "1250ns", "blink.kernel.launch": "2500ns", "blink.streams.release": "750ns", "blink.streams.acquire": "500ns"}
        # With the defaults, 2.5 us per copy and 5 us for every second hop, both gain within 2 % of each other, because
        # of the trees.
        self.best("start_up", "blink.copy.launch", "--platform dgx1v --size 4KiB", {"blink.kernel.launch": "3us"},
                  {**halved, "blink.kernel.launch": "1500ns"}, second=False)
        self.best("start_up", "blink.kernel.launch", "--platform dgx1v --size 4KiB", {"blink.kernel.launch": "20us"},
                  {**halved, "blink.kernel.launch": "10us"})
        self.best("start_up", "blink.streams.release", "--platform dgx1v --size 4KiB", {"blink.streams.release": "10us"},
                  {**halved, "blink.streams.release": "5us"})
        self.best("start_up", "nvswitch.streams.release", "--platform dgx2 --algorithm blink --size 4KiB", {"nvswitch.streams.release": "20us"},
                  {"nvswitch.streams.release": "10us", "nvswitch.copy.launch": "1250ns", "nvswitch.kernel.launch": "2500ns"}, second=False)

    def start_up(self, parameter, value, arguments):
        row = run(arguments, {})
        self.assertEqual((row["bottleneck"]["cause"], row["bottleneck"]["parameter"]), ("start_up", parameter))
        self.assertLess(run(arguments, {parameter: value})["time_ns"], CLEAR * row["time_ns"])

    def test_chunks_as_large_as_the_part_of_a_tree_are_a_bottleneck(self):
        bottleneck = self.best("start_up", "blink.nvlink.rate", "--platform dgx1v --size 8MiB", {},
                          {"blink.nvlink.rate": "50GB/s", "blink.chunk": "500kB", "blink.copy.launch": "1250ns", "blink.streams.release": "750ns"})
        self.assertEqual(bottleneck["next"]["parameter"], "blink.chunk")

    def test_steps_of_channels_are_a_bottleneck(self):
        self.start_up("blink.nccl.step.nvlink", "500ns", "--platform dgx1v --algorithm nccl --size 256KiB")
        self.start_up("blink.nccl.low_latency.step.nvlink", "100ns", "--platform dgx1v --algorithm nccl --size 2KiB")

    def test_polls_of_a_ring_of_gpus_are_a_bottleneck(self):
        self.start_up("nvswitch.gpu.memory.latency", "10ns", "--platform dgx2 --algorithm ring --size 32KiB")

    def test_launches_of_small_copies_are_a_bottleneck(self):
        self.start_up("blink.copy.launch", "500ns", "--platform dgx1v --size 4KiB")


class Training(unittest.TestCase):
    def bottleneck(self, *options):
        done = tributary("train", "--model", "scalesim-alphagozero", "--gpus", "4", "--platform", "dgx2", *options, "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        iteration = json.loads(done.stdout)["iterations"][-1]
        return iteration["bottleneck"], iteration

    def test_computation_or_communication_is_named(self):
        bottleneck, iteration = self.bottleneck()
        self.assertEqual((bottleneck["cause"], bottleneck["parameter"]), ("compute", "compute.clock"))
        self.assertAlmostEqual(bottleneck["share"], iteration["compute_ns"] / iteration["time_ns"], 6)
        faster = self.bottleneck("--set", "compute.clock=500ps")[1]
        self.assertLess(faster["time_ns"], CLEAR * iteration["time_ns"])
        bottleneck, iteration = self.bottleneck("--set", "compute.clock=1ps")
        self.assertEqual(bottleneck["parameter"], "nvswitch.link.rate")
        self.assertRegex(bottleneck["module"], ">")
        self.assertAlmostEqual(bottleneck["share"], iteration["exposed_ns"] / iteration["time_ns"], 6)
        faster = self.bottleneck("--set", "compute.clock=1ps", "--set", "nvswitch.link.rate=26GB/s")[1]
        self.assertLess(faster["time_ns"], iteration["time_ns"])

    def test_software_slower_than_its_packets_is_a_bottleneck(self):
        bottleneck = self.bottleneck("--algorithm", "ring", "--set", "compute.clock=1ps", "--set", "ring.step=1ms")[0]
        self.assertEqual((bottleneck["cause"], bottleneck["parameter"]), ("software", "ring.step"))

    def test_the_screen_names_the_bottleneck(self):
        done = tributary("train", "--model", "scalesim-alphagozero", "--gpus", "4", "--platform", "dgx2", "--quiet")
        self.assertRegex(done.stdout, r"(?m)^# bottleneck: compute, [\d.]+% \(compute\.clock\); next link ")


class Outputs(unittest.TestCase):
    ARGUMENTS = ("run", "--platform", "torus:4x4", "--no-data", "--size", "1MiB")

    def test_the_screen_ends_with_a_line_for_each_range_of_sizes(self):
        done = tributary("run", "--platform", "torus:4x4", "--no-data", "--sizes", "1KiB:1MiB:x32")
        lines = [line for line in done.stdout.splitlines() if line.startswith("# bottleneck: ")]
        self.assertEqual(len(lines), 2, done.stdout)
        self.assertRegex(lines[0], r"^# bottleneck: 1KiB: start_up, [\d.]+% \(schedule_nic\.link\.latency\); next start_up, ")
        self.assertRegex(lines[1], r"^# bottleneck: 32KiB to 1MiB: link nic\d+\.port\d>nic\d+\.port\d, [\d.]+% \(schedule_nic\.link\.rate\); next ")

    def test_csv_and_json_have_the_same_bottlenecks(self):
        bottleneck = json.loads(tributary(*self.ARGUMENTS, "--quiet", "--json", "-").stdout)["results"][0]["bottleneck"]
        row = next(csv.DictReader(io.StringIO(tributary(*self.ARGUMENTS, "--quiet", "--csv", "-").stdout)))
        self.assertEqual([row["bottleneck"], row["bottleneck_module"], row["bottleneck_parameter"]], [bottleneck[k] for k in ("cause", "module", "parameter")])
        self.assertAlmostEqual(float(row["bottleneck_share"]), bottleneck["share"], 6)

    def test_both_modes_agree(self):
        bottlenecks = [json.loads(tributary(*self.ARGUMENTS, "--mode", engine, "--quiet", "--json", "-").stdout)["results"][0]["bottleneck"]
                  for engine in ("windowed", "event")]
        self.assertEqual(*bottlenecks)

    def test_bottlenecks_of_fluid_runs_are_links(self):
        row = json.loads(tributary(*self.ARGUMENTS, "--mode", "fluid", "--quiet", "--json", "-").stdout)["results"][0]
        self.assertEqual(row["bottleneck"]["cause"], "link")
        self.assertEqual(row["bottleneck"]["module"], row["peak_link"]["name"])


if __name__ == "__main__":
    run_tests()
