#include "testbench/workload/training/read/nccl_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

constexpr const char* info = " NCCL INFO ";
constexpr std::size_t longest_name = 60;

/// A function of NCCL. `per_rank`: its count is that of the elements of one rank's part.
struct NcclFunction {
  const char *there, *here;
  bool per_rank, rooted;
  RecordedCall::Kind kind = RecordedCall::Kind::collective;
};
constexpr std::array<NcclFunction, 10> functions{{{"AllReduce", "allreduce", false, false},
                                                  {"Reduce", "reduce", false, true},
                                                  {"Broadcast", "broadcast", false, true},
                                                  {"AllGather", "allgather", true, false},
                                                  {"ReduceScatter", "reduce_scatter", true, false},
                                                  {"AlltoAll", "alltoall", true, false},
                                                  {"AllToAll", "alltoall", true, false},
                                                  {"Gather", "gather", true, true},
                                                  {"Send", "", false, true, RecordedCall::Kind::send},
                                                  {"Recv", "", false, true, RecordedCall::Kind::receive}}};

/// A line whose words do not belong together: several processes have written it at once.
class BrokenLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Types by number (nccl.h); none: not simulated, only its bytes count.
struct NcclType {
  std::uint64_t bytes;
  std::optional<ElementType> type;
};
const std::array<NcclType, 12>& nccl_types() {
  using E = ElementType;
  static const std::array<NcclType, 12> all{{{1, {}},
                                             {1, {}},
                                             {4, E::i32},
                                             {4, E::i32},
                                             {8, {}},
                                             {8, {}},
                                             {2, E::f16},
                                             {4, E::f32},
                                             {8, {}},
                                             {2, E::bf16},
                                             {1, {}},
                                             {1, {}}}};
  return all;
}

class NcclReader {
 public:
  NcclReader(std::istream& file, const std::string& path) : file_(file), path_(path) {}

