#include "modules/base/sysc/base_protocol_rules.h"

namespace tributary {
namespace {

constexpr const char* phases[] = {"UNINITIALIZED_PHASE", "BEGIN_REQ", "END_REQ", "BEGIN_RESP", "END_RESP"};

std::string text_of(tlm::tlm_phase phase) {
  const unsigned number = phase;
  return number < std::size(phases) ? phases[number] : "phase " + std::to_string(number);
}

std::string text_of(tlm::tlm_sync_enum answer) {
  return answer == tlm::TLM_ACCEPTED ? "TLM_ACCEPTED" : answer == tlm::TLM_UPDATED ? "TLM_UPDATED" : "TLM_COMPLETED";
}

tlm::tlm_phase_enum value_of(const tlm::tlm_phase& phase) { return static_cast<tlm::tlm_phase_enum>(unsigned{phase}); }

}  // namespace

void BaseProtocolRules::b_transport_called(const Payload& payload) {
  if (open_.count(&payload) != 0) breach(Rule::phase, "b_transport passes a transaction of nb_transport that has not ended");
  begin(payload);
}

void BaseProtocolRules::b_transport_returned(const Payload& payload, bool delay_reduced) {
  if (delay_reduced) breach(Rule::delay, "b_transport reduces the delay");
  complete(payload);
}

void BaseProtocolRules::begin(const Payload& payload) {
  ++transactions_;
  const bool moves = payload.get_command() != tlm::TLM_IGNORE_COMMAND;
  if (moves && payload.get_data_ptr() == nullptr) breach(Rule::pointer, "the data pointer is null");
  if (payload.get_data_length() == 0) breach(Rule::length, "the data length is 0");
  if (payload.get_streaming_width() == 0) breach(Rule::width, "the streaming width is 0");
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    breach(Rule::byte_enables, "an array of byte enables has the length 0");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    breach(Rule::status, "a request begins with " + payload.get_response_string());
  if (payload.is_dmi_allowed()) breach(Rule::dmi_hint, "a request begins with DMI allowed");
  open_[&payload] = {payload.get_command(), payload.get_data_ptr(), payload.get_data_length(), payload.get_streaming_width(),
                     tlm::BEGIN_REQ};
}

void BaseProtocolRules::check_attributes(const Transaction& t, const Payload& payload) {
  if (t.command != payload.get_command()) breach(Rule::attributes, "the command has changed");
  if (t.data != payload.get_data_ptr()) breach(Rule::attributes, "the data pointer has changed");
  if (t.length != payload.get_data_length()) breach(Rule::attributes, "the data length has changed");
  if (t.width != payload.get_streaming_width()) breach(Rule::attributes, "the streaming width has changed");
}

void BaseProtocolRules::check_response(const Payload& payload) {
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    breach(Rule::response, "the response status is TLM_INCOMPLETE_RESPONSE");
}

/// Ends a transaction whose response has not begun.
void BaseProtocolRules::complete(const Payload& payload) {
  const auto at = open_.find(&payload);
  if (at == open_.end()) return;
  check_attributes(at->second, payload);
  check_response(payload);
  if (request_ == &payload) request_ = nullptr;
  open_.erase(at);
}

/// Enters a phase that follows BEGIN_REQ. END_REQ may be left out.
void BaseProtocolRules::advance(Open::iterator at, tlm::tlm_phase_enum to) {
  Transaction& t = at->second;
  const Payload* const payload = at->first;
  const bool in_order = (to == tlm::END_REQ && t.phase == tlm::BEGIN_REQ) ||
                        (to == tlm::BEGIN_RESP && (t.phase == tlm::BEGIN_REQ || t.phase == tlm::END_REQ)) ||
                        (to == tlm::END_RESP && t.phase == tlm::BEGIN_RESP);
  if (!in_order) return breach(Rule::phase, text_of(tlm::tlm_phase(to)) + " follows " + text_of(tlm::tlm_phase(t.phase)));
  if (to != tlm::END_RESP) check_attributes(t, *payload);  // after END_RESP the initiator may have reused the payload
  t.phase = to;
  if (to != tlm::END_RESP && request_ == payload) request_ = nullptr;
  if (to == tlm::BEGIN_RESP) {
    check_response(*payload);
    if (response_ != nullptr) breach(Rule::exclusion, "a response begins before END_RESP of the response before");
    response_ = payload;
  }
  if (to == tlm::END_RESP) {
    if (response_ == payload) response_ = nullptr;
    open_.erase(at);
  }
}

void BaseProtocolRules::forward_called(const Payload& payload, const tlm::tlm_phase& phase) {
  if (!payload.has_mm()) breach(Rule::memory_manager, "nb_transport_fw passes a payload without a memory manager");
  if (payload.has_mm() && payload.get_ref_count() < 1)
    breach(Rule::memory_manager, "nb_transport_fw passes a payload without a reference");
  const auto at = open_.find(&payload);
  if (phase == tlm::BEGIN_REQ) {
    if (at != open_.end()) return breach(Rule::phase, "BEGIN_REQ follows " + text_of(tlm::tlm_phase(at->second.phase)));
    if (request_ != nullptr) breach(Rule::exclusion, "a request begins before END_REQ of the request before");
    begin(payload);
    request_ = &payload;
    return;
  }
  if (phase != tlm::END_RESP) return breach(Rule::phase, "nb_transport_fw passes " + text_of(phase));
  if (at == open_.end()) return breach(Rule::phase, "END_RESP of a transaction that has not begun");
  advance(at, tlm::END_RESP);
}

void BaseProtocolRules::forward_returned(const Payload& payload, const tlm::tlm_phase& before, tlm::tlm_sync_enum answer,
                                         const tlm::tlm_phase& after) {
  if (before == tlm::END_RESP) {
    if (answer == tlm::TLM_UPDATED) breach(Rule::answer, "TLM_UPDATED answers END_RESP");
    return;
  }
  if (before != tlm::BEGIN_REQ || answer == tlm::TLM_ACCEPTED) return;
  if (answer == tlm::TLM_COMPLETED) return complete(payload);
  if (after != tlm::END_REQ && after != tlm::BEGIN_RESP)
    return breach(Rule::answer, "TLM_UPDATED answers BEGIN_REQ by " + text_of(after));
  if (const auto at = open_.find(&payload); at != open_.end()) advance(at, value_of(after));
}

void BaseProtocolRules::backward_called(const Payload& payload, const tlm::tlm_phase& phase) {
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP)
    return breach(Rule::phase, "nb_transport_bw passes " + text_of(phase));
  const auto at = open_.find(&payload);
  if (at == open_.end()) return breach(Rule::phase, text_of(phase) + " of a transaction that has not begun");
  advance(at, value_of(phase));
}

