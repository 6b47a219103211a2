"""Reads the record of a block (tributary run --record-block PLACE --record DIR), for test benches in Python such as cocotb.

    record = Record("combinator")
    for access in record:
        await drive(access.time, access.lanes(access.request["operand0"]))
        assert await sample() == access.lanes(access.answer["sum"])
"""
import json
import pathlib
import struct

# Element type -> format of struct; bf16 is the upper half of a float.
FORMATS = {"f64": "d", "f32": "f", "f16": "e", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}


class Access:
    """One transaction: `time`, `interval` and `latency` in ps, `ticket`, and the fields of `request` and `answer` by name."""

    def __init__(self, line):
        self.time, self.ticket = line["time"], line["ticket"]
        self.request, self.answer = line["request"], line["answer"]
        self.interval, self.latency = line["interval"], line["latency"]

    @property
    def type(self):
        """Element type of the data; i8 if the request names none."""
        return self.request.get("type", self.request.get("packet.type", "i8"))

    def lanes(self, data):
        """Returns the elements of a field of data as numbers."""
        raw = bytes.fromhex(data)
        if self.type == "bf16":
            return [struct.unpack("<f", b"\0\0" + raw[i:i + 2])[0] for i in range(0, len(raw), 2)]
        return list(struct.unpack(f"<{len(raw) // struct.calcsize(FORMATS[self.type])}{FORMATS[self.type]}", raw))


class Record:
    """A record. An iteration yields each Access, and None where the block is reset."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        header = json.loads((self.folder / "record.json").read_text())
        if header["format"] != 1:
            raise ValueError(f"{self.folder}: format {header['format']} (legal: 1)")
        self.block, self.place, self.clock_ps = header["block"], header["place"], header["clock_ps"]
        self.config, self.transactions = header["config"], header["transactions"]

    def __iter__(self):
        with open(self.folder / "transactions.jsonl", encoding="utf-8") as lines:
            for text in lines:
                line = json.loads(text)
                yield None if "reset" in line else Access(line)
