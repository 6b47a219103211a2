#include "modules/base/block_monitor.h"

#include <algorithm>

#include "modules/base/wrong_block.h"

namespace tributary {

std::string to_text(const BlockBreach& b) {
  return b.place + " breaks the rule `" + b.rule + "` at " + std::to_string(b.time) + " ps: " + b.what +
         (b.request.empty() ? "" : " (request " + b.request + ")");
}

void BlockMonitor::report(const BlockBreach& breach) const {
  if (!report_) throw WrongBlock(to_text(breach));
  report_(breach);
}

void BlockMonitor::fail(const std::string& rule, const std::string& what) const {
  report({setup_.place, rule, now_, what, numbered_request()});
}

void BlockMonitor::fail_device(const std::string& rule, const std::string& what) const {
  const std::string device = setup_.place.substr(0, setup_.place.rfind('.'));
  report({device, rule, now_, what, numbered_request()});
}

void BlockMonitor::fail_at(const std::string& rule, Tick time, const std::string& what) const {
  report({setup_.place, rule, time, what, ""});
}

void BlockMonitor::too_long(const char* what, Tick time) const {
  fail("latency", std::string(what) + " of " + std::to_string(time) + " ps; legal: at most " + std::to_string(setup_.most) +
                      " ps (--check-latency)");
}

void BlockMonitor::answered(Ticket ticket, Tick when) {
  const auto at = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.ticket == ticket; });
  if (at == pending_.end()) return;
  const Pending p = *at;
  pending_.erase(at);
  if (setup_.most != never && when > p.since + setup_.most)
    report({setup_.place, "latency", when,
            "an answer " + std::to_string(when - p.since) + " ps after its request; legal: at most " +
                std::to_string(setup_.most) + " ps (--check-latency)",
            p.request});
}

void BlockMonitor::check_patience() const {
  const Pending& p = pending_.front();
  if (setup_.most == never || now_ <= p.since + setup_.most) return;
  report({setup_.place, "patience", now_,
          "no answer " + std::to_string(now_ - p.since) + " ps after the request; legal: at most " +
              std::to_string(setup_.most) + " ps (--check-latency)",
          p.request});
}

void BlockMonitor::finish(Tick now, bool complete) {
  if (!pending_.empty())
    report({setup_.place, "patience", now,
            "no answer when the run ends, to a request of " + std::to_string(pending_.front().since) + " ps",
            pending_.front().request});
  end(now, complete);
}

std::uint64_t BlockMonitor::config_number(std::string_view key, std::uint64_t otherwise) const {
  const FieldValue* const value = setup_.config.find(key);
  return value == nullptr || value->kind == FieldValue::Kind::name ? otherwise : value->number;
}

}  // namespace tributary
