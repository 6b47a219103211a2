#pragma once
/// BlockShadow: compares a block with that of the model, which decides. It receives copies of the same requests at the same
/// times.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/blockcheck/core/comparison.h"
#include "modules/blockcheck/core/first_waveform.h"

namespace tributary {

class BlockShadow : public BlockObserver {
 public:
  /// A first difference, for reports.
  struct First {
    Tick time = 0;
    std::uint32_t ticket = 0;
    std::string request;  ///< fields without data
    std::vector<FieldDifference> fields;
    std::string last;  ///< the last requests as lines of a record, this one included
  };
  static constexpr std::size_t most_last = 8;

  BlockShadow(BlockPlace place, std::unique_ptr<BlockDriver> driver, const CompareRule& rule);

  void accessed(const BlockAccess& access) override;
  void reset() override;
  void describe(ProbeDirectory& directory) override { driver_->describe(directory); }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    driver_->check_elements(type, op, operands);
  }

  const BlockPlace& place() const { return place_; }
  std::uint64_t compared() const { return compared_; }
  std::uint64_t different() const { return different_; }
  const std::optional<First>& first() const { return first_; }
  /// Returns the first difference as a table and the counts; `by` is the name of the block. Lines begin with `# ` or a
  /// blank.
  std::string text(const std::string& by) const;
  /// Returns a waveform of the transactions around the first difference, and of the pins of a block in RTL.
  std::string waveform() const { return wave_.vcd(place_.name, &pins_, driver_->pin_shift()); }
  /// Called once, at the first difference.
  std::function<void(const BlockShadow&)> on_first;

 private:
  void ask(const BlockAccess& access);
  void ask_later(const BlockAccess& access);
  void compare(const BlockAccess& access, const BlockAccess& got);
  void fails(const BlockAccess& access, const std::string& why);
  void keep(const BlockAccess& access);
  std::string last_up_to(std::uint32_t ticket) const;
  void differs(const BlockAccess& access, std::vector<FieldDifference> fields);

  BlockPlace place_;
  std::unique_ptr<BlockDriver> driver_;
  CompareRule rule_;
  BlockAccess got_;
  std::deque<BlockAccess> last_;  // requests before the first difference
  std::size_t pending_ = 0;       // requests without an answer
  std::uint64_t compared_ = 0, different_ = 0;
  std::optional<First> first_;
  bool broken_ = false;  // the block has thrown: it receives nothing more until its reset
  FirstWaveform wave_;
  PinWaveform pins_;
};

}  // namespace tributary
