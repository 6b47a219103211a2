#include "modules/base/sysc/payload_fields.h"

#include <algorithm>
#include <string>

#include "modules/base/sysc/payload_access.h"

namespace tributary {
namespace {

constexpr unsigned max_bytes = 1u << 20;  // most data of an access
constexpr std::uint64_t max_address = std::uint64_t{1} << 30;

const char* const commands[] = {"read", "write", "ignore", nullptr};
const char* const responses[] = {"ok",          "incomplete",        "generic_error", "address_error", "command_error",
                                 "burst_error", "byte_enable_error", nullptr};

/// Index in `responses`.
unsigned index_of(tlm::tlm_response_status status) {
  return status == tlm::TLM_OK_RESPONSE ? 0 : static_cast<unsigned>(1 - static_cast<int>(status));
}

FieldVisitor::Data data_of(const tlm::tlm_generic_payload& t) {
  return {reinterpret_cast<const std::byte*>(t.get_data_ptr()), t.get_data_length()};
}

}  // namespace

void PayloadFields::request(FieldVisitor& v, tlm::tlm_generic_payload& t) {
  tlm::tlm_command command = t.get_command();
  v.name("command", command, commands);
  std::uint64_t place = t.get_address() / row_bytes_;
  v.number(row_bytes_ == 1 ? "address" : "row", place);
  std::uint32_t bytes = t.get_data_length();
  v.number("bytes", bytes);
  bool with_data = !is_timing_only(t);
  v.flag("with_data", with_data);
  const bool written = with_data && command == tlm::TLM_WRITE_COMMAND;
  const FieldVisitor::Data data = v.data("data", written ? data_of(t) : FieldVisitor::Data{}, ElementType::i8, 0);
  if (!v.sets()) return;
  if (with_data && (bytes == 0 || bytes > max_bytes))
    throw FieldError("field `bytes` is " + std::to_string(bytes) + " (legal: 1 to " + std::to_string(max_bytes) + ")");
  if (written && data.size != bytes) throw FieldError("field `data` does not have " + std::to_string(bytes) + " B");
  if (place > max_address / row_bytes_)
    throw FieldError("field `" + std::string(row_bytes_ == 1 ? "address" : "row") + "` is " + std::to_string(place) +
                     " (legal: at most " + std::to_string(max_address / row_bytes_) + ")");
  const std::uint32_t length = std::max(bytes, 1u);
  data_.assign(with_data ? length : 0, 0);
  if (!with_data && scratch_ == nullptr) scratch_ = std::make_unique<ScratchBuffer>();
  if (written) std::copy_n(reinterpret_cast<const unsigned char*>(data.bytes), bytes, data_.begin());
  t.set_command(command);
  t.set_address(place * row_bytes_);
  t.set_data_ptr(with_data ? data_.data() : reinterpret_cast<unsigned char*>(scratch_->of(length)));
  t.set_data_length(length);
  t.set_streaming_width(length);
  if (!with_data && t.get_extension<TimingOnly>() == nullptr) t.set_extension(new TimingOnly);  // the payload owns it
  if (t.get_extension<RequestInterval>() == nullptr) t.set_extension(new RequestInterval);
  t.set_byte_enable_ptr(nullptr);
  t.set_dmi_allowed(false);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

void PayloadFields::answer(FieldVisitor& v, const tlm::tlm_generic_payload& t) const {
  unsigned response = index_of(t.get_response_status());
  v.name("response", response, responses);
  const bool read = t.is_response_ok() && t.get_command() == tlm::TLM_READ_COMMAND && !is_timing_only(t);
  v.data("data", read ? data_of(t) : FieldVisitor::Data{}, ElementType::i8, 0);
}

MonitoredAccess PayloadFields::monitored(const tlm::tlm_generic_payload& t) {
  using Response = MonitoredAccess::Response;
  const bool answered = t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE;
  return {t.is_write(),
          !is_timing_only(t),
          t.get_address(),
          t.get_data_length(),
          reinterpret_cast<const std::byte*>(t.get_data_ptr()),
          t.is_response_ok() ? Response::ok
          : answered         ? Response::refused
                             : Response::none};
}

}  // namespace tributary
