#pragma once
/// Posted: a collective that an sc_main has posted by name, and its result.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

struct Posting;

/// A handle that can be copied. Times are simulated picoseconds. Functions that need a result throw std::logic_error, one
/// line, while there is none. Results stay valid while a handle exists.
class Posted {
 public:
  explicit Posted(std::shared_ptr<Posting> posting) : posting_(std::move(posting)) {}

  const std::string& collective() const;
  /// Returns the algorithm, which is another one than the given one if the platform has replaced it by its fallback.
  const std::string& algorithm() const;
  std::size_t ranks() const;

  /// True from the end on.
  bool done() const;
  /// Returns the time from which the collective is measured.
  Tick start() const;
  /// Returns the time at which the last byte of the result is visible in the memory of the last rank, or of one rank.
  Tick end() const;
  Tick end_of(int rank) const;
  /// Returns end() - start(), the time that `tributary run` prints.
  Tick time() const { return end() - start(); }
  /// Returns the message divided by the time, in GB/s of 10^9 B.
  double algbw_GBps() const;
  /// Notified at the end.
  const sc_core::sc_event& finished() const;

  /// Returns the number of wrong elements over all ranks (docs/data.md); 0 if all sums are right.
  std::uint64_t wrong() const;
  /// Returns the result of a rank: the ranges of its buffer that the collective defines, one after another; empty if it
  /// defines none.
  std::vector<std::byte> result(int rank) const;
  template <class Element>
  std::vector<Element> result_as(int rank) const {
    const std::vector<std::byte> bytes = result(rank);
    check_element(sizeof(Element));
    std::vector<Element> elements(bytes.size() / sizeof(Element));
    if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(Element));
    return elements;
  }

  /// Returns nothing if the collective is done and right, or has no data and is done. Else returns the reason in one line:
  /// wrong elements, the report of an endpoint that has failed, or the first entry that waits.
  std::string error() const;

 private:
  void check_element(std::size_t bytes) const;

  std::shared_ptr<Posting> posting_;
};

}  // namespace tributary
