#pragma once
/// NetReduceHosts: hosts of one ring and their memories, which tests wire to switches and accelerators by hand.

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/ethernet_switch/ethernet_switch.h"
#include "modules/netreduce/accelerator.h"
#include "modules/netreduce/flow_control_module.h"
#include "modules/roce/ethernet_host.h"
#include "testbench/harness/finish_times.h"

namespace tributary {

/// Drops the first frame of a wire for which `lost` holds.
struct OneLoss : FrameFaults {
  std::function<bool(const Packet&)> lost;
  FrameFate fate(const Packet& frame, Tick) override {
    if (done || !lost || !lost(frame)) return FrameFate::deliver;
    done = true;
    return FrameFate::drop;
  }
  void begin(Tick) override {}
  bool done = false;
};

/// Host h is rank h of ring 1 and sends to host h + 1. The operand, result and receive buffers of the messages are
/// consecutive in its memory. Element i of its operand is (h + 1) (i + 7), i32.
class NetReduceHosts {
 public:
  static constexpr std::uint32_t first_psn = 0xFFFFF0;  // wraps
  static constexpr std::uint16_t ring_number = 1;

  NetReduceHosts(unsigned hosts, unsigned message_packets, std::uint64_t bytes, bool with_data)
      : hosts_(hosts), elements_(bytes / 4), with_data_(with_data) {
    params_.messages.message_packets = message_packets;
  }
  ~NetReduceHosts() {
    for (const auto& d : devices_) d->reset();
  }

  std::uint64_t right() const {
    std::uint64_t count = 0;
    for (unsigned h = 0; h < hosts_; ++h)
      for (std::uint64_t i = 0; i < elements_; ++i) {
        std::int32_t x;
        std::memcpy(&x, host[h]->memory().data() + result_ + 4 * i, 4);
        count += x == static_cast<std::int32_t>(hosts_ * (hosts_ + 1) / 2 * (i + 7));
      }
    return count;
  }
  std::vector<std::string> waiting() const {
    std::vector<std::string> all;
    for (const auto& d : devices_)
      for (const std::string& line : d->waiting()) all.push_back(line);
    return all;
  }

  FinishTimes finished;
  std::vector<EthernetHost*> host;
  std::vector<FlowControlModule*> flow;

 protected:
  static constexpr std::uint32_t pair_number = 20;  ///< queue pair at the receiving end
  std::uint16_t next(unsigned h) const { return static_cast<std::uint16_t>((h + 1) % hosts_); }
  std::uint16_t before(unsigned h) const { return static_cast<std::uint16_t>((h + hosts_ - 1) % hosts_); }
  static void connect(NetworkDevice& a, unsigned port_a, NetworkDevice& b, unsigned port_b) {
    const LinkEnd x = a.link_end(port_a), y = b.link_end(port_b);
    x.out.bind(y.in);
    y.out.bind(x.in);
  }
  template <class D>
  D& add(std::unique_ptr<D> device) {
    D& added = *device;
    devices_.push_back(std::move(device));
    return added;
  }
  void add_hosts(const std::string& name) {
    for (unsigned h = 0; h < hosts_; ++h) {
      EthernetHost::Config c;
      c.port = port;
      c.station = static_cast<std::uint16_t>(h);
      host.push_back(&add(std::make_unique<EthernetHost>((name + "_host" + std::to_string(h)).c_str(), c,
                                                         [&](const char* agent) {
                                                           auto module = std::make_unique<FlowControlModule>(
                                                               agent, params_, 1024, h, finished);
                                                           flow.push_back(module.get());
                                                           return module;
                                                         },
                                                         pool_)));
      QueuePairConfig to, from;
      to.number = 10, to.peer = next(h), to.peer_number = pair_number, to.send_psn = first_psn + h;
      from.number = pair_number, from.peer = before(h), from.peer_number = 10, from.receive_psn = first_psn + before(h);
      host[h]->nic().core().add_queue_pair(to);
      host[h]->nic().core().add_queue_pair(from);
    }
  }
  void set_windows() {
    for (unsigned i = 0; i < devices_.size(); ++i)
      devices_[i]->set_windows(Windows::of(15'760, 300'000, 1'000'000, {i, static_cast<unsigned>(devices_.size())}));
  }
  AggregationRing ring() const {
    AggregationRing r;
    r.ring = ring_number;
    r.message_packets = params_.messages.message_packets;
    r.type = ElementType::i32;
    return r;
  }
  AggregationRing::Member member(unsigned h, unsigned at_port) const {
    return {{static_cast<std::uint16_t>(h), next(h), pair_number}, static_cast<std::uint16_t>(h), at_port};
  }
  void post_jobs(Tick t0) {
    const std::uint64_t tensor = (elements_ * 4 + 63) / 64 * 64, buffers = message_buffers(params_.messages, 1024);
    for (unsigned h = 0; h < hosts_; ++h) {
      if (with_data_) host[h]->resize_memory(2 * tensor + buffers);
      std::byte* const data = host[h]->memory().data();
      for (std::uint64_t i = 0; i < (with_data_ ? elements_ : 0); ++i) {
        const std::int32_t x[] = {static_cast<std::int32_t>((h + 1) * (i + 7)), 0};
        std::memcpy(data + 4 * i, x, 4), std::memcpy(data + tensor + 4 * i, x + 1, 4);
      }
      RingPlan p;
      p.ring = ring_number, p.rank = static_cast<std::uint16_t>(h);
      p.send_pair = 0, p.receive_pair = 1;
      p.bytes = elements_ * 4;
      p.result = tensor;
      p.receive_buffers = p.remote_buffers = 2 * tensor;
      flow[h]->post({p}, t0);
    }
    result_ = tensor;
  }

  EthernetDevice::PortConfig port{100_Gbps, 10_ns};
  unsigned hosts_;
  std::uint64_t elements_, result_ = 0;
  bool with_data_;
  HostFlowParams params_;
  PacketPool pool_{framing_of<EthernetLink>(1024)};

 private:
  std::vector<std::unique_ptr<NetworkDevice>> devices_;
};

}  // namespace tributary
