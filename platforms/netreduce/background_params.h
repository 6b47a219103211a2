#pragma once
/// Parameters of background traffic between hosts: datagrams that nothing sends again, beside the jobs.

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
  const std::string source = "for experiments";
  v.field("payload", p.payload, Note("of each datagram; 66 B of headers, preamble and gap come to it")
                                    .source(source)
                                    .range("18B", "4KiB"));
  v.field("gaps", p.gaps, Note("from one datagram of a host to the next: 0 to twice the mean, or the mean").source(source));
  v.field("queue", p.queue,
          Note("datagrams that wait for the link of their host; what is due while so many do is skipped")
              .source(source)
              .range("1", "65536"));
  v.field("duration", p.duration,
          Note("background traffic lasts so long from the start of the run on")
              .source(source)
              .range("1ns", "1000s")
              .automatic("until the last job is done"));
}

}  // namespace tributary
