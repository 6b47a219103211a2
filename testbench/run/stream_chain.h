#pragma once
/// StreamChain: the chain of commands that determines the end of a run of streams (docs/bottleneck.md#paths).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "modules/streams/core/stream_event.h"
#include "modules/streams/stream_params.h"
#include "testbench/run/bottleneck_rules.h"

namespace tributary {

/// Returns the parameter of the links that bound copies from a GPU to a peer.
using LinkParameters = std::function<std::string(unsigned from, unsigned to, CopyPath path)>;

/// Records when each command of each GPU began and ended, and follows the run from its last command back: each command began
/// when the one before it in its queue had ended, when a semaphore had its value, or when an engine and links were free.
class StreamChain final : public BottleneckObserver {
 public:
  struct Config {
    std::string family;  ///< first part of the paths of parameters
    Time launch_of_copy, launch_of_kernel, acquire, issue;
    bool one_way_out = false;          ///< copies to all peers use the same links of their GPU
    std::string engine_bound = {};     ///< parameter that limits the rate of a copy engine most; empty: none does
    double engine_byte = 0;            ///< least time of a byte in a copy engine, ps
    Time fetch = {}, completion = {};  ///< times of a copy
    Time doorbell = {};                ///< for `batch` commands
    std::uint32_t batch = 1;
    const char* engines = ".copy.engines";  ///< parameter by which more copies run simultaneously
  };
  explicit StreamChain(Config config) : config_(std::move(config)) {}

  void attach(const ProbeDirectory& probes) override;
  void reset() override;
  void on_command(unsigned gpu, Tick time, const StreamCommandEvent& event);

  /// Returns the time that each parameter adds to the chain; empty without commands, or with too many of them. A wait for a
  /// queue or an engine has the times of the commands that held it as `shared`.
  std::vector<PathPart> parts(const LinkParameters& links) const;

 private:
  static constexpr std::size_t most_commands = 1'000'000;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Command {
    StreamCommand::Kind kind;
    CopyPath path;
    std::uint16_t stream, peer;
    std::uint32_t semaphore, value;
    std::uint64_t bytes;
    std::uint32_t in_queue, in_stream;  ///< the command before it in its queue, and in its stream; none: the first one
    Tick begun, granted, ended;
    Tick starved = 0;
  };
  struct Gpu {
    std::vector<Command> commands;
    std::map<unsigned, std::uint32_t> of_queue, of_stream;  ///< latest command
  };
  struct Tap {
    StreamChain* chain;
    unsigned gpu;
  };
  struct Place {
    unsigned gpu = 0;
    std::uint32_t command = none;
  };
  class Walk;
  /// Returns true if the engine of a copy bounds its transfer, which lasts `time`, and not its links.
  bool bound_by_engine(const Command& copy, Tick time) const;
  /// Returns true if both copies, of one GPU, need the same links.
  bool share_links(const Command& a, const Command& b) const;

  Config config_;
  std::map<unsigned, Gpu> gpus_;
  std::size_t count_ = 0;
  std::deque<Tap> taps_;  // stable addresses
  std::mutex mutex_;
};

}  // namespace tributary
