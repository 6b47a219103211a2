#pragma once
/// Parameters of an RDMA NIC: RoCEv2, reliable connections, congestion control by DCQCN.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// Source of the fields of DcqcnParams that are not set.
enum class DcqcnPreset : std::uint8_t {
  connectx,  ///< defaults of the vendor's firmware
  paper,     ///< Zhu et al., SIGCOMM 2015
};
template <>
struct EnumNames<DcqcnPreset> {
  static const std::vector<std::pair<DcqcnPreset, std::string>>& names() {
    static const std::vector<std::pair<DcqcnPreset, std::string>> n{{DcqcnPreset::connectx, "connectx"},
                                                                    {DcqcnPreset::paper, "paper"}};
    return n;
  }
};

struct DcqcnParams {
  bool on = false;
  DcqcnPreset preset = DcqcnPreset::connectx;
  std::optional<double> g;
  std::optional<Time> alpha_period, decrease_period, increase_timer;
  std::optional<Bytes> byte_counter;
  std::optional<std::uint32_t> recovery_stages;
  std::optional<Bandwidth> ai, hai, min_rate;
  std::optional<bool> clamp_target;
  std::optional<Time> cnp_interval;
};
template <class V>
void visit(V& v, DcqcnParams& p) {
  const char* const vendor = "vendor's defaults; Zhu et al. (SIGCOMM 2015) [P]";
  v.field("on", p.on,
          Note("senders allow ECN marks, receivers answer marked packets with CNPs, and CNPs cut the rate of a queue pair")
              .source("docs/systems/netreduce.md#congestion [G]"));
  v.field("preset", p.preset,
          Note("values of the fields that are auto: defaults of ConnectX NICs, or those of the DCQCN paper").source(vendor));
  v.field("g", p.g,
          Note("weight of a CNP in alpha")
              .role(ParameterRole::shape)
              .source(vendor)
              .range("0.0001", "1")
              .automatic("0.00390625 (1/256)"));
  v.field("alpha_period", p.alpha_period,
          Note("alpha decays by g after each such period without a CNP")
              .role(ParameterRole::delay)
              .source(vendor)
              .range("100ns", "1s")
              .automatic("1us; 55us"));
  v.field("decrease_period", p.decrease_period,
          Note("least time between two cuts of a rate")
              .role(ParameterRole::delay)
              .source(vendor)
              .range("0ns", "1s")
              .automatic("4us; 50us"));
  v.field("increase_timer", p.increase_timer,
          Note("time between two increases by time")
              .role(ParameterRole::delay)
              .source(vendor)
              .range("100ns", "1s")
              .automatic("300us; 55us"));
  v.field("byte_counter", p.byte_counter,
          Note("bytes sent between two increases by bytes")
              .role(ParameterRole::shape)
              .source(vendor)
              .range("64B", "1GiB")
              .automatic("32767 x 64B; 10MB"));
  v.field("recovery_stages", p.recovery_stages,
          Note("increases of either kind that only halve the distance to the target, before the target rises")
              .role(ParameterRole::shape)
              .source(vendor)
              .range("1", "31")
              .automatic("1; 5"));
  v.field("ai", p.ai,
          Note("additive increase of the target")
              .role(ParameterRole::rate)
              .source(vendor)
              .range("1Mb/s", "100Gb/s")
              .automatic("20Mb/s; 40Mb/s"));
  v.field("hai", p.hai,
          Note("hyper increase of the target")
              .role(ParameterRole::rate)
              .source(vendor)
              .range("1Mb/s", "100Gb/s")
              .automatic("200Mb/s"));
  v.field("min_rate", p.min_rate,
          Note("lowest rate").role(ParameterRole::rate).source(vendor).range("1Mb/s", "100Gb/s").automatic("100Mb/s"));
  v.field("clamp_target", p.clamp_target,
          Note("each cut sets the target to the rate before the cut; if off, only a cut after an increase by time does")
              .source(vendor)
              .automatic("false; true"));
  v.field("cnp_interval", p.cnp_interval,
          Note("least time between two CNPs that a receiver sends for a queue pair")
              .role(ParameterRole::delay)
              .source(vendor)
              .range("0ns", "1s")
              .automatic("4us; 50us"));
}

struct RoceParams {
  Bytes mtu = 1024_B;
  Time tx_latency = 1600_ns;
  Time rx_latency = 1300_ns;
  Time ack_latency = 700_ns;
  Time completion_latency = 2660_ns;
  std::optional<std::uint32_t> ack_interval;
  Time rto = 100_us;
  std::uint32_t retry_count = 7;
  bool nack_once = true;
  std::optional<std::uint32_t> first_psn;
  DcqcnParams dcqcn;
};
template <class V>
void visit(V& v, RoceParams& p) {
  const char* const times = "docs/systems/netreduce.md#host-times [G]";
  v.field("mtu", p.mtu,
          Note("payload of a packet; the last packet of a message may have less")
              .role(ParameterRole::shape)
              .source("Liu et al., 5.1 [P]")
              .range("256B", "4KiB")
              .multiple_of("256B"));
  v.field("tx_latency", p.tx_latency,
          Note("time from a request to the first bit of its first packet on a free wire")
              .role(ParameterRole::delay)
              .source(times)
              .range("10ns", "1ms"));
  v.field("rx_latency", p.rx_latency,
          Note("time from the last bit of a packet until its data are in memory, and until the host agent is notified of a "
               "complete message; values below ack_latency count as ack_latency")
              .role(ParameterRole::delay)
              .source(times)
              .range("10ns", "1ms"));
  v.field("ack_latency", p.ack_latency,
          Note("time from the last bit of a packet to the first bit of its ACK, NACK or CNP, and from their last bit to "
               "their effect on what is sent")
              .role(ParameterRole::delay)
              .source(times)
              .range("10ns", "1ms"));
  v.field("completion_latency", p.completion_latency,
          Note("time from the last bit of an ACK until the host agent sees the completion; values below ack_latency count "
               "as ack_latency")
              .role(ParameterRole::delay)
              .source(times)
              .range("10ns", "1ms"));
  v.field("ack_interval", p.ack_interval,
          Note("packets of a message between requests for an ACK; its last packet always requests one")
              .role(ParameterRole::shape)
              .source("Linux mlx5: log_ack_req_freq 8 [G]")
              .range("1", "65535")
              .automatic("256"));
  v.field("rto", p.rto,
          Note("retransmission timeout, from the last advance of acknowledgements")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#timeouts [G]")
              .range("4.096us", "10s"));
  v.field("retry_count", p.retry_count,
          Note("timeouts in a row without an advance after which a queue pair gives up; 0: no limit")
              .role(ParameterRole::shape)
              .source("docs/systems/netreduce.md#timeouts [G]")
              .range("0", "7"));
  v.field(
      "nack_once", p.nack_once,
      Note(
          "a receiver answers the first packet after a gap with a NACK, and is silent until the expected packet has arrived")
          .source("InfiniBand Architecture, volume 1, 9.7.5.2.8 [P]"));
  v.field("first_psn", p.first_psn,
          Note("initial PSN of all queue pairs; 16777215 is the last one before 0")
              .role(ParameterRole::shape)
              .source("for experiments")
              .range("0", "16777215")
              .automatic("one for each, from the seed"));
  v.group("dcqcn", p.dcqcn);
}

}  // namespace tributary
