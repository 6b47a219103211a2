#include "testbench/harness/nic_pair.h"

#include <cstring>

namespace tributary {

NicPair::NicPair(const std::string& name, const Nic::Parts& parts, std::uint32_t chunk) : chunk_(chunk) {
  for (std::uint16_t n = 0; n < 2; ++n)
    nodes_.push_back(
        std::make_unique<NetworkNode>((name + std::to_string(n)).c_str(), config(n, parts), pool_, views_, finished_));
  const LinkEnd a = nodes_[0]->link_end(0), b = nodes_[1]->link_end(0);
  a.out.bind(b.in);
  b.out.bind(a.in);
}

NicPair::~NicPair() {
  for (auto& node : nodes_) node->reset();
}

NetworkNode::Config NicPair::config(std::uint16_t n, const Nic::Parts& parts) const {
  NetworkNode::Config c;
  c.parts = parts;
  c.router.core.ports = c.router.core.interfaces = 1;
  c.router.core.latency = 3000;
  c.router.core.rate = c.router.link.rate = 16_GBps;
  c.router.core.port_names = {"port0"};
  c.router.core.routes.to.resize(2);
  c.router.core.routes.to[1 - n].port = 0;
  c.router.link.latency = 150_ns;
  c.router.max_flits = 17;
  c.router.buffer_flits = 318;
  NicCore::Config& nic = c.nic.emplace();
  nic.schedule = {n, NicParams{}, 16_GBps, FlowControlParams{}};
  nic.table_entries = 4;
  nic.interface_of = {0, 0};
  return c;
}

std::vector<ScheduleEntry> NicPair::rows(std::uint16_t n) const {
  using Op = ScheduleEntry::Op;
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  const auto other = static_cast<std::uint16_t>(1 - n);
  return {{Op::reduce, other, other, {nil, nil, nil, nil}, 1, other * std::uint64_t{chunk_}, chunk_},
          {Op::gather, n, nil, {other, nil, nil, nil}, 2, n * std::uint64_t{chunk_}, chunk_}};
}

NicProgram NicPair::loaded_program() const {
  NicProgram program;
  program.table.rows = 2;
  program.table.reduces = program.table.gathers = 1;
  program.type = ElementType::i32;
  return program;
}

NicProgram NicPair::program(std::uint16_t n) const {
  NicProgram program = loaded_program();
  program.table.rows = 0;
  program.table.entries = rows(n);
  return program;
}

void NicPair::fill(unsigned n, std::int32_t value) {
  nic(n).resize_memory(2 * std::uint64_t{chunk_});
  const std::vector<std::int32_t> values(elements(), value);
  std::memcpy(nic(n).memory(), values.data(), 2 * std::size_t{chunk_});
}

std::int32_t NicPair::value(unsigned n, std::size_t element) {
  std::int32_t v;
  std::memcpy(&v, nic(n).memory() + 4 * element, 4);
  return v;
}

}  // namespace tributary
