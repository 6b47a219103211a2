#pragma once
/// AnsweredTable: the entries of a table that receives beats in place of packets, by its answers.

#include <cstddef>
#include <string>
#include <vector>

#include "modules/nvswitch/core/beat_table.h"
#include "modules/nvswitch/core/table_probes.h"

namespace tributary {

/// Returns the header of a transaction.
BeatHeader beat_header(const TableTransaction& t);
/// Returns the beats of a packet's data.
unsigned beats_of(const Packet& packet);

/// Keeps the packet of the first operand of each entry, whose header the sum uses; the table holds the data. Throws
/// std::logic_error, with the name, on an illegal answer.
class AnsweredTable : public TableProbes {
 public:
  AnsweredTable(std::string name, std::uint32_t entries) : name_(std::move(name)), entries_(entries) {}
  virtual ~AnsweredTable() { forget(); }
  AnsweredTable(const AnsweredTable&) = delete;
  AnsweredTable& operator=(const AnsweredTable&) = delete;

  const std::string& name() const { return name_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// Returns a line for each entry in use, according to the answers so far.
  std::vector<std::string> waiting() const;

 protected:
  /// Completes a transaction by the answer of the table: packets that leave, and their data.
  void apply(TableTransaction& t, const BeatHeader& h, const BeatAnswer& a);
  /// Sends the data of an operand that the table has accepted.
  virtual void send_data(const Packet& operand) = 0;
  /// Copies the data that leave because of this command to a packet.
  virtual void receive_data(Packet& packet) = 0;
  /// Releases all packets.
  void forget();
  /// Throws std::logic_error unless `holds`.
  void require(bool holds, const std::string& what) const;
  /// Returns the beats of the packet that leaves by an answer; 0 if none does.
  unsigned leaving_beats(const TableTransaction& t, const BeatAnswer& a) const;

 private:
  enum class State : std::uint8_t { free, push, pull, completing };
  struct Entry {
    State state = State::free;
    Packet* packet = nullptr;  // packet of the first operand
    std::uint64_t block = 0;
    std::uint16_t requester = 0, count = 0, expected = 0;
  };
  using Kind = ReductionEvent::Kind;

  void push(TableTransaction& t, const BeatHeader& h, const BeatAnswer& a);
  void allocate(const TableTransaction& t, const BeatHeader& h, const BeatAnswer& a);
  void collect(TableTransaction& t, const BeatHeader& h, const BeatAnswer& a);
  void expire(TableTransaction& t, const BeatAnswer& a);
  void finish(const TableTransaction& t, const BeatHeader& h);
  void merge(TableTransaction& t, Entry& e, const BeatHeader& h, const BeatAnswer& a);
  Packet* evict(Kind why, std::uint32_t entry, const BeatAnswer& a, Tick now);
  Entry& entry(std::uint32_t number, State state, std::uint64_t block);
  void occupy(std::uint32_t number, const Entry& e, Tick now);
  void release(std::uint32_t number, Tick now);
  void observe(Kind kind, std::uint32_t number, const Packet* operand, Tick now) const;

  std::string name_;
  std::vector<Entry> entries_;
  std::uint32_t occupancy_ = 0;
};

}  // namespace tributary
