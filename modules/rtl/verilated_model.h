#pragma once
/// VerilatedModel: a model that `verilator --cc` has made, as an RtlModel. Include this header before <systemc>.

#if __has_include(<verilated.h>)

#include <verilated.h>
#ifdef TRIBUTARY_RTL_SAVABLE
#include <verilated_save.h>
#endif
#ifdef TRIBUTARY_RTL_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>
#endif
#ifdef TRIBUTARY_RTL_TRACE
#include <verilated_vcd_c.h>
#endif

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/rtl/core/rtl_model.h"

namespace tributary {

#ifdef TRIBUTARY_RTL_SAVABLE
/// Streams of Verilator in memory. A stream has a buffer of 256 KiB, so it is used for all states of a model.
class StateOutput final : public VerilatedSerialize {
 public:
  template <class Verilated>
  void write(Verilated& model, std::vector<std::uint8_t>& bytes) {
    bytes.clear();
    bytes_ = &bytes;
    *this << model;
    flush();
  }

 private:
  void flush() override {
    bytes_->insert(bytes_->end(), m_bufp, m_cp);
    m_cp = m_bufp;
  }

  std::vector<std::uint8_t>* bytes_ = nullptr;
};

class StateInput final : public VerilatedDeserialize {
 public:
  template <class Verilated>
  void read(Verilated& model, const std::vector<std::uint8_t>& bytes) {
    bytes_ = &bytes;
    next_ = 0;
    m_cp = m_endp = m_bufp;
    *this >> model;
  }

 private:
  /// Verilator calls this for each variable while less than 16 KiB are in its buffer.
  void fill() override {
    if (next_ == bytes_->size()) return;
    const auto rest = static_cast<std::size_t>(m_endp - m_cp);
    std::memmove(m_bufp, m_cp, rest);
    const std::size_t more = std::min(bufferSize() - rest, bytes_->size() - next_);
    std::memcpy(m_bufp + rest, bytes_->data() + next_, more);
    next_ += more;
    m_cp = m_bufp;
    m_endp = m_bufp + rest + more;
  }

  const std::vector<std::uint8_t>* bytes_ = nullptr;
  std::size_t next_ = 0;
};
#endif

#ifdef TRIBUTARY_RTL_COVERAGE
/// Returns a new name for the coverage of an instance: `coverage/TARGET-PROCESS-NUMBER.dat` in the working folder.
inline std::string coverage_file() {
  std::filesystem::create_directories("coverage");
  const std::string name = "coverage/" TRIBUTARY_RTL_COVERAGE "-" + std::to_string(::getpid()) + "-";
  unsigned number = 0;
  while (std::filesystem::exists(name + std::to_string(number) + ".dat")) ++number;
  return name + std::to_string(number) + ".dat";
}
#endif

/// Has a context of its own, so that instances do not share time or random values. With TRIBUTARY_RTL_SAVABLE the model must
/// be made with `verilator --savable`.
template <class Verilated>
class VerilatedModel : public RtlModel {
 public:
  /// `bind(pins, model)` adds the pins of the model: pins("clk", model.clk) and so on. Registers begin with random values of
  /// `seed`, or with zeros if it is 0.
  explicit VerilatedModel(void (*bind)(PinSet&, Verilated&), std::uint64_t seed = 0) : model_(with_seed(context_, seed)) {
    bind(pins, model_);
  }
  ~VerilatedModel() override {
    model_.final();
#ifdef TRIBUTARY_RTL_TRACE
    if (trace_.isOpen()) trace_.close();
#endif
#ifdef TRIBUTARY_RTL_COVERAGE
    context_.coveragep()->write(coverage_file().c_str());
#endif
  }

  void eval() override { model_.eval(); }
#ifdef TRIBUTARY_RTL_SAVABLE
  bool save(std::vector<std::uint8_t>& state) const override {
    output_.write(model_, state);
    return true;
  }
  void restore(const std::vector<std::uint8_t>& state) override { input_.read(model_, state); }
#endif

#ifdef TRIBUTARY_RTL_TRACE
  bool can_trace() const override { return true; }
  void open_trace(const std::string& file) override {
    model_.trace(&trace_, 99);
    trace_.open(file.c_str());
    if (!trace_.isOpen()) throw std::invalid_argument("cannot write '" + file + "'");
  }
  bool traces() const override { return trace_.isOpen(); }
  void trace(std::uint64_t time) override {
    if (time < next_) return;
    trace_.dump(time);
    next_ = time + 1;
  }
#endif

 private:
  static VerilatedContext* with_seed(VerilatedContext& context, std::uint64_t seed) {
#ifdef TRIBUTARY_RTL_TRACE
    context.traceEverOn(true);
#endif
    if (seed == 0) return &context;
    context.randReset(2);
    context.randSeed(static_cast<int>(seed));
    return &context;
  }

  VerilatedContext context_;
  mutable Verilated model_;
#ifdef TRIBUTARY_RTL_SAVABLE
  mutable StateOutput output_;
  StateInput input_;
#endif
#ifdef TRIBUTARY_RTL_TRACE
  VerilatedVcdC trace_;
  std::uint64_t next_ = 0;  // earliest time of the next values
#endif
};

}  // namespace tributary

#endif
