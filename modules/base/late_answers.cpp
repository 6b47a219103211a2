#include "modules/base/late_answers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

void LateAnswers::defer(ClockedPart& part, Tick start, AnswerListener& listener, bool data_follow, bool interval_follows) {
  const bool first = part_ == nullptr;
  part_ = &part;
  requests_.push_back({ticket_, start, &listener, data_follow});
  if (interval_follows) accepting_.push_back(requests_.back());
  if (first && host_ != nullptr) host_->deferred();
}

void LateAnswers::advance() {
  const Tick to = part_->next();
  edge_ = to;
  part_->advance(to, *this);
  edge_ = never;
  if (part_->next() <= to) refuse("progress", "its next edge after " + std::to_string(to) + " ps is not later");
}

void LateAnswers::answered(Ticket ticket, Tick when) {
  const auto at = std::find_if(requests_.begin(), requests_.end(), [&](const Request& r) { return r.ticket == ticket; });
  if (at == requests_.end()) refuse("ticket", "request " + std::to_string(ticket) + " does not wait for an answer");
  const Request request = *at;
  const auto earlier = std::find_if(requests_.begin(), at, [&](const Request& r) { return r.listener == request.listener; });
  if (earlier != at && !part_->out_of_order())
    refuse("order", "it answers request " + std::to_string(ticket) + " before " + std::to_string(earlier->ticket) +
                        ", and is not out of order");
  require_time(request, when, "answers");
  require_window();
  requests_.erase(at);
  if (request.data_follow) answered_.push_back(request);
  request.listener->answered(ticket, when);
  if (edge_ == never) host_->answer_arrived();
}

void LateAnswers::require_time(const Request& request, Tick when, const char* what) const {
  const Tick least = edge_ == never ? request.start : std::max(request.start, edge_);
  if (when < least)
    refuse("time", std::string("it ") + what + " request " + std::to_string(request.ticket) + " at " + std::to_string(when) +
                       " ps, before " + std::to_string(least) + " ps");
}

void LateAnswers::require_window() const {
  if (edge_ == never && !in_kernel_time())
    refuse("window", "it answers in the kernel's time, and its device runs ahead of it");
}

void LateAnswers::accepted(Ticket ticket, Tick when) {
  const auto at = std::find_if(accepting_.begin(), accepting_.end(), [&](const Request& r) { return r.ticket == ticket; });
  if (at == accepting_.end()) refuse("ticket", "the interval of request " + std::to_string(ticket) + " does not follow");
  require_time(*at, when, "ends the interval of");
  require_window();
  AnswerListener& listener = *at->listener;
  accepting_.erase(at);
  listener.accepted(ticket, when);
  if (edge_ == never) host_->answer_arrived();
}

void LateAnswers::completed(Ticket ticket) {
  const auto at = std::find_if(answered_.begin(), answered_.end(), [&](const Request& r) { return r.ticket == ticket; });
  if (at == answered_.end()) refuse("ticket", "no data of request " + std::to_string(ticket) + " follow");
  AnswerListener& listener = *at->listener;
  answered_.erase(at);
  listener.completed(ticket);
}

void LateAnswers::reset() {
  requests_.clear();
  answered_.clear();
  accepting_.clear();
  edge_ = never;
}

void LateAnswers::refuse(const char* rule, const std::string& what) const {
  throw std::logic_error(name_ + " breaks the rule `" + rule + "`: " + what);
}

}  // namespace tributary
