#pragma once
/// MessageWindow: how many messages a host has on their way (Liu et al., 4.3; docs/systems/netreduce.md#window).

#include <cstdint>
#include <stdexcept>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/state_bytes.h"
#include "modules/base/units.h"

namespace tributary {

/// Message i is posted when the result of message i - N has come. The send queue has room for 2N messages, and stops it when
/// it is full: the successor's acknowledgements may be behind the predecessor's results.
class MessageWindow {
 public:
  /// N, at least 1. Throws std::invalid_argument.
  explicit MessageWindow(unsigned window) : window_(window) {
    if (window == 0) throw std::invalid_argument("a window of no messages");
  }

  /// A job of `count` messages with the numbers from `first` on. The ring's messages are numbered through all its jobs.
  void begin(std::uint32_t first, std::uint32_t count, Tick now) {
    first_ = first, count_ = count, posted_ = received_ = 0;
    show_blocked(now);
  }
  /// The next message may be posted. `outstanding`: messages in the send queue.
  bool open(unsigned outstanding) const {
    return posted_ < count_ && posted_ < received_ + window_ && outstanding < 2 * window_;
  }
  /// Its number; it is posted.
  std::uint32_t post(Tick now) {
    const std::uint32_t message = first_ + posted_++;
    posted(now, message);
    show_blocked(now);
    return message;
  }
  /// A result is in. It may be of a message that is not posted: a sum can be wrong by other rules than `tag`. Throws
  /// std::logic_error unless it is the next one.
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
  std::uint32_t received_messages() const { return received_; }
  bool done() const { return received_ == count_; }
  /// What it waits for, or empty: `message 7 waits for result 5`.
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
    directory.add_signal(prefix + "received", received, SignalKind::strobe, 32, "a result has come (number of its message)");
    directory.add_signal(prefix + "blocked", blocked, SignalKind::level, 1, "messages wait, and the window is closed");
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
  std::uint32_t posted_ = 0, received_ = 0;  // how many
  bool blocked_ = false;                     // as it was shown last
};

}  // namespace tributary
