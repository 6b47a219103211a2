#pragma once
/// EngineBank: the copy engines of a GPU, and the GPU's side of the sockets to them.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/sysc/target_module.h"
#include "modules/streams/copy_engine_module.h"
#include "modules/streams/core/stream_processor.h"

namespace tributary {

class EngineBank : public EngineArray {
 public:
  /// There is one engine for each pair of sockets. The sockets belong to the GPU, and this class binds its side.
  EngineBank(sc_core::sc_vector<CopyInitiator>& commands, sc_core::sc_vector<BurstTarget>& wires);
  ~EngineBank() override;
  /// Sets the receiver of bursts and the listener to the ends of copies. Call it before the simulation starts.
  void connect(CopyHub& hub, StreamProcessor& streams) { hub_ = &hub, streams_ = &streams; }
  /// Makes the engines `engine0`, `engine1` ... in the module that is being constructed, and binds them. If it is not
  /// called, the user binds the sockets.
  void make(const std::function<std::unique_ptr<CopyEngineModule>(const char* name, unsigned number)>& engine,
            TargetModule<>& memory);

  // EngineArray
  unsigned engines() const override { return static_cast<unsigned>(sides_.size()); }
  BurstSource& source(unsigned engine) override;
  bool submit(unsigned engine, CopyCommand& command, Tick now) override;

  /// `wake` is called after each call of an engine in kernel time, from its own process. Call it before make().
  void wake_by(std::function<void()> wake) { wake_ = std::move(wake); }
  /// Lets the memory of the engines answer their requests later; call it before make(). `host`: null if all answers follow
  /// in LateAnswers::advance().
  void offer_late_answers(const std::string& memory, AnswerHost* host);
  LateAnswers& late_answers() { return *late_; }

  // For the engines that make() has made.
  void add_waiting(std::vector<std::string>& lines) const;
  void reset();
  void describe(ProbeDirectory& directory);

 private:
  class Side;

  sc_core::sc_vector<CopyInitiator>& commands_;
  sc_core::sc_vector<BurstTarget>& wires_;
  CopyHub* hub_ = nullptr;
  StreamProcessor* streams_ = nullptr;
  std::function<void()> wake_;
  std::unique_ptr<LateAnswers> late_;
  std::vector<std::unique_ptr<Side>> sides_;
  std::vector<std::unique_ptr<CopyEngineModule>> engines_;
};

}  // namespace tributary
