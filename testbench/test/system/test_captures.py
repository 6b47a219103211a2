"""Captures of frames (--pcap), as tshark reads them, and their ICRCs by an independent computation.

usage: test_captures.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
import collections
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

from executable import run_tests, tributary

RUN = ["run", "--platform", "rack:3", "--algorithm", "netreduce", "--size", "4KiB", "--quiet"]
MESSAGE_PACKETS = 170  # 1024 B each: 4 KiB are one padded message
FIRST, MIDDLE, LAST_IMMEDIATE, ACKNOWLEDGE = 0x06, 0x07, 0x09, 0x11
FIELDS = ["frame.interface_name", "frame.len", "ip.src", "ip.dst", "ip.checksum.status", "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.bth.destqp",
          "infiniband.reth.dmalen", "infiniband.aeth.syndrome.opcode", "_ws.malformed"]


def frames_of(file):
    """[(nanoseconds, interface, bytes)] of a pcapng file."""
    content = file.read_bytes()
    frames, at = [], 0
    while at < len(content):
        kind, length = struct.unpack("<II", content[at:at + 8])
        assert length == struct.unpack("<I", content[at + length - 4:at + length])[0]
        if kind == 6:
            interface, high, low, captured, original = struct.unpack("<IIIII", content[at + 8:at + 28])
            assert captured == original
            frames.append((high << 32 | low, interface, content[at + 28:at + 28 + captured]))
        at += length
    return frames


def has_right_icrc(frame):
    """ICRC of RoCE over IPv4 without FCS (InfiniBand Architecture, annex A17)."""
    packet = bytearray(frame[14:-4])
    for place in (1, 8, 10, 11, 26, 27, 32):  # type of service, TTL, check sums, resv8a
        packet[place] = 0xFF
    return zlib.crc32(b"\xff" * 8 + packet) == int.from_bytes(frame[-4:], "little")


class Captures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "rack:H" not in tributary("list", "platforms").stdout:
            raise unittest.SkipTest("no platform with Ethernet")
        if shutil.which("tshark") is None:
            raise unittest.SkipTest("there is no tshark (Debian package tshark)")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "run.pcapng"

    def capture(self, *options):
        done = tributary(*RUN, "--pcap", str(self.file), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.file

    def rows(self, file):
        command = ["tshark", "-r", file, "-T", "fields", "-E", "separator=,", "-o", "ip.check_checksum:TRUE"]
        for field in FIELDS:
            command += ["-e", field]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return [dict(zip(FIELDS, line.split(","))) for line in text.splitlines()]

    def test_a_message_is_captured_as_it_leaves_its_host(self):
        rows = self.rows(self.capture("--capture", "*.host0.*"))
        self.assertEqual({row["frame.interface_name"] for row in rows}, {"host0.port0>switch.port0"})
        for row in rows:
            self.assertEqual((row["ip.src"], row["ip.checksum.status"], row["_ws.malformed"]), ("10.0.0.1", "1", ""))
        data = [row for row in rows if int(row["infiniband.bth.opcode"]) != ACKNOWLEDGE]
        opcodes = [FIRST] + [MIDDLE] * (MESSAGE_PACKETS - 2) + [LAST_IMMEDIATE]
        self.assertEqual([int(row["infiniband.bth.opcode"]) for row in data], opcodes)
        lengths = [1098] + [1082] * (MESSAGE_PACKETS - 2) + [1086]  # without FCS
        self.assertEqual([int(row["frame.len"]) for row in data], lengths)
        first = int(data[0]["infiniband.bth.psn"])
        self.assertEqual([int(row["infiniband.bth.psn"]) for row in data], [(first + i) % 2**24 for i in range(MESSAGE_PACKETS)])
        self.assertEqual(len({row["infiniband.bth.destqp"] for row in data}), 1)
        self.assertEqual({row["ip.dst"] for row in data}, {"10.0.0.2"})  # the next host of the ring
        self.assertEqual(data[0]["infiniband.reth.dmalen"], str(MESSAGE_PACKETS * 1024))
        answers = [row for row in rows if int(row["infiniband.bth.opcode"]) == ACKNOWLEDGE]
        self.assertEqual([(row["ip.dst"], row["infiniband.aeth.syndrome.opcode"]) for row in answers], [("10.0.0.3", "0")])

    def test_every_frame_has_the_right_icrc(self):
        frames = frames_of(self.capture())
        # Data frames cross four links (host, switch, accelerator, switch), ACKs two.
        self.assertEqual(len(frames), 3 * (MESSAGE_PACKETS * 4 + 2))
        for _, _, frame in frames:
            self.assertTrue(has_right_icrc(frame), frame.hex())
        self.assertEqual([time for time, _, _ in frames], sorted(time for time, _, _ in frames))

    def test_each_link_is_an_interface(self):
        interfaces = collections.Counter(row["frame.interface_name"] for row in self.rows(self.capture()))
        hosts = [f"host{h}.port0>switch.port{h}" for h in range(3)] + [f"switch.port{h}>host{h}.port0" for h in range(3)]
        # A host sends its message and an ACK, and receives the sums and an ACK. ACKs do not reach the accelerator.
        self.assertEqual({name: interfaces[name] for name in hosts}, {name: MESSAGE_PACKETS + 1 for name in hosts})
        others = {name: count for name, count in interfaces.items() if name not in hosts}
        self.assertEqual(sorted(others.values()), [MESSAGE_PACKETS] * 6)  # one link there and back for each port
        self.assertTrue(all("accelerator" in name for name in others), others)

    def test_both_modes_write_the_same_file(self):
        windowed = self.capture().read_bytes()
        self.assertEqual(self.capture("--mode", "event").read_bytes(), windowed)


if __name__ == "__main__":
    run_tests()
