#pragma once
/// Parameters of NVSwitch platforms that belong to an algorithm rather than to one module.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

enum class AckMode : std::uint8_t { separate, merged, none };
enum class BarrierKind : std::uint8_t { allreduce, flags };
enum class PullWaveDone : std::uint8_t { response, ack };
enum class PullSegmentation : std::uint8_t { waves, requests };
enum class PullWaveScope : std::uint8_t { per_gpu, global };
enum class RingSync : std::uint8_t { counted, fence };

template <>
struct EnumNames<AckMode> {
  static const std::vector<std::pair<AckMode, std::string>>& names() {
    static const std::vector<std::pair<AckMode, std::string>> n{
        {AckMode::separate, "separate"}, {AckMode::merged, "merged"}, {AckMode::none, "none"}};
    return n;
  }
};
template <>
struct EnumNames<BarrierKind> {
  static const std::vector<std::pair<BarrierKind, std::string>>& names() {
    static const std::vector<std::pair<BarrierKind, std::string>> n{{BarrierKind::allreduce, "allreduce"},
                                                                    {BarrierKind::flags, "flags"}};
    return n;
  }
};
template <>
struct EnumNames<PullWaveDone> {
  static const std::vector<std::pair<PullWaveDone, std::string>>& names() {
    static const std::vector<std::pair<PullWaveDone, std::string>> n{{PullWaveDone::response, "response"},
                                                                     {PullWaveDone::ack, "ack"}};
    return n;
  }
};
template <>
struct EnumNames<PullSegmentation> {
  static const std::vector<std::pair<PullSegmentation, std::string>>& names() {
    static const std::vector<std::pair<PullSegmentation, std::string>> n{{PullSegmentation::waves, "waves"},
                                                                         {PullSegmentation::requests, "requests"}};
    return n;
  }
};
template <>
struct EnumNames<PullWaveScope> {
  static const std::vector<std::pair<PullWaveScope, std::string>>& names() {
    static const std::vector<std::pair<PullWaveScope, std::string>> n{{PullWaveScope::per_gpu, "per_gpu"},
                                                                      {PullWaveScope::global, "global"}};
    return n;
  }
};
template <>
struct EnumNames<RingSync> {
  static const std::vector<std::pair<RingSync, std::string>>& names() {
    static const std::vector<std::pair<RingSync, std::string>> n{{RingSync::counted, "counted"}, {RingSync::fence, "fence"}};
    return n;
  }
};

struct PullParams {
  bool barrier = true;
  BarrierKind barrier_kind = BarrierKind::allreduce;
  PullWaveDone wave_done = PullWaveDone::response;
  PullWaveScope wave_scope = PullWaveScope::per_gpu;
  PullSegmentation segmentation = PullSegmentation::waves;
};
template <class V>
void visit(V& v, PullParams& p) {
  v.field("barrier", p.barrier,
          Note("start barrier before a pull all-reduce, inside the measured time").source("Klenk IV-B [P]"));
  v.field("barrier_kind", p.barrier_kind,
          Note("barrier as an all-reduce of one packet per GPU, or as multicast flags")
              .source("docs/systems/klenk.md#barrier [G]"));
  v.field("wave_done", p.wave_done,
          Note("end of a pull wave: arrival of its responses, or also acknowledgement of its multicast writes")
              .source("docs/systems/klenk.md#wave-goals [G]"));
  v.field("wave_scope", p.wave_scope,
          Note("scope of nvswitch.gpu.dma.wave_bytes: each GPU's own share, or the message over all GPUs")
              .source("docs/systems/klenk.md#wave-scope [G]"));
  v.field("segmentation", p.segmentation,
          Note("mechanism that keeps a pull within the tables: the wave controller, or consecutive DMA requests of "
               "nvswitch.gpu.dma.waves x wave_bytes "
               "each")
              .source("docs/systems/klenk.md#segmentation [P]"));
}

struct RingParams {
  RingSync sync = RingSync::counted;
};
template <class V>
void visit(V& v, RingParams& p) {
  v.field("sync", p.sync,
          Note("detection of a ring step: counting the blocks of its mailbox slot, or a flag written after all acks")
              .source("docs/systems/klenk.md#ring [G]"));
}

}  // namespace tributary
