#pragma once
/// BaseProtocolRules: rules of the base protocol of TLM-2.0 (IEEE 1666-2011, clauses 14 and 15), for the calls at one
/// socket.

#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace tributary {

/// Records breaches; it changes no payload. Call the functions in the order of the calls at the socket.
class BaseProtocolRules {
 public:
  using Payload = tlm::tlm_generic_payload;

  enum class Rule {
    pointer,         ///< initiator: the data pointer is not null (14.11 e)
    length,          ///< initiator: the data length is positive (14.12)
    width,           ///< initiator: the streaming width is positive (14.15 f)
    byte_enables,    ///< initiator: an array of byte enables has a positive length (14.14)
    status,          ///< initiator: the response status is TLM_INCOMPLETE_RESPONSE (14.17)
    dmi_hint,        ///< initiator: DMI is not marked as allowed (14.16)
    memory_manager,  ///< initiator: nb_transport passes a payload with a memory manager and a reference (14.5)
    phase,           ///< both: phases come in order, from the right side, one transaction once at a time (15.2)
    exclusion,       ///< both: a request or response begins after the one before has ended (15.2.6)
    answer,          ///< both: nb_transport returns a value and a phase that may follow (15.2.3)
    response,        ///< target: a response begins with a status that is set (14.17)
    delay,           ///< target: b_transport does not reduce the delay (11.1.3)
    attributes,      ///< both: command, data pointer, data length and streaming width stay (14.7)
  };
  struct Breach {
    Rule rule;
    std::string text;  ///< for example "the data length is 0"
  };

  void b_transport_called(const Payload& payload);
  void b_transport_returned(const Payload& payload, bool delay_reduced);
  void forward_called(const Payload& payload, const tlm::tlm_phase& phase);
  void forward_returned(const Payload& payload, const tlm::tlm_phase& before, tlm::tlm_sync_enum answer,
                        const tlm::tlm_phase& after);
  void backward_called(const Payload& payload, const tlm::tlm_phase& phase);
  void backward_returned(const Payload& payload, const tlm::tlm_phase& before, tlm::tlm_sync_enum answer,
                         const tlm::tlm_phase& after);
  /// Records a breach of `phase` for each transaction that has not ended.
  void finish();

  const std::vector<Breach>& breaches() const { return breaches_; }
  /// Returns the number of transactions that have begun.
  std::uint64_t transactions() const { return transactions_; }
  static const char* name_of(Rule rule);

 private:
  /// Attributes when the transaction began, and its last phase.
  struct Transaction {
    tlm::tlm_command command;
    const unsigned char* data;
    unsigned length, width;
    tlm::tlm_phase_enum phase;
  };
  using Open = std::map<const Payload*, Transaction>;

  void begin(const Payload& payload);
  void advance(Open::iterator at, tlm::tlm_phase_enum to);
  void complete(const Payload& payload);
  void check_attributes(const Transaction& t, const Payload& payload);
  void check_response(const Payload& payload);
  void breach(Rule rule, const std::string& text) { breaches_.push_back({rule, text}); }

  Open open_;
  const Payload* request_ = nullptr;   // its BEGIN_REQ has no END_REQ
  const Payload* response_ = nullptr;  // its BEGIN_RESP has no END_RESP
  std::uint64_t transactions_ = 0;
  std::vector<Breach> breaches_;
};

/// Returns lines such as "length: the data length is 0", one for each breach; empty if there are none.
std::string to_text(const std::vector<BaseProtocolRules::Breach>& breaches);

}  // namespace tributary
