#pragma once
/// Family: a kind of hardware with its platforms, methods and parameters. All that the rest of the testbench knows of it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "modules/timing/completion_listener.h"
#include "testbench/observe/signal_counter.h"
#include "testbench/record/record_choice.h"
#include "testbench/run/driver.h"
#include "testbench/run/run_spec.h"

namespace tributary::topology {
struct Network;
}
namespace tributary::collective {
struct NetworkSchedule;
}

namespace tributary {

/// A row of `list platforms`.
struct PlatformForm {
  std::string name;       ///< `dgx2`, `torus:AxB`
  std::string endpoints;  ///< how many take part: `16`, `A x B`
  std::string about;
};

/// A platform as a user has named it.
struct PlatformName {
  std::string name;  ///< with its arguments
  std::string about;
  int endpoints = 0;     ///< of the platform
  int participants = 0;  ///< endpoints that take part unless the user says otherwise
};

/// How reports and messages call the endpoints.
struct EndpointWords {
  const char* device;     ///< as in `gpu3`
  const char* singular;   ///< `GPU`
  const char* plural;     ///< `GPUs`
  const char* platforms;  ///< that have them: `networks of NICs`
};

/// One algorithm of a collective; how it is checked, lowered and bound is the family's own (its methods.h).
struct Method {
  std::string collective, name, about;
};

/// What can be asked of a family's platforms.
struct Capabilities {
  bool faults = false;      ///< scripted faults of links
  bool background = false;  ///< random traffic beside the jobs
  bool incast = false;      ///< the same, all of it to one endpoint
  bool cost = false;        ///< Family::cost
  bool chunks = false;      ///< packets name a chunk rather than the address of a block (--trace-block)
  bool frames = false;      ///< links carry Ethernet frames: faults of frames (FaultRule)
  bool captures = false;    ///< these can be made bytes (--pcap)
  bool steps = false;       ///< endpoints carry out steps: JobSpec::step
  bool schedules = false;   ///< endpoints carry out schedules of files (msccl:FILE)
  bool lives = false;       ///< a block, chunk or slot can be followed (--trace-block): Driver::follow
};

/// What a run observes, by globs of probe names.
struct ObservedProbes {
  std::vector<std::string> arrivals;                ///< packets at their destination: latency, progress
  std::vector<std::string> background;              ///< the same of background traffic
  std::vector<SignalCounters::Selection> counters;  ///< signals, and the counter that their changes add to
  std::vector<std::string> progress;                ///< counters that count as progress, as arrivals do
};

/// What the hardware costs, for a result and for the screen.
struct CostReport {
  using Value = std::variant<std::uint64_t, double>;
  std::vector<std::pair<std::string, Value>> values;
  std::string text;  ///< lines, each begun with `# `
};

/// A proved schedule: what `tributary schedule` prints, and the document that it writes.
struct ScheduleText {
  std::string screen, json;
};

class Family {
 public:
  virtual ~Family() = default;

  /// First part of its parameters' paths: `nvswitch`.
  virtual std::string name() const = 0;
  virtual EndpointWords endpoint() const = 0;
  /// The same of a platform whose endpoints are something else.
  virtual EndpointWords endpoint_of(const std::string& /*platform*/) const { return endpoint(); }
  /// What packets have as source that this endpoint sends.
  virtual int source_of(const std::string& /*platform*/, int endpoint) const { return endpoint; }
  virtual Capabilities capabilities() const { return {}; }

  virtual std::vector<PlatformForm> platforms() const = 0;
  /// Of a kind of name that several families have (`file:FILE`): whether this platform is one of this family's. Throws
  /// std::invalid_argument, one line, as the reader of a file does.
  virtual bool takes(const std::string& /*name*/) const { return true; }
  /// Throws std::invalid_argument, one line: arguments that the platform does not take.
  virtual PlatformName platform(const std::string& name) const = 0;
  /// Of the platform `name`: what its file has and no model of ours, and what is assumed where it is silent; a line each.
  virtual std::vector<std::string> notes(const std::string& /*name*/) const { return {}; }
  /// Of the platform `name`. Throws as platform() does.
  virtual topology::Graph graph(const std::string& name) const = 0;
  /// By collective; the first of each is its default, where a platform has none of its own.
  virtual std::vector<Method> methods() const = 0;
  /// Algorithm of a collective on a platform that cannot run the first as it is; empty: it can.
  virtual std::string default_algorithm(const std::string& /*platform*/, const std::string& /*collective*/) const {
    return "";
  }

  /// Defaults. Their paths begin with name() and a dot.
  virtual std::unique_ptr<FamilyParameters> parameters() const = 0;
  /// What their paths began with before families had names; none of a new family.
  virtual std::optional<std::string> old_parameter_prefix() const { return std::nullopt; }
  /// How many take part in a job of a platform unless the user says otherwise: fewer where its method needs the others.
  virtual int participants(const RunSpec& spec, const JobSpec& job) const;
  /// The endpoints that `--gpus count` means on spec.platform: the first ones. Throws std::invalid_argument.
  virtual std::vector<int> place(const RunSpec& spec, int count) const;
  /// Throws std::invalid_argument when both the parameters and a list of ranks place the ranks.
  virtual void check_rank_list(const RunSpec&) const {}
  /// Throws SetupError, ScheduleError or std::invalid_argument when the machine cannot carry a job by its method, as far as
  /// resolve() leaves that to the lowering of a message.
  virtual void check_carried(const RunSpec&, const RunParameters& /*resolved*/) const {}
  /// Settles the automatic values of its parameters in `params`, those of `spec`. Throws SetupError on combinations that no
  /// simulation can run.
  virtual void resolve(const RunSpec& spec, RunParameters& params) const = 0;

  /// Elaborates spec.platform; `params` without automatic values. Throws one line on what cannot be built.
  virtual std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                                       CompletionListener& listener) const = 0;
  virtual ObservedProbes observed() const = 0;
  /// What reports show over time beside links.
  virtual RecordChoice recorded() const { return {}; }
  /// Those that RunSpec::blocks may replace.
  virtual std::vector<BlockInfo> blocks() const { return {}; }
  /// Empty when nothing is known of it.
  virtual std::optional<CostReport> cost(const RunSpec&, const RunParameters&) const { return std::nullopt; }
  /// Empty when its platforms are no networks.
  virtual std::optional<ScheduleText> schedule_text(const topology::Network&, const std::string& /*collective*/,
                                                    const collective::NetworkSchedule&) const {
    return std::nullopt;
  }
};

/// All families of this executable. An executable with families of its own defines this function itself, and may add to
/// product_families(); then the library's own definition is not linked.
const std::vector<const Family*>& families();
const std::vector<const Family*>& product_families();

/// Platforms without their arguments, each once: `dgx2`, `torus`.
std::vector<std::string> platform_kinds(const Family& family);
/// Whether the family's platforms have the parameter: its own, and the run's.
bool has_parameter(const Family& family, const std::string& path);
/// The family of NAME[:ARGUMENTS]. Throws SetupError, one line with the nearest names.
const Family& family_of(const std::string& platform);
/// Names of the platforms whose families can do that: for messages.
std::vector<std::string> platform_kinds_with(bool Capabilities::*capability);

}  // namespace tributary
