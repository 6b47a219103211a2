#pragma once
/// Two RoCE NICs on one wire, without SystemC: scripted losses, memories of bytes, and the notifications of their
/// hosts.

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/roce/core/roce_nic_core.h"

namespace tributary {

/// Bytes from address 0; without bytes the memory has timing only.
class ByteMemory : public HostMemoryPort {
 public:
  std::vector<std::byte> bytes;
  std::uint64_t written = 0;
  bool holds_data() const override { return !bytes.empty(); }
  bool contains(std::uint64_t address, std::uint64_t count) const override {
    return bytes.empty() || (count <= bytes.size() && address <= bytes.size() - count);
  }
  void read(std::uint64_t address, std::byte* to, unsigned count) override { std::memcpy(to, &bytes.at(address), count); }
  void write(std::uint64_t address, const std::byte* from, unsigned count) override {
    std::memcpy(&bytes.at(address), from, count);
    written += count;
  }
};

class NicWire {
 public:
  /// A notification of a host.
  struct Notice {
    enum Kind { completed, arrived, failed } kind;
    unsigned queue_pair;
    std::uint64_t value;
    Tick when;
  };
  struct Frame {
    FrameKind kind;
    std::uint32_t psn;
    unsigned from;
    Tick start;
  };
  /// Returns the fate of the `nth` frame of station `from`, counted from 0.
  using Fate = std::function<FrameFate(unsigned from, const Packet& frame, unsigned nth)>;

  /// A wire of the given latency. All delays beyond the frames are in `params`.
  explicit NicWire(const RoceParams& params = {}, Tick latency = 320'000, Bandwidth rate = 100_Gbps)
      : ends{End(*this, 0, params, latency, rate), End(*this, 1, params, latency, rate)} {}

  /// Joins queue pair `10 + i` of both stations; station 0 begins with PSN `psn`. Returns i.
  unsigned join(std::uint32_t psn = 0x123456, std::uint32_t other = 0xABCDEF) {
    const unsigned index = ends[0].nic.queue_pairs();
    const std::uint32_t a = 10 + index, b = 0x20000 + index;
    ends[0].nic.add_queue_pair({a, 1, b, psn, other});
    ends[1].nic.add_queue_pair({b, 0, a, other, psn});
    return index;
  }
  static WriteRequest request(std::uint32_t bytes, std::uint64_t id = 0) {
    WriteRequest r;
    r.id = id;
    r.bytes = r.data_bytes = bytes;
    r.immediate_valid = true;
    r.immediate = static_cast<std::uint32_t>(id);
    return r;
  }
  /// Runs from one event time to the next; returns the last one not after `limit`.
  Tick run(Tick limit = never) {
    Tick now = 0;
    for (;;) {
      Tick t = never;
      for (End& e : ends) t = std::min({t, e.nic.next(), e.links_next});
      if (t == never || t > limit) return now;
      now = t;
      for (End& e : ends) e.nic.run_until(now);
      for (End& e : ends)
        if (e.nic.next() > now) e.finish(now);
    }
  }
  /// Runs in windows of `length` until nothing is pending.
  void run_in_windows(Tick length) {
    for (Tick horizon = length - 1;; horizon += length) {
      for (End& e : ends) {
        while (e.nic.next() <= horizon) e.nic.run_until(horizon);
        e.finish(horizon);
      }
      Tick t = never;
      for (End& e : ends) t = std::min({t, e.nic.next(), e.links_next});
      if (t == never) return;
      while (horizon + length < t) horizon += length;
    }
  }
  std::vector<Tick> times(unsigned station, Notice::Kind kind) const {
    std::vector<Tick> all;
    for (const Notice& n : ends[station].notices)
      if (n.kind == kind) all.push_back(n.when);
    return all;
  }
  unsigned count(unsigned from, FrameKind kind) const {
    unsigned n = 0;
    for (const Frame& f : frames) n += f.from == from && f.kind == kind;
    return n;
  }

  struct End : LinkOutput, VerbsListener, FrameFaults {
    End(NicWire& w, unsigned s, const RoceParams& params, Tick latency, Bandwidth rate)
        : wire(w),
          station(s),
          transmitter(config(latency, rate)),
          links({&transmitter}, *this, w.pool),
          nic({params, static_cast<std::uint16_t>(s), rate, 0, w.reaction != 0}, links, w.pool, memory, *this) {
      links.set_faults(0, this);
    }
    static EthernetLinks::Transmitter::Config config(Tick latency, Bandwidth rate) {
      EthernetLinks::Transmitter::Config c;
      c.link.rate = rate;
      c.link.latency = picoseconds(latency);
      c.flow_control = {reaction, 64 * 1'000'000'000'000 / rate.value};
      return c;
    }
    void deliver(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
      for (const LinkArrival* a = packets; a != packets + count; ++a)
        wire.ends[1 - station].nic.receive(a->packet, first + a->after + a->duration);
    }
    void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}
    void completed(unsigned qp, std::uint64_t id, Tick when) override {
      notices.push_back({Notice::completed, qp, id, when});
      if (on_notice) on_notice(notices.back());
    }
    void arrived(unsigned qp, std::uint32_t immediate, Tick when) override {
      notices.push_back({Notice::arrived, qp, immediate, when});
      if (on_notice) on_notice(notices.back());
    }
    void failed(unsigned qp, Tick when, const std::string& why) override {
      notices.push_back({Notice::failed, qp, 0, when});
      failure = why;
    }
    void finish(Tick horizon) {
      links_next = links.finish(horizon, false, [](unsigned, const EthernetLinks::Sent&) {});
    }
    FrameFate fate(const Packet& frame, Tick start) override {
      wire.frames.push_back({roce(frame).kind, roce(frame).psn, station, start});
      const unsigned nth = sent++;
      return wire.fate ? wire.fate(station, frame, nth) : FrameFate::deliver;
    }
    void begin(Tick) override {}

    NicWire& wire;
    unsigned station;
    ByteMemory memory{};
    EthernetLinks::Transmitter transmitter;
    EthernetLinks links;
    RoceNicCore nic;
    std::vector<Notice> notices{};
    std::string failure{};
    std::function<void(const Notice&)> on_notice{};
    Tick links_next = never;
    unsigned sent = 0;
  };

  static constexpr Tick reaction = 500'000;  ///< to a PFC frame
  PacketPool pool{framing_of<EthernetLink>(4096)};
  std::vector<Frame> frames{};  ///< in order of their starts
  Fate fate{};
  std::array<End, 2> ends;
};

}  // namespace tributary
