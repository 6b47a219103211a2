#include "modules/netreduce/core/flow_control_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "modules/base/host/streaming_copy.h"
#include "modules/netreduce/core/ring_packets.h"

namespace tributary {

void FlowControlCore::post(const std::vector<RingPlan>& rings, Tick t0) {
  if (left_ != 0) throw std::logic_error("a job is posted while another one is running");
  for (const RingPlan& plan : rings) append(plan, t0);
}

std::uint32_t FlowControlCore::append(const RingPlan& plan, Tick t0) {
  auto ring = std::find_if(rings_.begin(), rings_.end(), [&](const Ring& r) { return r.plan.ring == plan.ring; });
  if (ring == rings_.end()) {
    rings_.emplace_back(plan, params_.messages.window);
    ring = rings_.end() - 1;
  } else if (plan.pattern.by_packet() || plan.first_message != ring->next_message) {
    throw std::logic_error("a job does not continue its ring");
  }
  const Chunker chunker(plan.bytes, params_.messages.message_packets, mtu_);
  const std::uint32_t messages = plan.pattern.by_packet() ? plan.pattern.messages() : chunker.messages();
  ring->plan = plan;
  if (messages != 0) ring->jobs.push_back({plan, chunker, messages}), ++left_;
  later(t0, static_cast<std::uint32_t>(ring - rings_.begin()), messages, What::start);
  return ring->next_message = plan.first_message + messages;
}

FlowControlCore::Job& FlowControlCore::job_of(Ring& ring, std::uint32_t message) {
  for (Job& job : ring.jobs)
    if (job.has(message)) return job;
  if (ring.complete && ring.complete->has(message)) return *ring.complete;
  throw std::logic_error("message " + std::to_string(message) + " belongs to no job of ring " +
                         std::to_string(ring.plan.ring));
}

bool FlowControlCore::idle() const {
  return left_ == 0 && events_.empty() &&
         std::all_of(rings_.begin(), rings_.end(), [](const Ring& r) { return r.outstanding == 0; });
}

std::uint32_t FlowControlCore::find(unsigned queue_pair, bool sends) const {
  for (std::uint32_t i = 0; i < rings_.size(); ++i)
    if ((sends ? rings_[i].plan.send_pair : rings_[i].plan.receive_pair) == queue_pair) return i;
  throw std::logic_error("queue pair " + std::to_string(queue_pair) + " belongs to no ring");
}

void FlowControlCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  if (id != part_of_message) later(when, find(queue_pair, true), static_cast<std::uint32_t>(id), What::completed);
}

void FlowControlCore::arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) {
  later(when, find(queue_pair, false), immediate, What::arrived);
}

void FlowControlCore::failed(unsigned, Tick when, const std::string& why) { listener_.flow_failed(when, why); }

void FlowControlCore::later(Tick when, std::uint32_t ring, std::uint32_t message, What what) {
  events_.insert_sorted([](const Event& a, const Event& b) { return a.when < b.when; }, when, ring, message, what);
}

Tick FlowControlCore::run_until(Tick horizon) {
  while (!events_.empty() && events_.front().when <= horizon) {
    const Event e = events_.front();
    events_.pop();
    Ring& ring = rings_[e.ring];
    switch (e.what) {
      case What::start:
        if (ring.begun)
          ring.window.extend(e.message, e.when);
        else
          ring.window.begin(ring.jobs.empty() ? ring.plan.first_message : ring.jobs.front().plan.first_message, e.message,
                            e.when);
        ring.begun = true;
        if (left_ == 0) listener_.flow_done(e.when);
        break;
      case What::arrived:
        move_result(ring, e.message, e.when);
        later(e.when + params_.turnaround.value, e.ring, e.message, What::free);
        continue;
      case What::free:
        ring.window.receive(e.message, e.when);
        received_(e.when, e.message);
        break;
      case What::completed:
        --ring.outstanding;
        break;
    }
    post_messages(e.ring, e.when);
  }
  return next();
}

