#include "modules/rtl/pin_schedule_table.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/nic/core/schedule_table_pins.h"
#include "modules/rtl/core/schedule_table_beats.h"

namespace tributary {
namespace {

enum Channel : unsigned { requests, answers };

}  // namespace

PinScheduleTable::PinScheduleTable(const sc_core::sc_module_name& name, const PinBlock& block, const NicParams& params)
    : TargetModule(name),
      rows_(ScheduleTableBeats::rows_of(block.rtl)),
      nominal_(params.table.read.value),
      port_("unit", schedule_table_pins(), block.rtl.parameters, params.clock.value, block.make) {
  if (block.latency != 0)
    throw std::invalid_argument(std::string(this->name()) +
                                ": a row of a schedule table may wait for other rows (legal: no LATENCY)");
}

void PinScheduleTable::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  if (access.get_byte_enable_ptr() != nullptr) return access.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  const std::uint64_t address = access.get_address();
  if (!ScheduleTableBeats::is_row(address, access.get_data_length(), rows_))
    return access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  const std::uint64_t row = address / ScheduleTableBeats::row_bytes;
  if (access.is_read()) return read(row, access, now);
  offer(row, reinterpret_cast<const std::byte*>(access.get_data_ptr()), now);
  port_.schedule();
}

/// Offers a request in each clock at the earliest; returns its edge. Software may load the table during the reset.
std::uint64_t PinScheduleTable::offer(std::uint64_t row, const std::byte* data, Tick now) {
  PinUnit& pins = port_.unit();
  RtlBeat beat = row_request_beat(pins.channel(requests), row, data);
  const std::uint64_t edge = beat.edge = std::max(pins.next_edge_of(std::max(now, pins.reset_ends())), free_at_);
  free_at_ = edge + 1;
  pins.offer(requests, std::move(beat));
  return edge;
}

void PinScheduleTable::read(std::uint64_t row, tlm::tlm_generic_payload& access, Tick now) {
  const auto request = DeferredAnswer::defer(access, *this, true);
  if (!request)
    throw std::invalid_argument(std::string(name()) + " answers in kernel time, and its rows are needed at once");
  const std::uint64_t edge = offer(row, nullptr, now);
  auto* const to = reinterpret_cast<std::byte*>(access.get_data_ptr());
  const BeatLayout& layout = port_.unit().channel(answers);
  const auto foreseen = [this, request, to, &layout, now](Tick when, const RtlBeat& beat) {
    std::memcpy(to, layout.bytes(beat, 0), ScheduleTableBeats::row_bytes);
    request->listener->answered(request->ticket, std::max(now + nominal_, when) - nominal_);
  };
  port_.unit().foresee(answers, 1, edge, "the read of row " + std::to_string(row), foreseen,
                       [request](std::uint64_t) { request->listener->completed(request->ticket); });
  port_.schedule();
}

void PinScheduleTable::reset() {
  port_.restart();
  free_at_ = 0;
}

}  // namespace tributary
