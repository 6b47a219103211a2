#pragma once
/// StimulusSource: requests for one block that is driven alone (docs/block_records.md#stimulus).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/random.h"
#include "modules/blockcheck/core/block_access.h"

namespace tributary {

class StimulusSource {
 public:
  virtual ~StimulusSource() = default;
  /// Sets the time and the request of the next transaction. `before`: the last one, with the model's answer; null before the
  /// first. Returns false at the end of a case.
  virtual bool next(const BlockAccess* before, BlockAccess& access) = 0;
};

struct StimulusInput {
  std::uint64_t seed = 1;
  Tick clock = 1000;
  FieldValues config;
  // Values that replace those of a case:
  std::optional<ElementType> type = {};
  std::optional<ReduceOp> op = {};
  std::optional<unsigned> operands = {};
};

/// A named sequence of requests, or the random mix, whose name is `random`.
struct StimulusCase {
  std::string name, about;
  std::function<std::unique_ptr<StimulusSource>(const StimulusInput& input)> make;
  bool given_data = false;  ///< the data of the case determine its type and its operation
  std::vector<std::pair<std::string, std::string>> config = {};  ///< values other than those of the block
};

struct StimulusBlock {
  std::string block;                                        ///< name of `list blocks`
  std::vector<std::pair<std::string, std::string>> config;  ///< values other than the defaults of the configuration
  std::vector<StimulusCase> cases;                          ///< the random mix first
  bool has_elements = false, has_operands = false;          ///< requests with a type and an operation, with several operands
};

StimulusBlock table_stimulus();
StimulusBlock arbiter_stimulus();
StimulusBlock combinator_stimulus();
StimulusBlock payload_stimulus();
StimulusBlock lookup_stimulus();
StimulusBlock translation_stimulus();
StimulusBlock row_stimulus();
StimulusBlock reduction_stimulus();
StimulusBlock copy_stimulus();
StimulusBlock slot_stimulus();
StimulusBlock header_stimulus();
StimulusBlock icrc_stimulus();
StimulusBlock access_stimulus();

/// Appends fields to a request.
class RequestFields {
 public:
  explicit RequestFields(FieldValues& values) : values_(values) { values_.clear(); }

  RequestFields& number(const std::string& key, std::uint64_t x) { return set(key, FieldValue::Kind::number, x); }
  RequestFields& flag(const std::string& key, bool x) { return set(key, FieldValue::Kind::flag, x ? 1 : 0); }
  RequestFields& time(const std::string& key, Tick x) { return set(key, FieldValue::Kind::time, x); }
  RequestFields& name(const std::string& key, const std::string& x) {
    values_.add(key, FieldValue::Kind::name).text = x;
    return *this;
  }
  RequestFields& data(const std::string& key, std::vector<std::byte> x) {
    values_.add(key, FieldValue::Kind::data).bytes = std::move(x);
    return *this;
  }

 private:
  RequestFields& set(const std::string& key, FieldValue::Kind kind, std::uint64_t x) {
    values_.add(key, kind).number = x;
    return *this;
  }
  FieldValues& values_;
};

/// Random numbers in sequence.
class StimulusRandom {
 public:
  explicit StimulusRandom(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return tributary::below(random_at(seed_, 0, index_++), bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::vector<std::byte> bytes(std::size_t size) {
    std::vector<std::byte> all(size);
    for (std::byte& b : all) b = static_cast<std::byte>(below(256));
    return all;
  }
  /// Returns whole numbers from -1000 to 1000 as elements; their sums are exact in f32.
  std::vector<std::byte> elements(ElementType type, std::size_t bytes);

 private:
  std::uint64_t seed_, index_ = 0;
};

/// A case that is a list of requests at fixed times.
class ListedStimulus : public StimulusSource {
 public:
  /// Writes request `index` and returns its time after the one before.
  using Write = std::function<Tick(std::size_t index, RequestFields& request)>;

  ListedStimulus(std::size_t count, Write write) : count_(count), write_(std::move(write)) {}
  bool next(const BlockAccess* before, BlockAccess& access) override {
    if (index_ == count_) return false;
    RequestFields request(access.request);
    access.time = (before == nullptr ? 0 : before->time) + write_(index_++, request);
    return true;
  }

 private:
  std::size_t count_, index_ = 0;
  Write write_;
};

inline constexpr std::size_t endless = ~std::size_t{0};

/// Returns a value of the configuration that is a number; `otherwise` without one.
std::uint64_t config_number(const FieldValues& config, const std::string& key, std::uint64_t otherwise);

}  // namespace tributary
