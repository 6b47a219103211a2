#pragma once
/// NvSwitch: an NVSwitch of up to 128 ports, each with a reduction table (Klenk et al., ISCA 2020).

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/link/nvlink_port.h"
#include "modules/nvswitch/core/nv_forwarding.h"
#include "modules/nvswitch/core/switch_core.h"
#include "modules/nvswitch/nvswitch_params.h"
#include "modules/nvswitch/nvswitch_port.h"
#include "modules/timing/core_device.h"

namespace tributary {

/// Buffer sizes, in flits, derived from the parameters of switch and link (docs/systems/klenk.md#buffers).
unsigned input_buffer_flits(const NvSwitchParams& p, const LinkParams& link);
unsigned output_queue_flits(const NvSwitchParams& p, const LinkParams& link);

/// SwitchCore defines the timing, NvForwarding the rules; the state is in the reduction tables, one at each port's
/// `table_socket`.
class NvSwitch : public CoreDevice<SwitchCore, NvLink>, private AnswerHost {
 public:
  struct Config {
    NvSwitchParams params;  ///< reduction_table.bytes must be set
    LinkParams link;
    unsigned ports = 0;
    std::vector<unsigned> far_buffer_flits;  ///< by port: buffer per VC at the far end
    NvForwarding::Config forwarding;
    Arena arena;  ///< shared by the platform
    ReductionTableFactory make_table = make_reduction_table;
    NvSwitchPortFactory make_port = make_nvswitch_port;
    CrossbarArbiterFactory make_arbiter = {};  ///< empty: round robin
    SwitchRouterFactory make_router = {};      ///< empty: the trunk that the address selects
  };
  using Ports = std::vector<std::unique_ptr<NvSwitchPort>>;
  NvSwitch(const sc_core::sc_module_name& name, const Config& config, RouteTable routes);

  NvSwitchPort& port(unsigned i) { return *ports_[i]; }
  /// Throws UnfitBlock if a table cannot add these elements.
  void check_tables(ElementType type, ReduceOp op, unsigned operands) const;
  /// Multicast regions, set by the fabric manager.
  void add_region(const MulticastRegion& region) { regions_.add(region, routes_); }
  void clear_regions() { regions_.clear(); }
  const MulticastTable& regions() const { return regions_; }

  /// Returns the latest timeout among the oldest push entries of the tables; 0 without entries.
  Tick last_timeout() const;
  /// Adds the counters of the switch since the last reset.
  void count(std::map<std::string, double>& counters) const;
  void run_in_thread() override;
  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  void show_in_flight(unsigned port, Tick first, const LinkArrival* packets, unsigned count) override {
    core_->show_in_flight(port, first, packets, count);
  }
  Tick run_core(Inbox& inbox, Tick horizon) override;
  void add_waiting(std::vector<std::string>& lines) const override;
  Ports make_ports(const Config& config);
  // AnswerHost, for tables that answer later
  bool in_kernel_time() const override { return lookahead() == 0; }
  void answer_arrived() override { Device::wake(kernel_now()); }

  RouteTable routes_;
  MulticastTable regions_;
  std::unique_ptr<CrossbarArbiter> arbiter_;  // of a user, or null
  RouterSeat router_;
  Ports ports_;
  NvForwarding forwarding_;
};

}  // namespace tributary
