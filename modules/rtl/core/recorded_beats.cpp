#include "modules/rtl/core/recorded_beats.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

void RecordedBeats::accessed(const BlockAccess& access, Lines& lines) {
  lines_ = &lines;
  if (!layouts_.empty()) return convert(access);
  waiting_.push_back(access);
  start(false, lines);
}

void RecordedBeats::finish(Lines& lines) {
  if (layouts_.empty()) start(true, lines);
}

void RecordedBeats::start(bool all, Lines& lines) {
  lines_ = &lines;
  if (!determine(waiting_, all, parameters_) && !all) return;
  for (const PinParameter& p : table_.parameters) parameters_.insert({p.name, p.value});
  for (const PinChannel& channel : table_.channels) {
    layouts_.emplace_back(table_, channel, parameters_);
    if (bits_of(layouts_.back()) > most_bits)
      throw std::invalid_argument("a beat of " + std::to_string(bits_of(layouts_.back())) + " bits (legal: at most " +
                                  std::to_string(most_bits) + ")");
  }
  if (!waiting_.empty()) clock_ = ClockDomain(period_, waiting_.front().time);
  for (const BlockAccess& access : std::exchange(waiting_, {})) convert(access);
}

std::vector<BlockBeats::Channel> RecordedBeats::channels() const {
  std::vector<Channel> all;
  for (const BeatLayout& layout : layouts_) {
    Channel one{layout.name(), layout.to_block(), {}};
    if (layout.has_last()) one.columns.push_back({"last", 1});
    for (const BeatLayout::Field& field : layout.fields()) one.columns.push_back({field.name, field.bits});
    all.push_back(std::move(one));
  }
  return all;
}

std::uint64_t& RecordedBeats::free_at(unsigned unit, unsigned channel) {
  while (unit >= free_at_.size()) free_at_.emplace_back(layouts_.size(), 0);
  return free_at_[unit][channel];
}

std::uint64_t RecordedBeats::send(unsigned unit, unsigned channel, std::uint64_t edge, std::vector<RtlBeat> beats,
                                  std::uint64_t gap) {
  std::uint64_t& next = free_at(unit, channel);
  const std::uint64_t start = std::max(edge, next);
  next = start;
  for (RtlBeat& beat : beats) {
    beat.edge = next++;
    line_.clear();
    append_beat(layouts_[channel], beat, line_);
    lines_->add(unit, channel, line_);
  }
  next += gap - 1;
  return start;
}

void RecordedBeats::expect(unsigned unit, unsigned channel, std::uint64_t edge, std::vector<ExpectedBeat> beats) {
  std::uint64_t& next = free_at(unit, channel);
  next = std::max(edge, next);
  for (ExpectedBeat& expected : beats) {
    expected.beat.edge = next++;
    line_.clear();
    append_beat(layouts_[channel], expected, line_);
    lines_->add(unit, channel, line_);
  }
}

std::string config_text(const BlockPlace& place, const char* key) {
  const FieldValue* const value = place.config.find(key);
  return value == nullptr ? "" : value->text;
}

const std::byte* data_of(const FieldValues& values, const char* key) {
  const FieldValue* const value = values.find(key);
  return value == nullptr || value->bytes.empty() ? nullptr : value->bytes.data();
}

}  // namespace tributary
