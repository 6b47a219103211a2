#pragma once
/// Parameters of aggregation in programmable switches: SwitchML, SwitchML-RDMA and ATP
/// (docs/systems/netreduce.md#baselines).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class Scaling : std::uint8_t {
  shared_exponent,  ///< from the largest exponent of all workers, exchanged one round ahead
  fixed,            ///< a fixed scale
};
enum class AggregatorIndex : std::uint8_t {
  job,    ///< the chunk's number, plus a hash of the job
  chunk,  ///< a hash of job and chunk
};

template <>
struct EnumNames<Scaling> {
  static const std::vector<std::pair<Scaling, std::string>>& names() {
    static const std::vector<std::pair<Scaling, std::string>> n{{Scaling::shared_exponent, "shared_exponent"},
                                                                {Scaling::fixed, "fixed"}};
    return n;
  }
};
template <>
struct EnumNames<AggregatorIndex> {
  static const std::vector<std::pair<AggregatorIndex, std::string>>& names() {
    static const std::vector<std::pair<AggregatorIndex, std::string>> n{{AggregatorIndex::job, "job"},
                                                                        {AggregatorIndex::chunk, "chunk"}};
    return n;
  }
};

/// Parameters of the switch.
struct TofinoParams {
  std::uint32_t stages = 12;
  std::uint32_t registers = 4;
  std::uint32_t pipelines = 4;
  std::uint32_t ports_per_pipeline = 16;
  Time latency = 300_ns;
  std::uint32_t slots = 8192;
};
template <class V>
void visit(V& v, TofinoParams& p) {
  v.field(
      "stages", p.stages,
      Note("match-action stages of a pipeline").role(ParameterRole::structure).source("Liu et al., 6 [P]").range("1", "64"));
  v.field("registers", p.registers,
          Note("registers of 4 B that a packet may use in a stage")
              .role(ParameterRole::structure)
              .source("Liu et al., 6 [P]")
              .range("1", "64"));
  v.field("pipelines", p.pipelines,
          Note("pipelines of the switch").role(ParameterRole::structure).source("Liu et al., 6 [P]").range("1", "8"));
  v.field("ports_per_pipeline", p.ports_per_pipeline,
          Note("ports of a pipeline").role(ParameterRole::structure).source("Liu et al., 6 [P]").range("1", "64"));
  v.field("latency", p.latency,
          Note("latency of a passage, from the last bit of a packet in to the first bit out")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#baselines [G]")
              .range("50ns", "10us"));
  v.field("slots", p.slots,
          Note("slots of SwitchML's pool, each in two versions; also the largest number of packets of a worker in flight")
              .role(ParameterRole::room)
              .source("public code of SwitchML: half of 16 384 registers [G]")
              .range("1", "1048576"));
}

/// Parameters of SwitchML's workers.
struct SwitchmlParams {
  Bytes payload = 128_B;
  Time timeout = 1_ms;
  Time packet_time = 31'300_ps;
  std::uint32_t queue = 25'957;
  Scaling scaling = Scaling::shared_exponent;
  double scale = 1048576;
};
template <class V>
void visit(V& v, SwitchmlParams& p) {
  v.field("payload", p.payload,
          Note("bytes of values in a packet")
              .role(ParameterRole::shape)
              .source("Liu et al., 5.2 [P]")
              .range("4B", "1KiB")
              .multiple_of("4B"));
  v.field("timeout", p.timeout,
          Note("time until the packet of a slot is sent again")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#baseline-hosts [G]")
              .range("1us", "10s"));
  v.field("packet_time", p.packet_time,
          Note("time of a worker's software for each packet; 32.0 M packets/s")
              .role(ParameterRole::cycle)
              .source("Liu et al., Table 6 [D], docs/systems/netreduce.md#baseline-hosts [G]")
              .range("0ps", "1ms"));
  v.field("queue", p.queue,
          Note("packets of a worker that are queued or in flight; its round trips are measured from the tail of the queue")
              .role(ParameterRole::room)
              .source("Liu et al., Table 6: 46.8 Gb/s x 812 us [D]")
              .range("1", "16777216"));
  v.field("scaling", p.scaling,
          Note("scaling of float32 to int32: by the largest exponent of all workers' values of a packet, sent one round "
               "ahead, or by `scale`")
              .source("SwitchML (Sapio et al., NSDI 2021) [P]"));
  v.field("scale", p.scale, Note("factor of fixed scaling").role(ParameterRole::shape).source("[G]").range("1e-6", "1e9"));
}

