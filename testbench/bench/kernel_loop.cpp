/// tributary_bench: measures the cost of one plain SystemC event, the unit in which scripts/bench expresses the speed
/// of Tributary. It runs 256 SC_METHODs, each woken by its own timed event, which it notifies again with its own
/// period. Prints only the CPU time per event in nanoseconds, the median of three runs.
///
/// Usage: tributary_bench [EVENTS] (default 5000000)

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <systemc>

namespace {

constexpr unsigned processes = 256;

class Waker : public sc_core::sc_module {
 public:
  Waker(const sc_core::sc_module_name& name, unsigned index)
      : sc_module(name), period_(sc_core::sc_time::from_value(5000 + 37 * index)) {
    SC_HAS_PROCESS(Waker);
    SC_METHOD(run);
    sensitive << event_;
    dont_initialize();
    event_.notify(period_);
  }
  std::uint64_t wakes() const { return wakes_; }

 private:
  void run() {
    ++wakes_;
    event_.notify(period_);
  }
  sc_core::sc_event event_;
  sc_core::sc_time period_;
  std::uint64_t wakes_ = 0;
};

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::uint64_t all_wakes(const sc_core::sc_vector<Waker>& wakers) {
  std::uint64_t sum = 0;
  for (const Waker& w : wakers) sum += w.wakes();
  return sum;
}

double nanoseconds_per_event(const sc_core::sc_vector<Waker>& wakers, const sc_core::sc_time& span) {
  const std::uint64_t before = all_wakes(wakers);
  const double start = cpu_seconds();
  sc_core::sc_start(span);
  const double used = cpu_seconds() - start;
  return used * 1e9 / static_cast<double>(all_wakes(wakers) - before);
}

/// Returns the simulated time in which the processes wake `events` times in total.
sc_core::sc_time span_of(double events) {
  double per_picosecond = 0;
  for (unsigned i = 0; i < processes; ++i) per_picosecond += 1.0 / (5000 + 37 * i);
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(events / per_picosecond));
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  const double events = argc > 1 ? std::atof(argv[1]) : 5e6;
  if (!(events >= 1000 && events <= 1e12)) {
    std::fprintf(stderr, "tributary_bench: '%s' is not a number of events; legal: 1000 to 1e12\n", argv[1]);
    return 2;
  }
  sc_core::sc_vector<Waker> wakers(
      "waker", processes, [](const char* name, std::size_t i) { return new Waker(name, static_cast<unsigned>(i)); });
  sc_core::sc_start(span_of(events / 10));  // warm up
  std::array<double, 3> runs{};
  for (double& r : runs) r = nanoseconds_per_event(wakers, span_of(events));
  std::sort(runs.begin(), runs.end());
  std::printf("%.2f\n", runs[1]);
  return 0;
}
