#pragma once
/// Parameters of an Ethernet switch (docs/blocks/ethernet_switch.md).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class SwitchingMode : std::uint8_t { cut_through, store_and_forward };
enum class PfcClasses : std::uint8_t { roce, data };

template <>
struct EnumNames<SwitchingMode> {
  static const std::vector<std::pair<SwitchingMode, std::string>>& names() {
    static const std::vector<std::pair<SwitchingMode, std::string>> n{
        {SwitchingMode::cut_through, "cut_through"}, {SwitchingMode::store_and_forward, "store_and_forward"}};
    return n;
  }
};
template <>
struct EnumNames<PfcClasses> {
  static const std::vector<std::pair<PfcClasses, std::string>>& names() {
    static const std::vector<std::pair<PfcClasses, std::string>> n{{PfcClasses::roce, "roce"}, {PfcClasses::data, "data"}};
    return n;
  }
};

struct EcnParams {
  bool on = false;
  Bytes kmin = 400'000_B;
  Bytes kmax = 1'600'000_B;
  double pmax = 0.2;
};
template <class V>
void visit(V& v, EcnParams& p) {
  v.field("on", p.on,
          Note("ECN-capable frames that meet a long queue are marked").source("docs/systems/netreduce.md#congestion [G]"));
  v.field("kmin", p.kmin,
          Note("queue length in bytes up to which no frame is marked")
              .role(ParameterRole::shape)
              .source("HPCC authors' ns-3, 100 Gb/s [G]")
              .range("0B", "1GiB"));
  v.field("kmax", p.kmax,
          Note("queue length in bytes above which every frame is marked")
              .role(ParameterRole::shape)
              .source("HPCC authors' ns-3, 100 Gb/s [G]")
              .range("1B", "1GiB"));
  v.field("pmax", p.pmax,
          Note("probability of a mark at kmax; it rises linearly from 0 at kmin")
              .role(ParameterRole::shape)
              .source("HPCC authors' ns-3, 100 Gb/s [G]")
              .range("0", "1"));
}

struct PfcParams {
  bool on = false;
  PfcClasses classes = PfcClasses::roce;
  double alpha = 0.125;
  Bytes resume = 3_KiB;
  Bytes reserve = 4_KiB;
  Time reaction = 500_ns;
  std::optional<Bytes> headroom;
};
template <class V>
void visit(V& v, PfcParams& p) {
  v.field("on", p.on,
          Note("an input that fills its share of the buffer pauses its sender, class by class (IEEE 802.1Qbb)")
              .source("docs/systems/netreduce.md#congestion [G]"));
  v.field("classes", p.classes,
          Note("classes that are paused instead of dropped: RoCE, or all except control").source("IEEE 802.1Qbb [G]"));
  v.field("alpha", p.alpha,
          Note("an input is paused when it holds this multiple of the free bytes of the buffer")
              .role(ParameterRole::room)
              .source("HPCC authors' ns-3 [G]")
              .range("0.01", "8"));
  v.field("resume", p.resume,
          Note("distance below the threshold at which a paused input resumes")
              .role(ParameterRole::shape)
              .source("HPCC authors' ns-3 [G]")
              .range("0B", "16MiB"));
  v.field("reserve", p.reserve,
          Note("bytes of the buffer reserved for each input and class")
              .role(ParameterRole::room)
              .source("HPCC authors' ns-3 [G]")
              .range("0B", "16MiB"));
  v.field("reaction", p.reaction,
          Note("time from the end of a pause frame to its effect; IEEE 802.3 allows 3.23us at 100Gb/s")
              .role(ParameterRole::delay)
              .source("[G]")
              .range("1ns", "10us"));
  v.field("headroom", p.headroom,
          Note("bytes reserved for each input and class for frames that still arrive after a pause")
              .role(ParameterRole::room)
              .source("IEEE 802.1Qbb, annex O [G]")
              .range("0B", "16MiB")
              .automatic("rate x (2 x latency of the link + reaction + latency of the switch), 3 frames (4 where they are "
                         "stored) and the pause"));
}

struct EthernetSwitchParams {
  Time latency = 300_ns;
  SwitchingMode forwarding = SwitchingMode::cut_through;
  Bytes buffer = 16_MiB;
  double alpha = 1;
  std::uint32_t access_rules = 256;
  EcnParams ecn;
  PfcParams pfc;
};
template <class V>
void visit(V& v, EthernetSwitchParams& p) {
  v.field("latency", p.latency,
          Note("time from the head of a frame (a stored frame: from its end) to its first bit out of an idle port")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#accelerator-pipeline [G]")
              .range("50ns", "10us"));
  v.field("forwarding", p.forwarding,
          Note("a frame may leave before its end has arrived; between ports of unequal rates it is always stored")
              .source("[G]"));
  v.field("buffer", p.buffer,
          Note("memory that all ports share").role(ParameterRole::room).source("[G]").range("64KiB", "1GiB"));
  v.field("alpha", p.alpha,
          Note("a queue may hold this multiple of the free bytes of the buffer")
              .role(ParameterRole::room)
              .source("Choudhury and Hahne, 1998 [G]")
              .range("0.015625", "8"));
  v.field(
      "access_rules", p.access_rules,
      Note("rules of the access list: one for each pair of hosts whose frames go to an accelerator; rings that need more "
           "are refused")
          .role(ParameterRole::room)
          .source("[G]")
          .range("1", "65536"));
  v.group("ecn", p.ecn);
  v.group("pfc", p.pfc);
}

}  // namespace tributary
