#include "platforms/cluster/pcie_end.h"

#include <algorithm>
#include <stdexcept>

#include "platforms/cluster/pcie_messages.h"

namespace tributary {

PcieEnd::PcieEnd(EngineSeat seat, const PcieFraming& framing, PacketPool& pool, Port& port)
    : seat_(seat), framing_(framing), pool_(pool), port_(port) {}

PcieEnd::Pair& PcieEnd::pair(unsigned queue_pair) {
  if (queue_pair >= pairs_.size()) pairs_.resize(queue_pair + 1);
  return pairs_[queue_pair];
}

// ---- requests

void PcieEnd::post_write(unsigned queue_pair, const WriteRequest& request, Tick when) {
  if (request.signalled) ++pair(queue_pair).outstanding;
  ++counts_.posts;
  Packet* const packet = make_post(pool_, framing_, queue_pair, request);
  pcie(*packet).gpu = seat_.config().gpu;
  packet->born = when;
  port_.send(packet, when);
}

unsigned PcieEnd::outstanding(unsigned queue_pair) const {
  return queue_pair < pairs_.size() ? pairs_[queue_pair].outstanding : 0;
}

void PcieEnd::listen(unsigned queue_pair, VerbsListener* listener) { pair(queue_pair).listener = listener; }

// ---- packets of the NIC

void PcieEnd::receive(Packet* packet, Tick tail) {
  arrivals_.insert_sorted([](const Arrival& a, const Arrival& b) { return a.tail < b.tail; }, tail, packet);
}

void PcieEnd::run(Tick now) {
  while (next() <= now) {
    Packet* const packet = arrivals_.front().packet;
    arrivals_.pop();
    port_.free(*packet, now);
    switch (pcie(*packet).kind) {
      case PcieKind::read:
        answer(*packet, now);
        break;
      case PcieKind::write:
        counts_.written_bytes += packet->payload_bytes;
        seat_.write(pcie(*packet).address, packet->payload, packet->payload_bytes);
        break;
      case PcieKind::notice:
        report(*packet, now);
        break;
      default:
        throw std::logic_error("a NIC sent a packet to its GPU that GPUs send");
    }
    packet->release();
  }
}

void PcieEnd::answer(const Packet& read, Tick now) {
  const PcieHeader& h = pcie(read);
  Packet* const data = make_pcie(pool_, framing_, PcieKind::data, h.bytes, seat_.config().with_data);
  PcieHeader& d = pcie(*data);
  d.address = h.address, d.pair = h.pair, d.bytes = h.bytes, d.tag = h.tag, d.gpu = h.gpu;
  data->born = now;
  counts_.read_bytes += h.bytes;
  const std::uint64_t number = answered_ + answers_.size();
  const Tick when = seat_.read_at(h.address, data->payload, h.bytes, now);
  answers_.push(data, when);
  if (when != never) return send_answers();
  seat_.when_read(0, data, [this, number](Tick read_at) {
    answers_[static_cast<std::uint32_t>(number - answered_)].ready = read_at;
    send_answers();
  });
}

void PcieEnd::send_answers() {
  for (; !answers_.empty() && answers_.front().ready != never; answers_.pop(), ++answered_) {
    last_answer_ = std::max(last_answer_, answers_.front().ready);
    port_.send(answers_.front().data, last_answer_);
  }
}

void PcieEnd::report(const Packet& packet, Tick now) {
  const NicNotice notice = notice_of(packet);
  Pair& p = pair(notice.queue_pair);
  VerbsListener& listener = p.listener != nullptr ? *p.listener : *others_;
  ++counts_.notices;
  switch (notice.kind) {
    case NicNotice::Kind::completed:
      --p.outstanding;
      return listener.completed(notice.queue_pair, notice.id, now);
    case NicNotice::Kind::arrived:
      return listener.arrived(notice.queue_pair, notice.immediate, now);
    case NicNotice::Kind::failed:
      return listener.failed(notice.queue_pair, now, notice.why);
  }
}

// ---- reports

std::vector<std::string> PcieEnd::waiting() const {
  std::vector<std::string> lines;
  if (!arrivals_.empty()) lines.push_back(std::to_string(arrivals_.size()) + " packets of PCIe have arrived");
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    if (pairs_[i].outstanding != 0)
      lines.push_back("qp" + std::to_string(i) + ": " + std::to_string(pairs_[i].outstanding) +
                      " requests are not acknowledged");
  return lines;
}

void PcieEnd::reset() {
  for (; !arrivals_.empty(); arrivals_.pop()) arrivals_.front().packet->release();
  for (; !answers_.empty(); answers_.pop())
    if (answers_.front().ready != never) answers_.front().data->release();  // the GPU releases the others
  last_answer_ = 0;
  for (Pair& p : pairs_) p.outstanding = 0;
  counts_ = {};
}

}  // namespace tributary
