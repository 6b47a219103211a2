// Lanes in several processes, which are threads here: each has lanes of its own, and they meet in the calls of their group.
#include <catch2/catch.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "modules/timing/lane_processes.h"

namespace tributary::test_lane_processes {
namespace {

/// A call returns when all have made it.
class Meeting {
 public:
  explicit Meeting(unsigned size) : rows_(size) {}
  std::vector<ByteRow> meet(unsigned rank, const ByteRow& own) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !leaving_; });
    rows_[rank] = own;
    if (++inside_ == rows_.size()) leaving_ = true, changed_.notify_all();
    changed_.wait(lock, [&] { return leaving_; });
    const std::vector<ByteRow> all = rows_;
    if (--inside_ == 0) leaving_ = false, changed_.notify_all();
    return all;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ByteRow> rows_;
  std::size_t inside_ = 0;
  bool leaving_ = false;
};

class ThreadGroup : public ProcessGroup {
 public:
  ThreadGroup(Meeting& meeting, unsigned rank, unsigned size) : meeting_(meeting), rank_(rank), size_(size) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  void exchange(const std::vector<ByteRow>& out, std::vector<ByteRow>& in) override {
    ByteRow own;
    ByteWriter to(own);
    for (const ByteRow& row : out) to.put(static_cast<std::uint64_t>(row.size())), to.bytes(row.data(), row.size());
    const std::vector<ByteRow> all = meeting_.meet(rank_, own);
    for (unsigned p = 0; p < size_; ++p) {
      ByteReader from(all[p]);
      for (unsigned q = 0; q < size_; ++q) {
        const auto bytes = from.get<std::uint64_t>();
        const std::byte* const first = from.bytes(bytes);
        if (q == rank_ && p != rank_) in[p].assign(first, first + bytes);
      }
    }
  }
  void least(std::uint64_t* values, std::size_t count) override {
    ByteRow own;
    ByteWriter(own).bytes(values, count * sizeof *values);
    for (const ByteRow& row : meeting_.meet(rank_, own)) {
      ByteReader from(row);
      for (std::size_t i = 0; i < count; ++i) values[i] = std::min(values[i], from.get<std::uint64_t>());
    }
  }
  std::vector<ByteRow> gather(const ByteRow& own) override { return meeting_.meet(rank_, own); }

 private:
  Meeting& meeting_;
  unsigned rank_, size_;
};

/// Notes what is reported.
class Reports : public CompletionListener {
 public:
  std::vector<std::string> all;
  std::function<void()> after_done = [] {};

 private:
  void done(unsigned endpoint, Tick when) override {
    all.push_back(std::to_string(endpoint) + " done " + std::to_string(when));
    after_done();
  }
  void failed(unsigned endpoint, Tick when, const std::string& why) override {
    all.push_back(std::to_string(endpoint) + " failed " + std::to_string(when) + " " + why);
  }
};

/// Calls a function at each of its times.
class Member : public LaneMember {
 public:
  Member(Lanes& lanes, unsigned lane, unsigned order) : lanes_(lanes), lane_(lane), order_(order) {}
  void schedule(Tick when) {
    scheduled_ = when;
    lanes_.lane(lane_).enqueue(when, order_, *this);
  }
  std::function<void()> work = [] {};
  unsigned runs = 0;

 private:
  Tick scheduled() const override { return scheduled_; }
  void run_in_lane() override {
    ++runs;
    scheduled_ = never;
    work();
  }
  Lanes& lanes_;
  unsigned lane_, order_;
  Tick scheduled_ = never;
};

/// One process with four lanes and a member in each.
struct Process {
  Process(Meeting& meeting, unsigned rank, unsigned size)
      : group(meeting, rank, size), relay(reports), lanes(4, [](Tick) {}), share(group, lanes, crossings, relay) {
    for (unsigned l = 0; l < 4; ++l) members.push_back(std::make_unique<Member>(lanes, l, 10 * l));
  }
  ThreadGroup group;
  Reports reports;
  CompletionRelay relay;
  std::deque<LaneCrossing> crossings;
  Lanes lanes;
  LaneProcesses share;
  std::vector<std::unique_ptr<Member>> members;
};

