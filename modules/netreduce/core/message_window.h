#pragma once
/// MessageWindow: limits the messages that a host has in flight (Liu et al., 3.2; docs/systems/netreduce.md#window).

#include <cstdint>
#include <stdexcept>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"

namespace tributary {

/// Message i is posted when the result of message i - N has arrived. The send queue has room for 2N messages, and a full
/// send queue stalls the window: the successor's acknowledgements may lag the predecessor's results.
class MessageWindow {
 public:
  /// `window`: N, at least 1. Throws std::invalid_argument if it is 0.
  explicit MessageWindow(unsigned window) : window_(window) {
    if (window == 0) throw std::invalid_argument("a window must have at least 1 message");
  }

  /// Begins a job of `count` messages with the numbers from `first` on. Messages of a ring are numbered through all its
  /// jobs.
  void begin(std::uint32_t first, std::uint32_t count, Tick now) {
    first_ = first, count_ = count, posted_ = received_ = 0;
    show_blocked(now);
  }
  /// Adds messages of the next job of the ring, which the window treats as if they were of the same job.
  void extend(std::uint32_t count, Tick now) {
    count_ += count;
    show_blocked(now);
  }
  /// True if the next message may be posted. `outstanding`: number of messages in the send queue.
  bool open(unsigned outstanding) const {
    return posted_ < count_ && posted_ < received_ + window_ && outstanding < 2 * window_;
  }
  /// Posts the next message and returns its number.
  std::uint32_t post(Tick now) {
    const std::uint32_t message = first_ + posted_++;
    posted(now, message);
    show_blocked(now);
    return message;
  }
  /// A result has arrived. Its message may not be posted yet, because with slot rules other than `tag` a sum can be wrong.
  /// Throws std::logic_error unless it is the next result.
  void receive(std::uint32_t message, Tick now) {
    if (done() || message != first_ + received_)
      throw std::logic_error("result of message " + std::to_string(message) + ", and " + std::to_string(first_ + received_) +
                             " is next");
    ++received_;
    received(now, message);
    show_blocked(now);
  }

  unsigned window() const { return window_; }
  std::uint32_t posted_messages() const { return posted_; }
  bool posted_all() const { return posted_ == count_; }
  bool done() const { return received_ == count_; }
  /// Returns what the window waits for: `message 7 waits for result 5`; empty if it waits for nothing.
  std::string waiting() const {
    if (done()) return "";
    const std::string result = "result " + std::to_string(first_ + received_);
    if (posted_ == count_) return "waits for " + result;
    const std::string message = "message " + std::to_string(first_ + posted_);
    return posted_ < received_ + window_ ? message + " waits for room in the send queue" : message + " waits for " + result;
  }

  void save(StateWriter& out) const { out(first_, count_, posted_, received_); }
  void load(StateReader& in) { in(first_, count_, posted_, received_); }
  void reset() { first_ = count_ = posted_ = received_ = 0, blocked_ = false; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "posted", posted, SignalKind::strobe, 32, "a message is posted (its number)");
    directory.add_signal(prefix + "received", received, SignalKind::strobe, 32, "a result has arrived (MsgID)");
    directory.add_signal(prefix + "blocked", blocked, SignalKind::level, 1, "messages are pending and the window is closed");
  }

  SignalProbe posted, received, blocked;

 private:
  void show_blocked(Tick now) {
    const bool is = posted_ < count_ && posted_ >= received_ + window_;
    if (is != blocked_) blocked(now, is);
    blocked_ = is;
  }

  unsigned window_;
  std::uint32_t first_ = 0, count_ = 0;
  std::uint32_t posted_ = 0, received_ = 0;  // numbers of messages
  bool blocked_ = false;                     // last value shown
};

}  // namespace tributary
