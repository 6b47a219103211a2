#pragma once
/// RecordedHub: a CopyHub without links. It records all calls, and the test reports what leaves.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/streams/core/copy_hub.h"

namespace tributary {

/// The path to peer p occupies port p - 1, so that copies to different peers share no link.
struct RecordedHub : CopyHub {
  struct Told {
    std::uint16_t peer;
    std::uint32_t semaphore;
    Tick ready;
    bool operator==(const Told& o) const { return peer == o.peer && semaphore == o.semaphore && ready == o.ready; }
  };

  std::uint32_t ports_to(std::uint16_t peer, CopyPath) const override { return 1u << (peer - 1); }
  void open(CopyCommand& command, BurstSource& source) override {
    command.copy = static_cast<std::uint32_t>(sources.size());
    command.lanes = 1;
    sources.push_back(&source);
  }
  void push(const Burst&, Tick, Tick) override {}
  void close(std::uint32_t) override {}
  void tell(std::uint16_t peer, CopyPath, std::uint16_t, std::uint32_t semaphore, Tick ready) override {
    told.push_back({peer, semaphore, ready});
  }
  /// The last flit of a copy leaves at `now`.
  void leave(std::uint32_t copy, Tick now) { sources.at(copy)->left(copy, 0, now); }

  std::vector<BurstSource*> sources{};  ///< by number of the copy
  std::vector<Told> told{};
};

}  // namespace tributary
