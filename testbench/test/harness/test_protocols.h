#pragma once
/// Protocols for tests only: packets of any number of bytes up to 9 KiB, on a link that drops or pauses.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/link/core/receive_buffer.h"
#include "modules/link/flow_control/lossy.h"
#include "modules/link/flow_control/pause.h"
#include "modules/protocol/traits.h"
#include "modules/timing/windowed_device.h"

namespace tributary {

struct FrameHeader {
  std::uint64_t number = 0;
  std::uint16_t source = 0, destination = 0;
};

template <class Control>
struct FrameLink {
  static constexpr ProtocolId id = ProtocolId::network;
  static constexpr unsigned vcs = 1;
  static constexpr unsigned flit_bytes = 1;
  static constexpr unsigned header_bytes = 64;
  static constexpr unsigned max_payload_bytes = 9216 - header_bytes;
  using Header = FrameHeader;
  using FlowControl = Control;
  static constexpr const char* const* opcode_names = nullptr;
  static PacketView view(const FrameHeader& h) {
    PacketView view;
    view.address = h.number;
    view.source = h.source;
    return view;
  }
};
using LossyLink = FrameLink<LossyFlowControl>;
using PausedLink = FrameLink<PauseFlowControl>;
using CreditedLink = FrameLink<CreditFlowControl>;
static_assert(is_protocol<LossyLink>() && is_protocol<PausedLink>() && is_protocol<CreditedLink>());

/// Sends the given frames, and accepts arrivals.
template <class Protocol>
class FrameSource : public BasicWindowedDevice<Protocol> {
 public:
  using Base = BasicWindowedDevice<Protocol>;
  using typename Base::LinkPort;
  using typename Base::LinkTransmitter;

  FrameSource(const sc_core::sc_module_name& name, const typename LinkTransmitter::Config& config);
  ~FrameSource() override { FrameSource::reset(); }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory&) override {}

  /// Queues a frame at least a window in advance, in order of time.
  void send(Packet* packet, Tick ready);

  LinkPort port;
  std::vector<Tick> starts;
  struct Arrived {
    std::uint64_t number;
    unsigned source;
    Tick tail;
    bool operator==(const Arrived& o) const { return number == o.number && source == o.source && tail == o.tail; }
  };
  std::vector<Arrived> arrived;

 private:
  void credit(unsigned p, Tick first, const LinkCredit* credits, unsigned count) override {
    links_.credit(p, first, credits, count, false);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) override;
  Tick run_core(Inbox& inbox, Tick horizon) override;
  Tick sent_until() const override { return links_.done(); }

  BasicOutgoingLinks<Protocol> links_;
};

/// Holds frames in a ReceiveBuffer, `delay` after the arrival of their headers, and forwards them at `rate`.
template <class Protocol>
class FrameSink : public BasicWindowedDevice<Protocol> {
 public:
  using Base = BasicWindowedDevice<Protocol>;
  using typename Base::LinkPort;
  using typename Base::LinkTransmitter;
  struct Frame {
    std::uint64_t number;
    unsigned bytes;
    Tick when;  ///< when it was forwarded
    bool operator==(const Frame& o) const { return number == o.number && bytes == o.bytes && when == o.when; }
  };

  FrameSink(const sc_core::sc_module_name& name, const typename LinkTransmitter::Config& config, Tick delay, Bandwidth rate,
            const ReceiveBuffer::Config& receive);
  ~FrameSink() override { FrameSink::reset(); }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory&) override {}

  LinkPort port;
  ReceiveBuffer buffer;
  std::vector<Frame> passed;
  std::vector<Tick> pauses;  ///< times at which they were sent
  std::uint64_t received = 0, received_bytes = 0;

 private:
  struct Arrival {
    Tick when, tail;
    Packet* packet;
  };
  void credit(unsigned, Tick, const LinkCredit*, unsigned) override {}
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) override;
  Tick run_core(Inbox& inbox, Tick horizon) override;
  Tick sent_until() const override { return links_.done(); }
  Tick next() const;
  void step(Tick now);
  void take(const Arrival& arrival);
  void serve(Tick now);
  void say(Tick now, unsigned quanta);

  BasicOutgoingLinks<Protocol> links_;
  Tick delay_;
  Serializer line_;
  RingQueue<Arrival> coming_, held_;
  Tick served_ = never;  ///< when the first of held_ has been forwarded
};

/// Forwards each frame to the port of its destination, `delay` after the arrival of its header. Its queues are
/// unbounded; inputs have credits.
class FrameHub : public BasicWindowedDevice<CreditedLink> {
 public:
  FrameHub(const sc_core::sc_module_name& name, unsigned ports, const LinkTransmitter::Config& config, Tick delay)
      : FrameHub(name, std::vector<LinkTransmitter::Config>(ports, config), delay) {}
  /// `links`: by port.
  FrameHub(const sc_core::sc_module_name& name, const std::vector<LinkTransmitter::Config>& links, Tick delay);
  ~FrameHub() override { FrameHub::reset(); }

  LinkPort& port(unsigned i) { return *ports_[i]; }
  std::vector<unsigned> output_of;  ///< by destination; empty: the destination is the port
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory&) override {}

 private:
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) override {
    links_->credit(port, first, credits, count, false);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) override;
  Tick run_core(Inbox& inbox, Tick horizon) override;
  Tick sent_until() const override { return links_->done(); }

  Tick delay_;
  std::vector<std::unique_ptr<LinkPort>> ports_;
  std::unique_ptr<BasicOutgoingLinks<CreditedLink>> links_;
};

}  // namespace tributary
