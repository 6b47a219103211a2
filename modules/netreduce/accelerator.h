#pragma once
/// Accelerator: the FPGA of NetReduce at a switch (Liu et al., 4): a device with ports to the switch, and its parts.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/direct_caller.h"
#include "modules/ethernet/ethernet_device.h"
#include "modules/netreduce/accelerator_socket.h"
#include "modules/netreduce/core/accelerator_core.h"

namespace tributary {

/// Rules and times: AcceleratorCore. Parts of the model are called directly, parts of the user's over their sockets.
class Accelerator : public EthernetDevice, public DirectCaller, private AnswerHost {
 public:
  struct Config {
    AcceleratorParams params;
    AggregationParams rules;
    unsigned window = 2;  ///< N, of its rings
    std::vector<PortConfig> ports;
    FrameChecking checking = FrameChecking::flags;
    FrameFormat format{};  ///< for frames that are rendered as bytes
    std::optional<AcceleratorCore::Pausing> pausing{};
    bool shares = false;  ///< rings share slots in time
    Arena arena{};
  };
  /// Creates the module at a socket, with the given name, during elaboration. If it returns null, the user binds the socket.
  template <class Module>
  using Factory = std::function<std::unique_ptr<Module>(const char* name, const Config& accelerator)>;
  /// An empty factory creates the model's own part.
  struct Parts {
    Factory<TableModule<IcrcTransaction>> icrc = {};
    Factory<TableModule<ClTransaction>> connections = {};
    Factory<TableModule<SlotTransaction>> slots = {};
    Factory<TableModule<CtTransaction>> translations = {};
    Factory<TableModule<HeaderTransaction>> headers = {};
    Factory<TableModule<CombineTransaction>> combinator = {};
    Factory<TargetModule<>> payloads = {};
  };

  Accelerator(const sc_core::sc_module_name& name, const Config& config, const Parts& parts, PacketPool& pool);

  // Children: icrc, clt, state, ctt, headers, combinator, payloads, each bound to <name>_socket.
  PartSocket<IcrcTransaction> icrc{"icrc_socket"};
  PartSocket<ClTransaction> connections{"clt_socket"};
  PartSocket<SlotTransaction> slots{"state_socket"};
  PartSocket<CtTransaction> translations{"ctt_socket"};
  PartSocket<HeaderTransaction> headers{"headers_socket"};
  PartSocket<CombineTransaction> combinator{"combinator_socket"};
  PayloadSocket payloads{"payloads_socket"};

  bool calls_directly(const sc_core::sc_object& part) const override;
  AcceleratorCore& core() { return *core_; }
  const AcceleratorCore& core() const { return *core_; }
  /// Initialises jobs: calls AcceleratorCore::begin(). Parts that the user has bound receive the rings over their sockets,
  /// so call this only after the simulation has started.
  /// Throws UnfitBlock if the combinator cannot add the operands of a ring.
  void begin(std::vector<AggregationRing> rings, bool with_data);

 private:
  void make_parts(const Config& config, const Parts& parts);
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override;
  void reset_core() override;
  void describe_core(ProbeDirectory& directory) override;
  // AnswerHost, for parts that answer later
  bool in_kernel_time() const override { return lookahead() == 0; }
  void answer_arrived() override { wake(kernel_now()); }

  LateAnswers late_, late_lookups_, late_translations_, late_accesses_;
  std::unique_ptr<AcceleratorCore> core_;
};

}  // namespace tributary
