#pragma once
/// BeatSequencer: converts the transactions of a port to beats for a BeatTable, and its answers to transactions.

#include <cstddef>
#include <string>
#include <vector>

#include "modules/nvswitch/core/beat_table.h"
#include "modules/nvswitch/core/table_probes.h"

namespace tributary {

/// Keeps the packet of the first operand of each entry, whose header the sum uses; the table holds the data. A command
/// ends, with all its beats, before the next one begins. Throws std::logic_error, with the name, on an illegal answer, or
/// if none arrives.
class BeatSequencer : public TableProbes {
 public:
  static constexpr unsigned patience = 1u << 16;  ///< maximum number of clock edges per command

  BeatSequencer(std::string name, BeatTable& table, Bandwidth line_rate);
  ~BeatSequencer() { reset(); }
  BeatSequencer(const BeatSequencer&) = delete;
  BeatSequencer& operator=(const BeatSequencer&) = delete;

  /// Answers a transaction. Clocks beyond the operand's flits are its interval (`timing`).
  void access(TableTransaction& t);
  /// Returns a line for each entry in use, according to the answers so far.
  std::vector<std::string> waiting() const;
  void reset();
  /// Clock edges so far.
  std::uint64_t edges() const { return all_edges_; }

 private:
  enum class State : std::uint8_t { free, push, pull, completing };
  struct Entry {
    State state = State::free;
    Packet* packet = nullptr;  // packet of the first operand
    std::uint64_t block = 0;
    std::uint16_t requester = 0, count = 0, expected = 0;
  };
  using Kind = ReductionEvent::Kind;
  using In = BeatTable::In;
  using Out = BeatTable::Out;

  BeatHeader header_of(const TableTransaction& t) const;
  BeatAnswer ask(const BeatHeader& header);
  void send_data(const Packet& operand);
  void receive_data(Packet& packet);
  Out edge(In in);

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
  void require(bool holds, const std::string& what) const;

  std::string name_;
  BeatTable& table_;
  Bandwidth rate_;
  Tick flit_time_;
  std::uint64_t clock_ = 0, all_edges_ = 0;  // clock_: number of the next edge
  unsigned edges_ = 0;                       // edges of this command
  std::vector<Beat> out_;                    // beats that this command has returned
  std::vector<Entry> entries_;
  std::uint32_t occupancy_ = 0;
};

}  // namespace tributary
