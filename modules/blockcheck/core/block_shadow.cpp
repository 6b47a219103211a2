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
  if (!first_) keep(access);
  try {
    driver_->answers_later() ? ask_later(access) : ask(access);
  } catch (const std::exception& error) {
    fails(access, error.what());
  }
}

/// The oldest request gives its memory to the new one.
void BlockShadow::keep(const BlockAccess& access) {
  BlockAccess kept;
  if (last_.size() >= most_last + pending_ && !last_.empty()) {
    kept = std::move(last_.front());
    last_.pop_front();
  }
  kept = access;
  last_.push_back(std::move(kept));
}

void BlockShadow::ask(const BlockAccess& access) {
  got_.time = access.time;
  got_.answer.clear();
  driver_->access(access, got_);
  compare(access, got_);
}

/// The answer of the model waits for that of the block.
void BlockShadow::ask_later(const BlockAccess& access) {
  ++pending_;
  driver_->access_later(access, [this, asked = access](const BlockAccess* got, const std::string& why) {
    if (broken_) return;
    --pending_;
    got == nullptr ? fails(asked, why) : compare(asked, *got);
  });
}

void BlockShadow::fails(const BlockAccess& access, const std::string& why) {
  broken_ = true;
  ++compared_;
  BlockAccess nothing;
  nothing.time = access.time;
  wave_.add(access, nothing, true);
  differs(access, {{"error", "-", one_line(why)}});
}

void BlockShadow::compare(const BlockAccess& access, const BlockAccess& got) {
  ++compared_;
  std::vector<FieldDifference> fields = differences(access, got, rule_, place_.clock);
  wave_.add(access, got, !fields.empty());
  if (!fields.empty()) differs(access, std::move(fields));
}

std::string BlockShadow::last_up_to(std::uint32_t ticket) const {
  const auto later = [&](const BlockAccess& access) { return access.ticket > ticket; };
  const auto end = std::find_if(last_.begin(), last_.end(), later);
  const auto count = std::min<std::ptrdiff_t>(end - last_.begin(), most_last);
  std::string text;
  for (auto access = end - count; access != end; ++access) append_line(*access, text);
  return text;
}

void BlockShadow::differs(const BlockAccess& access, std::vector<FieldDifference> fields) {
  ++different_;
  if (first_) return;
  pins_.difference_found();
  first_ = First{access.time, access.ticket, fields_text(access.request), std::move(fields), last_up_to(access.ticket)};
  last_.clear();
  if (on_first) on_first(*this);
}

void BlockShadow::reset() {
  driver_->reset();
  broken_ = false;
  pending_ = 0;
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
