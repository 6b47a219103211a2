"""Captures of frames (--pcap), as tshark reads them, and their ICRCs by an independent computation.

usage: test_captures.py TRIBUTARY SOURCE_DIRECTORY [unittest arguments]
"""
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
FIELDS = ["frame.len", "ip.src", "ip.dst", "ip.checksum.status", "infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.bth.destqp",
          "infiniband.reth.dmalen", "infiniband.aeth.syndrome.opcode", "_ws.malformed"]


def frames_of(file):
    """[(nanoseconds, bytes)] of a capture."""
    content = file.read_bytes()
    assert struct.unpack("<IHHiIII", content[:24]) == (0xA1B23C4D, 2, 4, 0, 0, 65535, 1)
    frames, at = [], 24
    while at < len(content):
        seconds, nanoseconds, length, original = struct.unpack("<IIII", content[at:at + 16])
        assert length == original
        frames.append((seconds * 10**9 + nanoseconds, content[at + 16:at + 16 + length]))
        at += 16 + length
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
        self.file = pathlib.Path(folder.name) / "run.pcap"

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
        for _, frame in frames:
            self.assertTrue(has_right_icrc(frame), frame.hex())
        self.assertEqual([time for time, _ in frames], sorted(time for time, _ in frames))

    def test_both_modes_write_the_same_file(self):
        windowed = self.capture().read_bytes()
        self.assertEqual(self.capture("--mode", "event").read_bytes(), windowed)


if __name__ == "__main__":
    run_tests()
