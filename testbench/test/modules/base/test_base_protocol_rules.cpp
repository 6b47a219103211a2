// Each fault that an initiator or a target can make at a memory socket is found by one rule (IEEE 1666-2011, 14 and 15).
#include <catch2/catch.hpp>
#include <functional>

#include "modules/base/sysc/base_protocol_rules.h"

namespace tributary::test_base_protocol_rules {
namespace {

using Rule = BaseProtocolRules::Rule;

struct Pool : tlm::tlm_mm_interface {
  void free(tlm::tlm_generic_payload*) override {}
};

/// A payload whose attributes are all right.
struct Payload {
  Payload() {
    gp.set_read();
    gp.set_data_ptr(data);
    gp.set_data_length(4);
    gp.set_streaming_width(4);
    gp.acquire();
  }
  unsigned char data[8] = {};
  Pool pool;
  tlm::tlm_generic_payload gp{&pool};
};

/// A test bench between an initiator and a target, which plays both.
struct Bench {
  BaseProtocolRules rules;
  Payload a, b;

  void blocking(const std::function<void(tlm::tlm_generic_payload&)>& before,
                const std::function<void(tlm::tlm_generic_payload&)>& during = {}, bool reduced = false) {
    if (before) before(a.gp);
    rules.b_transport_called(a.gp);
    a.gp.set_response_status(tlm::TLM_OK_RESPONSE);
    if (during) during(a.gp);
    rules.b_transport_returned(a.gp, reduced);
  }
  void forward(Payload& p, tlm::tlm_phase_enum phase, tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED,
               tlm::tlm_phase_enum after = tlm::UNINITIALIZED_PHASE) {
    rules.forward_called(p.gp, phase);
    if (phase == tlm::BEGIN_REQ && (answer == tlm::TLM_COMPLETED || after == tlm::BEGIN_RESP)) respond(p);
    rules.forward_returned(p.gp, phase, answer, answer == tlm::TLM_UPDATED ? after : phase);
  }
  void backward(Payload& p, tlm::tlm_phase_enum phase, tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED,
                tlm::tlm_phase_enum after = tlm::UNINITIALIZED_PHASE) {
    if (phase == tlm::BEGIN_RESP) respond(p);
    rules.backward_called(p.gp, phase);
    rules.backward_returned(p.gp, phase, answer, answer == tlm::TLM_UPDATED ? after : phase);
  }
  void respond(Payload& p) { p.gp.set_response_status(status); }
  /// Requires one breach, of that rule.
  void check(Rule rule) {
    rules.finish();
    INFO(to_text(rules.breaches()));
    REQUIRE(rules.breaches().size() == 1);
    CHECK(BaseProtocolRules::name_of(rules.breaches()[0].rule) == std::string(BaseProtocolRules::name_of(rule)));
  }
  void check_right() {
    rules.finish();
    CHECK(to_text(rules.breaches()) == "");
  }
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

using Gp = tlm::tlm_generic_payload;

}  // namespace

TEST_CASE("base protocol: calls that keep the rules are not accused", "[pure][tlm]") {
  Bench bench;
  bench.blocking({});
  bench.a.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  bench.forward(bench.a, tlm::BEGIN_REQ);
  bench.backward(bench.a, tlm::END_REQ);
  bench.forward(bench.b, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
  bench.backward(bench.b, tlm::BEGIN_RESP, tlm::TLM_UPDATED, tlm::END_RESP);  // out of order
  bench.backward(bench.a, tlm::BEGIN_RESP);
  bench.forward(bench.a, tlm::END_RESP, tlm::TLM_COMPLETED);
  Payload c, d, e;
  bench.forward(c, tlm::BEGIN_REQ, tlm::TLM_COMPLETED);
  bench.forward(d, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::BEGIN_RESP);
  bench.forward(d, tlm::END_RESP, tlm::TLM_COMPLETED);
  bench.forward(e, tlm::BEGIN_REQ);
  bench.backward(e, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);  // END_REQ is left out
  bench.check_right();
  CHECK(bench.rules.transactions() == 6);
}

TEST_CASE("base protocol: each wrong attribute of a request is found by its rule", "[pure][tlm]") {
  const auto fault = [](Rule rule, const std::function<void(Gp&)>& spoil) {
    Bench blocking;
    blocking.blocking(spoil);
    blocking.check(rule);
    Bench forward;
    spoil(forward.a.gp);
    forward.forward(forward.a, tlm::BEGIN_REQ, tlm::TLM_COMPLETED);
    forward.check(rule);
  };
  fault(Rule::pointer, [](Gp& gp) { gp.set_data_ptr(nullptr); });
  fault(Rule::length, [](Gp& gp) { gp.set_data_length(0); });
  fault(Rule::width, [](Gp& gp) { gp.set_streaming_width(0); });
  static unsigned char enable = TLM_BYTE_ENABLED;
  fault(Rule::byte_enables, [](Gp& gp) { gp.set_byte_enable_ptr(&enable); });
  fault(Rule::status, [](Gp& gp) { gp.set_response_status(tlm::TLM_OK_RESPONSE); });
  fault(Rule::dmi_hint, [](Gp& gp) { gp.set_dmi_allowed(true); });
}

TEST_CASE("base protocol: what a target does wrong is found by its rule", "[pure][tlm]") {
  const auto fault = [](Rule rule, const std::function<void(Gp&)>& during, bool reduced = false) {
    Bench bench;
    bench.blocking({}, during, reduced);
    bench.check(rule);
  };
  fault(Rule::response, [](Gp& gp) { gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE); });
  fault(Rule::delay, {}, true);
  fault(Rule::attributes, [](Gp& gp) { gp.set_write(); });
  fault(Rule::attributes, [](Gp& gp) { gp.set_data_ptr(gp.get_data_ptr() + 1); });
  fault(Rule::attributes, [](Gp& gp) { gp.set_data_length(2); });
  fault(Rule::attributes, [](Gp& gp) { gp.set_streaming_width(2); });
  Bench silent;
  silent.status = tlm::TLM_INCOMPLETE_RESPONSE;
  silent.forward(silent.a, tlm::BEGIN_REQ);
  silent.backward(silent.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
  silent.check(Rule::response);
}

TEST_CASE("base protocol: phases out of order are found by their rules", "[pure][tlm]") {
  const auto fault = [](Rule rule, const std::function<void(Bench&)>& play) {
    Bench bench;
    play(bench);
    bench.check(rule);
  };
  fault(Rule::phase, [](Bench& t) { t.forward(t.a, tlm::BEGIN_REQ); });  // never ends
  fault(Rule::phase, [](Bench& t) { t.forward(t.a, tlm::END_RESP); });
  fault(Rule::phase, [](Bench& t) { t.forward(t.a, tlm::END_REQ); });
  fault(Rule::phase, [](Bench& t) { t.backward(t.a, tlm::BEGIN_RESP); });
  fault(Rule::phase, [](Bench& t) { t.backward(t.a, tlm::BEGIN_REQ); });
  fault(Rule::phase, [](Bench& t) {
    t.forward(t.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    t.backward(t.a, tlm::END_REQ);  // again
    t.backward(t.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
  });
  fault(Rule::phase, [](Bench& t) {
    t.forward(t.a, tlm::BEGIN_REQ);
    t.a.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    t.forward(t.a, tlm::BEGIN_REQ);  // again
    t.backward(t.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
  });
  fault(Rule::exclusion, [](Bench& t) {
    t.forward(t.a, tlm::BEGIN_REQ);
    t.forward(t.b, tlm::BEGIN_REQ, tlm::TLM_COMPLETED);  // before END_REQ of the first
    t.backward(t.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
  });
  fault(Rule::exclusion, [](Bench& t) {
    for (Payload* p : {&t.a, &t.b}) t.forward(*p, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    t.backward(t.a, tlm::BEGIN_RESP);
    t.backward(t.b, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);  // before END_RESP of the first
    t.forward(t.a, tlm::END_RESP, tlm::TLM_COMPLETED);
  });
  fault(Rule::answer, [](Bench& t) {
    t.forward(t.a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_RESP);
    t.backward(t.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
  });
  fault(Rule::answer, [](Bench& t) {
    t.forward(t.a, tlm::BEGIN_REQ);
    t.backward(t.a, tlm::END_REQ, tlm::TLM_COMPLETED);
    t.backward(t.a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
  });
  fault(Rule::answer, [](Bench& t) {
    t.forward(t.a, tlm::BEGIN_REQ);
    t.backward(t.a, tlm::BEGIN_RESP);
    t.forward(t.a, tlm::END_RESP, tlm::TLM_UPDATED, tlm::END_RESP);
  });
}

TEST_CASE("base protocol: nb_transport needs a memory manager and a reference", "[pure][tlm]") {
  Bench unmanaged;
  unmanaged.a.gp.release();
  unmanaged.a.gp.set_mm(nullptr);
  unmanaged.forward(unmanaged.a, tlm::BEGIN_REQ, tlm::TLM_COMPLETED);
  unmanaged.check(Rule::memory_manager);
  Bench released;
  released.a.gp.release();
  released.forward(released.a, tlm::BEGIN_REQ, tlm::TLM_COMPLETED);
  released.check(Rule::memory_manager);
  Bench mixed;
  mixed.forward(mixed.a, tlm::BEGIN_REQ);
  mixed.a.gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  mixed.blocking({});  // the same transaction
  mixed.check(Rule::phase);
}

}  // namespace tributary::test_base_protocol_rules
