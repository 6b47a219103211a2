#pragma once
/// TofinoWorker, TofinoServer: hosts of SwitchML and ATP, as devices with one port (docs/blocks/tofino.md).

#include <functional>
#include <string>
#include <vector>

#include "modules/ethernet/ethernet_device.h"
#include "modules/tofino/core/tofino_server_core.h"
#include "modules/tofino/core/tofino_worker_core.h"

namespace tributary {

/// Rules and times: TofinoWorkerCore.
class TofinoWorker : public EthernetDevice, private TofinoWorkerListener {
 public:
  struct Config {
    TofinoWorkerConfig core;  ///< receive_latency > 0
    PortConfig port;
    Arena arena{};
  };
  TofinoWorker(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool);

  /// `end` is called when a job ends, with its time and the reason why it has failed, or an empty text.
  void on_end(std::function<void(Tick, const std::string&)> end) { end_ = std::move(end); }
  void set_memory(std::byte* memory) { core_.set_memory(memory); }
  /// Starts a job at `t0`, not before the kernel's time.
  void post(const TofinoJob& job, Tick t0);
  const TofinoWorkerCore& core() const { return core_; }

 private:
  void worker_done(Tick when) override { end_(when, ""); }
  void worker_failed(Tick when, const std::string& why) override { end_(when, why); }
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override { return core_.waiting(); }
  void reset_core() override { core_.reset(); }
  void describe_core(ProbeDirectory& directory) override { core_.describe(directory, std::string(name()) + "."); }

  std::function<void(Tick, const std::string&)> end_ = [](Tick, const std::string&) {};
  TofinoWorkerCore core_;
};

/// Rules and times: TofinoServerCore.
class TofinoServer : public EthernetDevice {
 public:
  struct Config {
    TofinoServerCore::Config core;  ///< receive_latency > 0
    PortConfig port;
    Arena arena{};
  };
  TofinoServer(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool)
      : EthernetDevice(name, config.core.receive_latency, {config.port}, pool, config.arena),
        core_(config.core, links(), pool) {}

  const TofinoServerCore& core() const { return core_; }

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override { return core_.waiting(); }
  void reset_core() override { core_.reset(); }
  void describe_core(ProbeDirectory& directory) override { core_.describe(directory, std::string(name()) + "."); }

  TofinoServerCore core_;
};

}  // namespace tributary