/// Parameters of SwitchML's workers over RDMA; a packet is a WRITE.
struct SwitchmlRdmaParams {
  std::uint32_t window = 82;
  Time turnaround = 3'800_ns;
  Time timeout = 1_ms;
};
template <class V>
void visit(V& v, SwitchmlRdmaParams& p) {
  v.field("window", p.window,
          Note("packets in flight")
              .role(ParameterRole::room)
              .source("Liu et al., Table 6: 82.7 Gb/s x 8.1 us [D]")
              .range("1", "65536"));
  v.field("turnaround", p.turnaround,
          Note("time of a worker from a result to the next packet")
              .role(ParameterRole::delay)
              .source("Liu et al., Table 6: 8.1 us in all [G]")
              .range("0us", "1ms"));
  v.field("timeout", p.timeout,
          Note("time until the packet of a slot is sent again")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#baseline-hosts [G]")
              .range("1us", "10s"));
}

/// Parameters of ATP: workers, aggregators and the server.
struct AtpParams {
  Bytes payload = 256_B;
  Time timeout = 200_us;
  Time packet_time = 0_ps;
  std::uint32_t window = 256;
  std::uint32_t queue = 14'574;
  std::uint32_t aggregators = 20'000;
  AggregatorIndex index = AggregatorIndex::job;
  Time ecn_delay = 20_us;
  double scale = 1048576;
};
template <class V>
void visit(V& v, AtpParams& p) {
  v.field("payload", p.payload,
          Note("bytes of values in a packet")
              .role(ParameterRole::shape)
              .source("Liu et al., 6 [P]")
              .range("4B", "1KiB")
              .multiple_of("4B"));
  v.field("timeout", p.timeout,
          Note("time until a worker sends a packet again")
              .role(ParameterRole::delay)
              .source("public code of ATP: 0.2 ms [G]")
              .range("1us", "10s"));
  v.field("packet_time", p.packet_time,
          Note("time of a worker's or the server's software for each packet")
              .role(ParameterRole::cycle)
              .source("[G]")
              .range("0ps", "1ms"));
  v.field("window", p.window,
          Note("largest number of packets of a worker in flight; ECN marks halve it, results increase it again")
              .role(ParameterRole::room)
              .source("ATP (Lao et al., NSDI 2021) [P], docs/systems/netreduce.md#baseline-hosts [G]")
              .range("1", "65536"));
  v.field("queue", p.queue,
          Note("packets of a worker that are queued or in flight; its round trips are measured from the tail of the queue")
              .role(ParameterRole::room)
              .source("Liu et al., Table 6: 50.3 Gb/s x 751 us [D]")
              .range("1", "16777216"));
  v.field("aggregators", p.aggregators,
          Note("aggregators of the switch")
              .role(ParameterRole::room)
              .source("public code of ATP: 40 000 registers as pairs [G]")
              .range("1", "1048576"));
  v.field("index", p.index,
          Note("aggregator of a chunk: the chunk's number plus a hash of the job, or a hash of both")
              .source("ATP (Lao et al., NSDI 2021) [P], docs/systems/netreduce.md#baseline-hosts [G]"));
  v.field("ecn_delay", p.ecn_delay,
          Note("waiting time for a passage from which on a packet is marked")
              .role(ParameterRole::delay)
              .source("[G]")
              .range("0ns", "1ms"));
  v.field("scale", p.scale,
          Note("factor from float32 to int32; larger values go to the server as float32")
              .role(ParameterRole::shape)
              .source("[G]")
              .range("1e-6", "1e9"));
}

}  // namespace tributary