/// Runs a function in every process.
void in_processes(unsigned size, const std::function<void(Process&)>& body) {
  Meeting meeting(size);
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < size; ++rank)
    threads.emplace_back([&meeting, &body, rank, size] {
      Process process(meeting, rank, size);
      body(process);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("lane processes: lanes are divided in consecutive shares", "[lanes]") {
  std::mutex mutex;
  std::vector<std::vector<unsigned>> owners(3);
  in_processes(3, [&](Process& p) {
    const std::lock_guard lock(mutex);
    for (unsigned l = 0; l < 4; ++l) owners[p.group.rank()].push_back(p.share.owner(l));
  });
  for (const auto& of_process : owners) CHECK(of_process == std::vector<unsigned>{0, 0, 1, 2});
}

TEST_CASE("lane processes: each runs its own lanes, and all step at the earliest time of any", "[lanes]") {
  std::vector<std::vector<Tick>> times(2);
  std::vector<std::vector<unsigned>> runs(2);
  in_processes(2, [&](Process& p) {
    const unsigned rank = p.group.rank();
    for (const unsigned l : {0u, 1u, 2u, 3u}) p.members[l]->schedule(l < 2 ? 100 : 250);  // as a driver does in all of them
    if (rank == 1) p.members[3]->schedule(170);                                           // known to its own process alone
    for (Tick now = p.lanes.agree(); now != never; now = p.lanes.step(now)) times[rank].push_back(now);
    for (const auto& member : p.members) runs[rank].push_back(member->runs);
  });
  CHECK(times[0] == std::vector<Tick>{100, 170, 250});
  CHECK(times[1] == times[0]);
  CHECK(runs[0] == std::vector<unsigned>{1, 1, 0, 0});
  CHECK(runs[1] == std::vector<unsigned>{0, 0, 1, 1});
}

TEST_CASE("lane processes: all hear of completions in one order, and of what follows from them", "[lanes]") {
  std::vector<std::vector<std::string>> heard(2);
  std::vector<std::vector<Tick>> times(2);
  in_processes(2, [&](Process& p) {
    const unsigned rank = p.group.rank();
    p.members[1]->work = [&p] { p.relay.done(7, 120), p.relay.failed(1, 130, "why"); };
    p.members[2]->work = [&p] { p.relay.done(3, 120), p.relay.done(5, 110); };
    p.reports.after_done = [&p, once = false]() mutable {
      if (!std::exchange(once, true)) p.members[0]->schedule(400);  // every process reacts alike
    };
    for (auto& member : p.members) member->schedule(100);
    for (Tick now = p.lanes.agree(); now != never; now = p.lanes.step(now)) times[rank].push_back(now);
    heard[rank] = p.reports.all;
  });
  CHECK(heard[0] == std::vector<std::string>{"5 done 110", "3 done 120", "7 done 120", "1 failed 130 why"});
  CHECK(heard[1] == heard[0]);
  CHECK(times[0] == std::vector<Tick>{100, 400});
  CHECK(times[1] == times[0]);
}

TEST_CASE("lane processes: all end with the failure of the first member", "[lanes]") {
  std::vector<std::string> error(2);
  std::vector<bool> joined(2);
  in_processes(2, [&](Process& p) {
    for (const unsigned l : {1u, 3u}) p.members[l]->work = [l] { throw std::runtime_error("lane " + std::to_string(l)); };
    for (auto& member : p.members) member->schedule(100);
    p.group.set_joined(true);
    try {
      p.lanes.step(p.lanes.agree());
    } catch (const std::exception& e) {
      error[p.group.rank()] = e.what();
    }
    joined[p.group.rank()] = p.group.joined();
  });
  CHECK(error == std::vector<std::string>{"lane 1", "lane 1"});
  CHECK(joined == std::vector<bool>{false, false});
}

TEST_CASE("lane processes: credits cross from one process to another in the step in which they are posted", "[lanes]") {
  struct End : LanePort, LaneMailbox::Forward, LaneMailbox::Backward {
    void set_crossing(const LaneCrossing&) override {}
    LaneMailbox::Forward& far_forward() override { return *this; }
    LaneMailbox::Backward& far_backward() override { return *this; }
    tlm::tlm_sync_enum nb_transport_fw(LinkTransfer&, LinkPhase&, sc_core::sc_time&) override { return tlm::TLM_ACCEPTED; }
    tlm::tlm_sync_enum nb_transport_bw(LinkTransfer& t, LinkPhase&, sc_core::sc_time& delay) override {
      arrived.push_back(delay.value() + 1000 * t.credits[0].flits);
      return tlm::TLM_ACCEPTED;
    }
    std::vector<std::uint64_t> arrived;
  };
  const sc_core::sc_time warm = to_sc_time(1);  // the kernel's context exists before the threads
  CHECK(warm.value() == 1);
  std::vector<std::vector<std::uint64_t>> arrived(2);
  in_processes(2, [&](Process& p) {
    End end;
    p.crossings.push_back({nullptr, nullptr, nullptr, 0, &end});
    LaneMailbox& mailbox = p.lanes.mailbox(0, 3);
    p.members[0]->work = [&mailbox, &end] {
      const LinkCredit credit{0, 0, 9};
      mailbox.post_credits(end, 160, &credit, 1, 0, 0);
    };
    p.members[0]->schedule(100);
    p.lanes.step(p.lanes.agree());
    arrived[p.group.rank()] = end.arrived;
  });
  CHECK(arrived[0].empty());
  CHECK(arrived[1] == std::vector<std::uint64_t>{9060});
}

}  // namespace tributary::test_lane_processes
