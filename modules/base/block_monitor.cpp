#include "modules/base/block_monitor.h"

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
  report({setup_.place, rule, now_, what, std::to_string(requests_ - 1) + ": " + request()});
}

void BlockMonitor::fail_device(const std::string& rule, const std::string& what) const {
  const std::string device = setup_.place.substr(0, setup_.place.rfind('.'));
  report({device, rule, now_, what, std::to_string(requests_ - 1) + ": " + request()});
}

void BlockMonitor::fail_at(const std::string& rule, Tick time, const std::string& what) const {
  report({setup_.place, rule, time, what, ""});
}

void BlockMonitor::too_long(const char* what, Tick time) const {
  fail("latency", std::string(what) + " of " + std::to_string(time) + " ps; legal: at most " + std::to_string(setup_.most) +
                      " ps (--check-latency)");
}

std::uint64_t BlockMonitor::config_number(std::string_view key, std::uint64_t otherwise) const {
  const FieldValue* const value = setup_.config.find(key);
  return value == nullptr || value->kind == FieldValue::Kind::name ? otherwise : value->number;
}

}  // namespace tributary
