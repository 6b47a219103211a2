#pragma once
/// EngineBank: the copy engines of a GPU and its ends of the sockets to them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/target_module.h"
#include "modules/streams/copy_engine_module.h"
#include "modules/streams/core/stream_processor.h"

namespace tributary {

class EngineBank : public EngineArray {
 public:
  /// One engine for each of the sockets, which belong to the GPU and are bound here on its side.
  EngineBank(sc_core::sc_vector<CopyInitiator>& commands, sc_core::sc_vector<BurstTarget>& wires);
  ~EngineBank() override;
  /// Before the simulation starts: where bursts go, and what hears that a copy is done.
  void connect(CopyHub& hub, StreamProcessor& streams) { hub_ = &hub, streams_ = &streams; }
  /// Makes all engines in the module that is being constructed, `engine0` and so on, and binds them. Not called: the sockets
  /// are left for the user to bind.
  void make(const std::function<std::unique_ptr<CopyEngineModule>(const char* name)>& engine, TargetModule<>& memory);

  // EngineArray
  unsigned engines() const override { return static_cast<unsigned>(sides_.size()); }
  BurstSource& source(unsigned engine) override;
  bool submit(unsigned engine, CopyCommand& command, Tick now) override;

  // of the engines that it has made
  void add_waiting(std::vector<std::string>& lines) const;
  void reset();
  void describe(ProbeDirectory& directory);

 private:
  class Side;

  sc_core::sc_vector<CopyInitiator>& commands_;
  sc_core::sc_vector<BurstTarget>& wires_;
  CopyHub* hub_ = nullptr;
  StreamProcessor* streams_ = nullptr;
  std::vector<std::unique_ptr<Side>> sides_;
  std::vector<std::unique_ptr<CopyEngineModule>> engines_;
};

}  // namespace tributary
