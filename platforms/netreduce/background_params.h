#pragma once
/// Parameters of background traffic between hosts: datagrams besides the jobs, which are never retransmitted.

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/datagram_source.h"

namespace tributary {

template <>
struct EnumNames<DatagramSource::Gaps> {
  static const std::vector<std::pair<DatagramSource::Gaps, std::string>>& names() {
    static const std::vector<std::pair<DatagramSource::Gaps, std::string>> n{{DatagramSource::Gaps::random, "random"},
                                                                             {DatagramSource::Gaps::even, "even"}};
    return n;
  }
};

struct BackgroundParams {
  Bytes payload = 1024_B;
  DatagramSource::Gaps gaps = DatagramSource::Gaps::random;
  std::uint32_t queue = 64;
  std::optional<Time> duration;
};

template <class V>
void visit(V& v, BackgroundParams& p) {
  const char* const source = "for experiments";
  v.field("payload", p.payload,
          Note("payload of each datagram; headers, preamble and gap add 66 B")
              .role(ParameterRole::shape)
              .source(source)
              .range("18B", "4KiB"));
  v.field("gaps", p.gaps,
          Note("gaps between two datagrams of a host: uniform from 0 to twice the mean, or always the mean").source(source));
  v.field("queue", p.queue,
          Note("datagrams that may be queued for the link of their host; further datagrams are skipped")
              .role(ParameterRole::shape)
              .source(source)
              .range("1", "65536"));
  v.field("duration", p.duration,
          Note("duration of the background traffic from the start of the run")
              .role(ParameterRole::shape)
              .source(source)
              .range("1ns", "1000s")
              .automatic("until the last job ends"));
}

}  // namespace tributary
