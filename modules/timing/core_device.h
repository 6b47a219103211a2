#pragma once
/// CoreDevice: shell of a device with one core; passes arrivals on its links to the core unchanged.

#include <memory>
#include <string>
#include <vector>

#include "modules/timing/windowed_device.h"

namespace tributary {

/// The device sets `core_` in its constructor (a `Pointer`: the core may belong to a module in the device) and implements
/// run_core() for a window.
template <class Core, class Protocol, class Pointer = std::unique_ptr<Core>>
class CoreDevice : public BasicWindowedDevice<Protocol> {
 public:
  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines = core_->waiting();
    if (const std::string inbox = this->waiting_in_inbox(); !inbox.empty()) lines.push_back(inbox);
    add_waiting(lines);
    for (std::string& line : lines) line = std::string(this->name()) + "." + line;
    this->side_ports().add_waiting(lines);
    return lines;
  }
  void reset() override {
    core_->reset();
    this->reset_links();
  }
  void describe(ProbeDirectory& directory) override {
    core_->describe(directory, this->name());
    this->describe_ports(directory);
  }

 protected:
  using BasicWindowedDevice<Protocol>::BasicWindowedDevice;
  /// Adds lines for parts of the device outside the core.
  virtual void add_waiting(std::vector<std::string>&) const {}

  Pointer core_{};

 private:
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) final {
    core_->credit(port, first, credits, count);
  }
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) final { return core_->safe_horizon(now, packets, credits); }
  Tick sent_until() const final { return core_->sent_until(); }
};

}  // namespace tributary
