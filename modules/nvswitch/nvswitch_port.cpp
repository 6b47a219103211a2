#include "modules/nvswitch/nvswitch_port.h"

#include "modules/protocol/nvlink.h"

namespace tributary {

NvSwitchPort::NvSwitchPort(const sc_core::sc_module_name& name, LinkPortListener& listener, const Tick& now, unsigned index,
                           const Config& config)
    : sc_module(name), link("link", listener, now, index, config.link) {
  ReductionTableConfig table = config.table;
  table.port = this->name();
  table_ = config.make_table("table", table);
  if (table_ != nullptr) table_socket.bind(table_->socket);
}

Tick NvSwitchPort::access(TableTransaction& t) {
  std::uint64_t operands = 0, block = 0;
  if (t.packet != nullptr) {
    operands = nv(*t.packet).count;
    block = nv(*t.packet).address / block_bytes;
    blocks_(t.now, block);
  }
  const Tick extra = table_socket.access(t);
  if (t.answer != TableTransaction::Answer::bypassed && t.answer != TableTransaction::Answer::missed) {
    held_ += operands;
    held_blocks_ += operands * block;
  }
  if (const Packet* out = t.result != nullptr ? t.result : t.evicted; out != nullptr) {
    held_ -= t.count;
    held_blocks_ -= t.count * (nv(*out).address / block_bytes);
  }
  held_probe_(t.now, held_);
  return extra;
}

std::vector<std::string> NvSwitchPort::waiting() const {
  std::vector<std::string> lines;
  if (table() != nullptr) lines = table()->waiting();
  if (lines.empty() && held_ == 1)
    lines.push_back("an operand of block " + std::to_string(held_blocks_) + " has not come back");
  else if (lines.empty() && held_ != 0)
    lines.push_back(std::to_string(static_cast<std::int64_t>(held_)) + " operands have not come back");
  for (std::string& line : lines) line = "table: " + line;
  return lines;
}

void NvSwitchPort::reset() {
  held_ = held_blocks_ = 0;
  if (table() != nullptr) table()->reset();
}

void NvSwitchPort::describe(ProbeDirectory& directory) {
  const std::string port = name();
  directory.add_signal(port + ".table_socket.block", blocks_, SignalKind::strobe, 41,
                       "a packet is passed to the table (block number)");
  directory.add_signal(port + ".table_socket.operands", held_probe_, SignalKind::level, counter_bits,
                       "operands that the table holds");
  if (table() != nullptr) table()->describe(directory, port + ".table.");
}

std::unique_ptr<NvSwitchPort> make_nvswitch_port(const char* name, LinkPortListener& listener, const Tick& now,
                                                 unsigned index, const NvSwitchPort::Config& config) {
  return std::make_unique<NvSwitchPort>(name, listener, now, index, config);
}

}  // namespace tributary