  std::vector<RecordedProcess> read() {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      const std::size_t at = line.find(info);
      if (at == std::string::npos) continue;
      const std::string text = line.substr(at + std::string(info).size());
      try {
        if (text.find(info) != std::string::npos) broken("two messages in one line (legal: a line for each)");
        take(process_of(line.substr(0, at)), text);
      } catch (const BrokenLine& flaw) {
        if (broken_++ == 0) first_broken_ = flaw.what();
      }
    }
    std::stable_sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) { return a.first_call < b.first_call; });
    name_whole();
    std::vector<RecordedProcess> active;
    for (Seen& seen : seen_)
      if (!seen.process.calls.empty()) active.push_back(std::move(seen.process));
    if (active.empty() && broken_ > 0) throw InputError(first_broken_);
    if (active.empty() && alone_ > 0)
      throw InputError(path_ + ": all collectives have one rank (legal: a log of a run on several ranks)");
    if (active.empty()) throw InputError(path_ + ": no collectives (legal: a log with NCCL_DEBUG_SUBSYS=COLL)");
    if (broken_ > 0)
      active.front().warnings.push_back(
          path_ + ": " + std::to_string(broken_) +
          (broken_ == 1 ? " line is broken and left out: " : " lines are broken and left out, the first: ") + first_broken_);
    if (alone_ > 0)
      active.front().warnings.push_back(path_ + ": skipped, since they move no data: " + std::to_string(alone_) +
                                        " of one rank");
    return active;
  }

 private:
  struct Seen {
    RecordedProcess process;
    std::size_t first_call = 0;  ///< line
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  [[noreturn]] void broken(const std::string& what) const {
    throw BrokenLine(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  /// Names the communicator of all ranks, if each process joins one of that size without `commId`, as older versions of NCCL
  /// log it.
  void name_whole() {
    std::uint64_t all = 0;
    for (const Seen& seen : seen_)
      for (const auto& [comm, member] : seen.process.members) all = std::max(all, member.ranks);
    for (Seen& seen : seen_) {
      std::vector<RecordedMember*> whole;
      for (auto& [comm, member] : seen.process.members)
        if (member.ranks == all) whole.push_back(&member);
      if (whole.size() == 1 && whole.front()->id.empty()) whole.front()->id = "all";
    }
  }

  /// Finds the process of `host:process:thread [device]`, which a time or the prefix of a launcher may precede.
  Seen& process_of(const std::string& begin) {
    std::istringstream words(begin);
    std::string name, device, word;
    while (words >> word)
      if (word.front() == '[' && word.back() == ']')
        device = word;
      else
        name = word;
    const std::size_t thread = name.rfind(':');
    if (thread != std::string::npos && name.find(':') != thread) name.resize(thread);
    name = plain_name(name + " " + device, longest_name);
    for (Seen& seen : seen_)
      if (seen.process.name == name) return seen;
    seen_.emplace_back().process.name = name;
    return seen_.back();
  }

  void set_transfer(RecordedCall& call, const std::map<std::string, std::string>& values) const {
    const auto* const function =
        std::find_if(functions.begin(), functions.end(), [&](const NcclFunction& f) { return f.there == call.name; });
    if (function == functions.end()) {
      std::vector<std::string> names;
      for (const NcclFunction& f : functions) names.emplace_back(f.there);
      fail("'" + call.name + "' is not simulated from a log (legal: " + join_names(names) + ")");
    }
    const std::uint64_t type = number(values, "datatype"), root = number(values, "root");
    if (type >= nccl_types().size())
      fail("datatype " + std::to_string(type) + " (legal: 0 to " + std::to_string(nccl_types().size() - 1) + ")");
    const NcclType& element = nccl_types()[static_cast<std::size_t>(type)];
    call.kind = function->kind;
    call.collective = function->here;
    call.type = element.type;
    if (function->rooted) call.root = root;
    const std::uint64_t parts = function->per_rank ? call.ranks : 1;
    if (__builtin_mul_overflow(number(values, "count"), element.bytes * parts, &call.bytes))
      fail("more than 2^64 bytes over all ranks");
  }

  void take(Seen& seen, const std::string& text) {
    RecordedProcess& process = seen.process;
    const std::map<std::string, std::string> values = values_of(text);
    if (text.find(": opCount ") != std::string::npos) {
      RecordedCall call;
      call.place = path_ + ":" + std::to_string(line_);
      call.name = plain_name(text.substr(0, text.find(':')), longest_name);
      call.comm = value(values, "comm"), call.stream = value(values, "stream");
      call.ranks = number(values, "nranks");
      set_transfer(call, values);
      if (call.ranks == 1) {
        ++alone_;
        return;
      }
      if (process.calls.empty()) seen.first_call = line_;
      process.calls.push_back(std::move(call));
    } else if (values.count("comm") > 0 && values.count("rank") > 0 && values.count("nranks") > 0) {
      const auto id = values.find("commId");
      process.members[values.at("comm")] = {id == values.end() ? "" : id->second, number(values, "rank"),
                                            number(values, "nranks")};
    }
  }

  /// Returns the words by the word before; `[nranks=8]` has the name `nranks`.
  static std::map<std::string, std::string> values_of(const std::string& text) {
    std::map<std::string, std::string> values;
    std::istringstream words(text);
    std::string before;
    for (std::string word; words >> word; before = word) {
      const std::size_t equals = word.find('=');
      if (word.front() == '[' && equals != std::string::npos && word.back() == ']')
        values.emplace(word.substr(1, equals - 1), word.substr(equals + 1, word.size() - equals - 2));
      if (!before.empty()) values.emplace(before, word);
    }
    return values;
  }

  const std::string& value(const std::map<std::string, std::string>& values, const std::string& name) const {
    const auto found = values.find(name);
    if (found == values.end()) broken("a collective without '" + name + "' (legal: a line of NCCL's COLL messages)");
    return found->second;
  }

  std::uint64_t number(const std::map<std::string, std::string>& values, const std::string& name) const {
    const std::string& text = value(values, name);
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
      broken(name + " is '" + plain_name(text, longest_name) + "' (legal: a whole number from 0)");
    return n;
  }

  std::istream& file_;
  const std::string& path_;
  std::size_t line_ = 0, broken_ = 0;
  std::size_t alone_ = 0;  ///< calls of one rank
  std::string first_broken_;
  std::vector<Seen> seen_;
};

}  // namespace

bool holds_nccl_log(const std::string& text) { return text.find(info) != std::string::npos; }

std::vector<RecordedProcess> read_nccl_log(std::istream& file, const std::string& path) {
  return NcclReader(file, path).read();
}

}  // namespace tributary::training
