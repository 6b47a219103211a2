#include "modules/roce/core/queue_pair_table.h"

#include <stdexcept>

#include "modules/base/waiting_since.h"

namespace tributary {

QueuePairTable::QueuePairTable(const Config& config) : config_(config) {
  while (pairs_.size() < config.made) make();
}

QueuePair& QueuePairTable::make() {
  pairs_.push_back(std::make_unique<QueuePair>(config_.send, config_.rate));
  return *pairs_.back();
}

unsigned QueuePairTable::add(const QueuePairConfig& c) {
  if ((c.number | c.peer_number | c.send_psn | c.receive_psn) > Psn::mask)
    throw std::invalid_argument("a queue pair number or PSN has more than 24 bits");
  const unsigned index = used_;
  if (!index_of_.emplace(c.number, index).second)
    throw std::invalid_argument("station " + std::to_string(config_.station) + " has queue pair " +
                                std::to_string(c.number) + " already");
  QueuePair& qp = index < pairs_.size() ? *pairs_[index] : make();
  SendQueue::Config send = config_.send;
  send.first_psn = c.send_psn;
  qp.config = c;
  qp.send.configure(send);
  qp.receive.configure({c.receive_psn, config_.nack_once});
  qp.reset();
  return used_++;
}

void QueuePairTable::clear() {
  used_ = 0;
  index_of_.clear();
  last_found_ = 0;
}

std::vector<std::string> QueuePairTable::waiting() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < used_; ++i) {
    const QueuePair& qp = *pairs_[i];
    std::string text = qp.send.waiting();
    if (text.empty() && qp.outstanding != 0) text = std::to_string(qp.outstanding) + " requests not complete";
    if (qp.receive.in_message())
      text += (text.empty() ? "" : "; ") + std::string("a message has arrived in part, PSN ") +
              std::to_string(qp.receive.expected()) + " is next";
    if (!text.empty()) lines.push_back("qp" + std::to_string(i) + ": " + text + waiting_since(qp.send.since()));
  }
  return lines;
}

void QueuePairTable::reset() {
  for (auto& qp : pairs_) qp->reset();
}

void QueuePairTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::string name = prefix + "qp" + std::to_string(i) + ".";
    pairs_[i]->send.describe(directory, name);
    pairs_[i]->receive.describe(directory, name);
    pairs_[i]->rate.describe(directory, name);
  }
}

}  // namespace tributary