void BaseProtocolRules::backward_returned(const Payload& payload, const tlm::tlm_phase& before, tlm::tlm_sync_enum answer,
                                          const tlm::tlm_phase& after) {
  if (answer == tlm::TLM_ACCEPTED) return;
  if (before == tlm::END_REQ) return breach(Rule::answer, text_of(answer) + " answers END_REQ");
  if (before != tlm::BEGIN_RESP) return;
  if (answer == tlm::TLM_UPDATED && after != tlm::END_RESP)
    return breach(Rule::answer, "TLM_UPDATED answers BEGIN_RESP by " + text_of(after));
  if (const auto at = open_.find(&payload); at != open_.end()) advance(at, tlm::END_RESP);
}

void BaseProtocolRules::finish() {
  for (const auto& [payload, t] : open_)
    breach(Rule::phase, "a transaction has not ended; its last phase is " + text_of(tlm::tlm_phase(t.phase)));
  open_.clear();
}

const char* BaseProtocolRules::name_of(Rule rule) {
  static constexpr const char* names[] = {"pointer",  "length",         "width",     "byte_enables", "status",
                                          "dmi_hint", "memory_manager", "phase",     "exclusion",    "answer",
                                          "response", "delay",          "attributes"};
  return names[static_cast<unsigned>(rule)];
}

std::string to_text(const std::vector<BaseProtocolRules::Breach>& breaches) {
  std::string text;
  for (const auto& b : breaches) text += std::string(BaseProtocolRules::name_of(b.rule)) + ": " + b.text + "\n";
  return text;
}

}  // namespace tributary
