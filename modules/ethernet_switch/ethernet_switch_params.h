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
          Note("frames that find a long queue are marked, as far as they are capable of it")
              .source("docs/systems/netreduce.md#congestion [G]"));
  v.field("kmin", p.kmin,
          Note("bytes in the queue up to which no frame is marked")
              .source("HPCC authors' ns-3, 100 Gb/s [G]")
              .range("0B", "1GiB"));
  v.field("kmax", p.kmax,
          Note("bytes in the queue beyond which every frame is marked")
              .source("HPCC authors' ns-3, 100 Gb/s [G]")
              .range("1B", "1GiB"));
  v.field("pmax", p.pmax,
          Note("probability of a mark at kmax; it rises from 0 at kmin")
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
          Note("classes that are paused and not dropped: RoCE, or all but control").source("IEEE 802.1Qbb [G]"));
  v.field("alpha", p.alpha,
          Note("an input may hold so many times what is free of the buffer before it is paused")
              .source("HPCC authors' ns-3 [G]")
              .range("0.01", "8"));
  v.field("resume", p.resume, Note("so far below that it goes on").source("HPCC authors' ns-3 [G]").range("0B", "16MiB"));
  v.field("reserve", p.reserve,
          Note("bytes of the buffer that each input has for itself, class by class")
              .source("HPCC authors' ns-3 [G]")
              .range("0B", "16MiB"));
  v.field("reaction", p.reaction,
          Note("from the end of a pause frame to its effect; IEEE 802.3 allows 3.23us at 100Gb/s")
              .source("[G]")
              .range("1ns", "10us"));
  v.field("headroom", p.headroom,
          Note("bytes that each input has, class by class, for what still comes after a pause")
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
  EcnParams ecn;
  PfcParams pfc;
};
template <class V>
void visit(V& v, EthernetSwitchParams& p) {
  v.field("latency", p.latency,
          Note("from the head of a frame (where it is stored: from its end) to its first bit out of an idle port")
              .source("docs/systems/netreduce.md#accelerator-pipeline [G]")
              .range("50ns", "10us"));
  v.field("forwarding", p.forwarding,
          Note("a frame may leave before its end has come in, or not; between ports of unequal rates it is stored")
              .source("[G]"));
  v.field("buffer", p.buffer, Note("memory that all ports share").source("[G]").range("64KiB", "1GiB"));
  v.field("alpha", p.alpha,
          Note("a queue may hold so many times what is free of the buffer")
              .source("Choudhury and Hahne, 1998 [G]")
              .range("0.015625", "8"));
  v.group("ecn", p.ecn);
  v.group("pfc", p.pfc);
}

}  // namespace tributary
