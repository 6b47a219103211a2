#include "testbench/workload/training/read/nccl_log.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

constexpr const char* info = " NCCL INFO ";
constexpr std::size_t longest_name = 60;

class NcclReader {
 public:
  NcclReader(std::istream& file, const std::string& path) : file_(file), path_(path) {}

  std::vector<NcclProcess> read() {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      const std::size_t at = line.find(info);
      if (at == std::string::npos) continue;
      take(process_of(line.substr(0, at)), line.substr(at + std::string(info).size()));
    }
    std::vector<NcclProcess> active;
    for (NcclProcess& process : processes_)
      if (!process.calls.empty()) active.push_back(std::move(process));
    std::stable_sort(active.begin(), active.end(),
                     [](const NcclProcess& a, const NcclProcess& b) { return a.calls.front().line < b.calls.front().line; });
    return active;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  /// Finds the process of `host:process:thread [device]`, which a time or the prefix of a launcher may precede.
  NcclProcess& process_of(const std::string& begin) {
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
    for (NcclProcess& process : processes_)
      if (process.name == name) return process;
    processes_.push_back({name, {}, {}});
    return processes_.back();
  }

  void take(NcclProcess& process, const std::string& text) {
    const std::map<std::string, std::string> values = values_of(text);
    if (text.find(": opCount ") != std::string::npos) {
      NcclCall call;
      call.line = line_;
      call.function = plain_name(text.substr(0, text.find(':')), longest_name);
      call.comm = value(values, "comm"), call.stream = value(values, "stream");
      call.count = number(values, "count"), call.type = number(values, "datatype");
      call.root = number(values, "root"), call.ranks = number(values, "nranks");
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
    if (found == values.end()) fail("a collective without '" + name + "' (legal: a line of NCCL's COLL messages)");
    return found->second;
  }

  std::uint64_t number(const std::map<std::string, std::string>& values, const std::string& name) const {
    const std::string& text = value(values, name);
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
      fail(name + " is '" + plain_name(text, longest_name) + "' (legal: a whole number from 0)");
    return n;
  }

  std::istream& file_;
  const std::string& path_;
  std::size_t line_ = 0;
  std::vector<NcclProcess> processes_;
};

}  // namespace

bool holds_nccl_log(const std::string& text) { return text.find(info) != std::string::npos; }

std::vector<NcclProcess> read_nccl_log(std::istream& file, const std::string& path) { return NcclReader(file, path).read(); }

}  // namespace tributary::training
