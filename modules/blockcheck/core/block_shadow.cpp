#include "modules/blockcheck/core/block_shadow.h"

#include <algorithm>
#include <exception>

#include "modules/base/probe.h"
#include "modules/base/text_format.h"
#include "modules/blockcheck/core/record_line.h"

namespace tributary {

BlockShadow::BlockShadow(BlockPlace place, std::unique_ptr<BlockDriver> driver, const CompareRule& rule)
    : place_(std::move(place)), driver_(std::move(driver)), rule_(rule) {
  ProbeDirectory probes;
  driver_->describe(probes);
  pins_.attach(probes);
}

void BlockShadow::accessed(const BlockAccess& access) {
  if (broken_) return;
  if (!first_) {
    last_.emplace_back();
    append_line(access, last_.back());
    if (last_.size() > most_last) last_.pop_front();
  }
  ++compared_;
  got_.time = access.time;
  got_.answer.clear();
  try {
    driver_->access(access, got_);
  } catch (const std::exception& error) {
    broken_ = true;
    got_.interval = got_.latency = 0;
    wave_.add(access, got_, true);
    return differs(access, {{"error", "-", one_line(error.what())}});
  }
  std::vector<FieldDifference> fields = differences(access, got_, rule_, place_.clock);
  wave_.add(access, got_, !fields.empty());
  if (!fields.empty()) differs(access, std::move(fields));
}

void BlockShadow::differs(const BlockAccess& access, std::vector<FieldDifference> fields) {
  ++different_;
  if (first_) return;
  pins_.difference_found();
  first_ = First{access.time, access.ticket, fields_text(access.request), std::move(fields), ""};
  for (const std::string& line : last_) first_->last += line;
  last_.clear();
  if (on_first) on_first(*this);
}

void BlockShadow::reset() {
  driver_->reset();
  broken_ = false;
}

std::string BlockShadow::text(const std::string& by) const {
  const std::string counts = std::to_string(compared_) + (compared_ == 1 ? " transaction" : " transactions");
  if (!first_) return "# shadow: " + place_.name + " and " + by + " agree in " + counts + "\n";
  std::string text = "# shadow: " + place_.name + " differs from " + by + " (first of " + std::to_string(different_) +
                     " differences in " + counts + ")\n  time " + std::to_string(first_->time) + " ps  request " +
                     std::to_string(first_->ticket) + ": " + first_->request + "\n";
  std::size_t field = 5, expected = 5;
  for (const FieldDifference& d : first_->fields) {
    field = std::max(field, d.field.size());
    expected = std::max(expected, d.expected.size());
  }
  const auto row = [&](const std::string& name, const std::string& model, const std::string& block) {
    text += "  " + left(name, field) + "  " + left(model, expected) + "  " + block + "\n";
  };
  row("field", "model", "block");
  for (const FieldDifference& d : first_->fields) row(d.field, d.expected, d.got);
  return text;
}

}  // namespace tributary