void FlowControlCore::post_messages(std::uint32_t index, Tick now) {
  Ring& ring = rings_[index];
  while (ring.window.open(ring.outstanding)) {
    const std::uint32_t message = ring.window.post(now);
    ++ring.outstanding;
    posted_(now, message);
    const Job& job = job_of(ring, message);
    if (job.plan.pattern.by_packet())
      post_packets(job, message, now);
    else
      post_message(job, message, now);
  }
  if (blocked_.observed()) blocked_(now, !ring.window.done() && !ring.window.posted_all());
}

void FlowControlCore::post_message(const Job& job, std::uint32_t message, Tick now) {
  const RingPlan& plan = job.plan;
  const Chunker::Slice slice = job.chunker.slice(message - plan.first_message);
  WriteRequest w;
  w.id = message;
  w.local = plan.operand + slice.offset;
  w.remote = plan.remote_buffers + buffer(message, job.chunker);
  w.bytes = job.chunker.message_bytes();
  w.data_bytes = slice.bytes;
  w.immediate_valid = w.tagged = true;
  w.immediate = message;
  w.header = {plan.ring, plan.rank, message, static_cast<std::uint16_t>(params_.messages.message_packets)};
  w.local = staged(plan, buffer(message, job.chunker), w);
  nic_.post_write(plan.send_pair, w, now);
}

void FlowControlCore::post_packets(const Job& job, std::uint32_t message, Tick now) {
  const RingPlan& plan = job.plan;
  for (std::uint32_t offset = 0; offset < plan.pattern.message_packets; ++offset) {
    WriteRequest w = packet_request(plan, message, offset);
    w.local = staged(plan, buffer(message, job.chunker) + std::uint64_t{offset} * mtu_, w);
    nic_.post_write(plan.send_pair, w, now);
  }
}

/// Returns the address from which data are sent: of a copy, if messages are staged.
std::uint64_t FlowControlCore::staged(const RingPlan& plan, std::uint64_t buffer, const WriteRequest& request) {
  if (params_.buffers != HostBuffers::staged) return request.local;
  const std::uint64_t copy = plan.staging + buffer;
  if (memory_ != nullptr) std::memcpy(memory_ + copy, memory_ + request.local, request.data_bytes);
  return copy;
}

/// Copies the result to its final address, without the aggregation header. Packets that are sent one by one arrive there.
void FlowControlCore::move_result(Ring& ring, std::uint32_t message, Tick now) {
  Job& job = job_of(ring, message);
  if (memory_ != nullptr && !job.plan.pattern.by_packet()) {
    const Chunker::Slice slice = job.chunker.slice(message - job.plan.first_message);
    copy_streaming(memory_ + job.plan.result + slice.offset,
                   memory_ + job.plan.receive_buffers + buffer(message, job.chunker) + AggregationHeader::bytes,
                   slice.bytes);
  }
  if (++job.moved != job.messages) return;
  const std::uint32_t first = job.plan.first_message;
  ring.complete.emplace(ring.jobs.front());  // results arrive in order
  ring.jobs.pop_front();
  listener_.job_done(ring.plan.ring, first, now);
  if (--left_ == 0) listener_.flow_done(now);
}

std::vector<std::string> FlowControlCore::waiting() const {
  std::vector<std::string> lines;
  for (const Ring& ring : rings_) {
    if (ring.jobs.empty()) continue;
    std::string text = ring.window.waiting();
    if (text.empty()) text = "has not begun";
    lines.push_back("ring" + std::to_string(ring.plan.ring) + ".window: " + text);
  }
  return lines;
}

void FlowControlCore::reset() {
  rings_.clear();
  events_.clear();
  left_ = 0;
}

void FlowControlCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "window.posted", posted_, SignalKind::strobe, 32, "a message is posted (MsgID)");
  directory.add_signal(prefix + "window.received", received_, SignalKind::strobe, 32, "a result has arrived (MsgID)");
  directory.add_signal(prefix + "window.blocked", blocked_, SignalKind::level, 1, "messages wait for results");
}

}  // namespace tributary
