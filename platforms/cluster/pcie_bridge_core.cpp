#include "platforms/cluster/pcie_bridge_core.h"

#include <cstring>
#include <stdexcept>

namespace tributary {

PcieBridgeCore::PcieBridgeCore(const Config& config, PacketPool& pool, Verbs& nic, Ports& ports)
    : config_(config), pool_(pool), nic_(nic), ports_(ports), fetch_(config.fetch) {}

PcieBridgeCore::~PcieBridgeCore() { PcieBridgeCore::reset(); }

void PcieBridgeCore::set_pair(unsigned queue_pair, unsigned gpu) {
  if (gpu >= config_.gpus.size())
    throw std::invalid_argument("GPU " + std::to_string(gpu) + " of a NIC with " + std::to_string(config_.gpus.size()));
  if (queue_pair >= gpu_of_.size()) gpu_of_.resize(queue_pair + 1, -1);
  gpu_of_[queue_pair] = static_cast<int>(gpu);
}

unsigned PcieBridgeCore::gpu_of(unsigned queue_pair) const {
  if (queue_pair >= gpu_of_.size() || gpu_of_[queue_pair] < 0)
    throw std::logic_error("queue pair " + std::to_string(queue_pair) + " belongs to no GPU");
  return static_cast<unsigned>(gpu_of_[queue_pair]);
}

// ---- from the GPUs

void PcieBridgeCore::receive(unsigned gpu, Packet* packet, Tick tail) {
  arrivals_.insert_sorted(
      [](const Arrival& a, const Arrival& b) { return a.tail != b.tail ? a.tail < b.tail : a.gpu < b.gpu; }, tail, gpu,
      packet);
}

Tick PcieBridgeCore::run_until(Tick horizon) {
  while (next() <= horizon) {
    const Arrival arrival = arrivals_.front();
    arrivals_.pop();
    accept(arrival);
  }
  return next();
}

void PcieBridgeCore::accept(const Arrival& arrival) {
  Packet* const packet = arrival.packet;
  ports_.free(arrival.gpu, *packet, arrival.tail);
  if (pcie(*packet).kind == PcieKind::data) {
    unsigned queue_pair = 0;
    if (fetch_.answered(pcie(*packet).tag, packet, arrival.tail, queue_pair)) nic_feed_->fed(queue_pair, arrival.tail);
    return issue_reads(arrival.tail);
  }
  ++counts_.posts;
  const unsigned queue_pair = pcie(*packet).pair;
  const WriteRequest request = request_of(*packet);
  packet->release();
  if (gpu_of(queue_pair) != arrival.gpu)
    throw std::logic_error("queue pair " + std::to_string(queue_pair) + " belongs to another GPU of its NIC");
  nic_.post_write(queue_pair, request, arrival.tail);
}

// ---- to the GPUs

void PcieBridgeCore::send(unsigned queue_pair, Packet* packet, Tick ready) {
  const unsigned gpu = gpu_of(queue_pair);
  pcie(*packet).pair = queue_pair;
  pcie(*packet).gpu = config_.gpus[gpu];
  packet->born = ready;
  ports_.send(gpu, packet, ready);
}

void PcieBridgeCore::notify(const NicNotice& notice, Tick when) {
  ++counts_.notices;
  send(notice.queue_pair, make_notice(pool_, config_.framing, notice), when);
}

void PcieBridgeCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  notify({NicNotice::Kind::completed, queue_pair, id}, when);
}

void PcieBridgeCore::arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) {
  notify({NicNotice::Kind::arrived, queue_pair, 0, immediate}, when);
}

void PcieBridgeCore::failed(unsigned queue_pair, Tick when, const std::string& why) {
  notify({NicNotice::Kind::failed, queue_pair, 0, 0, why}, when);
}

void PcieBridgeCore::write_at(const PayloadPlace& place, const std::byte* from, unsigned bytes, Tick when) {
  if (bytes == 0) return;  // nothing for the memory
  Packet* const packet = make_pcie(pool_, config_.framing, PcieKind::write, bytes, from != nullptr);
  pcie(*packet).address = place.address;
  pcie(*packet).bytes = bytes;
  if (from != nullptr) std::memcpy(packet->payload, from, bytes);
  counts_.written_bytes += bytes;
  send(place.queue_pair, packet, when);
}

void PcieBridgeCore::issue_reads(Tick now) {
  for (NicFetch::Read read; fetch_.next_read(read);) {
    Packet* const packet = make_pcie(pool_, config_.framing, PcieKind::read, 0, false);
    pcie(*packet).address = read.address;
    pcie(*packet).bytes = read.bytes;
    pcie(*packet).tag = read.tag;
    counts_.read_bytes += read.bytes;
    send(read.queue_pair, packet, now);
  }
  reads_probe_(now, fetch_.in_flight());
}

// ---- the feed of the NIC

void PcieBridgeCore::posted(unsigned queue_pair, const WriteRequest& request, Tick now) {
  fetch_.posted(queue_pair, request);
  issue_reads(now);
}

Tick PcieBridgeCore::available(const Payload& payload, Tick now) {
  const Tick when = fetch_.available(payload);
  issue_reads(now);
  return when;
}

Tick PcieBridgeCore::take(const Payload& payload, std::byte* to, Tick) {
  fetch_.take(payload, to);
  return 0;
}

// ---- reports

std::vector<std::string> PcieBridgeCore::waiting() const {
  std::vector<std::string> lines;
  if (!arrivals_.empty()) lines.push_back(std::to_string(arrivals_.size()) + " packets of PCIe have arrived");
  if (fetch_.in_flight() != 0) lines.push_back("reads of " + std::to_string(fetch_.in_flight()) + " B are in flight");
  return lines;
}

void PcieBridgeCore::reset() {
  for (; !arrivals_.empty(); arrivals_.pop()) arrivals_.front().packet->release();
  fetch_.reset();
  counts_ = {};
}

void PcieBridgeCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "reads", reads_probe_, SignalKind::level, 32, "bytes of reads in flight to GPUs");
}

}  // namespace tributary
