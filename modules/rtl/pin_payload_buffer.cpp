#include "modules/rtl/pin_payload_buffer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/base/sysc/payload_access.h"
#include "modules/netreduce/core/payload_buffer_pins.h"
#include "modules/rtl/core/payload_beats.h"

namespace tributary {
namespace {

enum Channel : unsigned { writes, reads, answers };

}  // namespace

PinPayloadBuffer::PinPayloadBuffer(const sc_core::sc_module_name& name, const PinBlock& block,
                                   const AcceleratorParams& params)
    : TargetModule(name), places_(this->name(), block.rtl, params), clock_(params.clock.value), latency_(block.latency) {
  for (unsigned bank = 0; bank < places_.banks(); ++bank)
    banks_.emplace_back().port = std::make_unique<PinPort>(("bank" + std::to_string(bank)).c_str(), payload_buffer_pins(),
                                                           block.rtl.parameters, clock_, block.make);
}

void PinPayloadBuffer::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  if (access.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  const PayloadPlaces::Place at = places_.find(access.get_address(), PayloadPlaces::rows(access.get_data_length()));
  Bank& bank = banks_[at.bank];
  if (access.is_read()) return read(bank, at.row, access, now);
  write(bank, at.row, reinterpret_cast<const std::byte*>(access.get_data_ptr()), access.get_data_length(), now);
}

/// Offers a row in each clock, from `now` on, after those before. Returns the edge of the first.
std::uint64_t PinPayloadBuffer::offer(PinUnit& pins, unsigned channel, std::vector<RtlBeat> rows, Tick now,
                                      std::uint64_t& next) {
  const std::uint64_t first = std::max(pins.next_edge_of(now), next);
  next = first;
  for (RtlBeat& row : rows) {
    row.edge = next++;
    pins.offer(channel, std::move(row));
  }
  return first;
}

void PinPayloadBuffer::write(Bank& bank, std::uint64_t row, const std::byte* data, unsigned bytes, Tick now) {
  PinUnit& pins = bank.port->unit();
  offer(pins, writes, write_beats(pins.channel(writes), row, data, bytes), now, bank.writes_at);
  bank.port->schedule();
}

void PinPayloadBuffer::read(Bank& bank, std::uint64_t row, tlm::tlm_generic_payload& access, Tick now) {
  const bool data = !is_timing_only(access);
  const auto request = DeferredAnswer::defer(access, *this, data);
  if (!request)
    throw std::invalid_argument(std::string(name()) + " answers in kernel time, and its data are needed at once");
  PinUnit& pins = bank.port->unit();
  const unsigned bytes = access.get_data_length(), rows = PayloadPlaces::rows(bytes);
  const std::uint64_t edge = offer(pins, reads, read_beats(pins.channel(reads), row, bytes), now, bank.reads_at);
  auto* const to = data ? reinterpret_cast<std::byte*>(access.get_data_ptr()) : nullptr;
  const auto whole = [&pins, request, to, bytes, rows](std::uint64_t first) {
    for (unsigned k = 0; k < rows && to != nullptr; ++k)
      copy_row(pins.channel(answers), pins.runner().beat(answers, first + k), to + k * PayloadPlaces::row_bytes,
               bytes - k * PayloadPlaces::row_bytes);
    if (to != nullptr) request->listener->completed(request->ticket);
  };
  const auto begins = [request, now, nominal = clock_](Tick when, std::uint64_t) {
    request->listener->answered(request->ticket, std::max(now + nominal, when) - nominal);
  };
  pins.expect(answers, rows, edge, latency_, "the read of row " + std::to_string(row), whole, begins);
  bank.port->schedule();
}

void PinPayloadBuffer::reset() {
  for (Bank& bank : banks_) {
    bank.port->restart();
    bank.writes_at = bank.reads_at = 0;
  }
}

}  // namespace tributary
