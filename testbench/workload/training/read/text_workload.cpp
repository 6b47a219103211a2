#include "testbench/workload/training/read/text_workload.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

using Names = std::vector<std::string>;

const std::vector<std::pair<std::string, TextKind>>& kinds() {
  static const std::vector<std::pair<std::string, TextKind>> all{
      {"DATA", TextKind::data},
      {"MODEL", TextKind::model},
      {"HYBRID_DATA_MODEL", TextKind::data_model},
      {"HYBRID_MODEL_DATA", TextKind::model_data},
      {"HYBRID_TRANSFORMER", TextKind::transformer},
      {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", TextKind::transformer_recomputing},
      {"HYBRID_CUSTOMIZED", TextKind::customized},
      {"HYBRID_DLRM", TextKind::recommendation},
      {"HYBRID_DLRM_ENHANCED", TextKind::recommendation_enhanced},
      {"MICRO", TextKind::micro}};
  return all;
}

std::optional<TextKind> kind_of(const std::string& word) {
  for (const auto& [name, kind] : kinds())
    if (name == word) return kind;
  return std::nullopt;
}

/// Names of collectives in ASTRA-sim and in Tributary. SimAI executes ALLREDUCEALLTOALL as an all-reduce, whose name it
/// begins with.
const std::vector<std::pair<std::string, std::string>>& collective_words() {
  static const std::vector<std::pair<std::string, std::string>> all{{"NONE", ""},
                                                                    {"ALLREDUCE", "allreduce"},
                                                                    {"ALLREDUCEALLTOALL", "allreduce"},
                                                                    {"ALLGATHER", "allgather"},
                                                                    {"REDUCESCATTER", "reduce_scatter"},
                                                                    {"ALLTOALL", "alltoall"},
                                                                    {"BROADCAST", "broadcast"}};
  return all;
}

/// Ends of a collective's name in files of SimAI.
const std::vector<std::pair<std::string, TextGroup>>& group_ends() {
  static const std::vector<std::pair<std::string, TextGroup>> all{
      {"_DP_EP", TextGroup::same_experts}, {"_EP", TextGroup::experts}, {"", TextGroup::of_pass}};
  return all;
}

/// Keys of the first line of SimAI with one number. `vpp` and `ga` describe how often the rows repeat.
const Names& simai_keys() {
  static const Names all{"ep:", "pp:", "vpp:", "ga:", "all_gpus:", "pp_comm:", "pp_comm"};
  return all;
}

template <class Table>
Names names_of(const Table& table) {
  Names names;
  for (const auto& row : table) names.push_back(row.first);
  return names;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  constexpr const char* blanks = " \t\r\f\v";
  for (std::size_t i = line.find_first_not_of(blanks); i != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, i), line.size());
    words.push_back(line.substr(i, end - i));
    i = line.find_first_not_of(blanks, end);
  }
  return words;
}

class Reader {
 public:
  Reader(std::istream& file, const std::string& path) : file_(file), path_(path) {}

  TextWorkload read() {
    TextWorkload all;
    take_kind(all);
    const std::uint64_t count = row_count();
    while (all.rows.size() < count) {
      if (!next_words()) fail(std::to_string(all.rows.size()) + " rows, but line 2 says " + std::to_string(count));
      all.rows.push_back(row(all.kind));
    }
    if (next_words()) fail("more rows than the " + std::to_string(count) + " of line 2");
    check_rows(all);
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(std::max<std::size_t>(line_, 1)) + ": " + what);
  }

  /// Reads the words of the next line that is not blank.
  bool next_words() {
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      if (line_ == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);  // byte-order mark
      if (line.size() > TextLimits::line)
        fail("a line of " + std::to_string(line.size()) + " bytes (legal: up to " + std::to_string(TextLimits::line) + ")");
      words_ = words_of(line);
      if (!words_.empty()) return true;
    }
    return false;
  }

  std::uint64_t number(const std::string& text, const std::string& what) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail(what + " is '" + plain_name(text, 60) + "' (legal: a whole number from 0)");
    return value;
  }

  /// Returns `8388608` for `8388608.0`, as AICB writes quotients.
  static std::string without_zeros(const std::string& text) {
    const std::size_t point = text.find('.');
    return point != std::string::npos && text.find_first_not_of('0', point + 1) == std::string::npos ? text.substr(0, point)
                                                                                                     : text;
  }

  void take_kind(TextWorkload& all) {
    const bool any = next_words();
    const auto kind = any ? kind_of(words_.front()) : std::nullopt;
    if (!kind)
      fail((any ? "'" + plain_name(words_.front(), 60) + "' is not a kind of parallelism" : "no kind of parallelism") +
           " (legal: " + join_names(names_of(kinds())) + ")");
    all.kind = *kind;
    const bool network = all.kind == TextKind::recommendation || all.kind == TextKind::recommendation_enhanced;
    if (network) {
      if (words_.size() < 2) fail(words_[0] + " without the number of its last bottom row (legal: " + words_[0] + " 4)");
      all.last_bottom = static_cast<std::size_t>(number(words_[1], "the last bottom row"));
    } else {
      for (std::size_t i = 1; i < words_.size();) i = take_setting(all, i);
    }
  }

  /// Parses `model_parallel_NPU_group: N`, a key of SimAI and its number, `checkpoints: n row...` or `checkpoint_initiates:
  /// n row...`. Returns the index after it.
  std::size_t take_setting(TextWorkload& all, std::size_t i) {
    const std::string key = words_[i];
    const bool group = key == "model_parallel_NPU_group:", rows = key == "checkpoints:" || key == "checkpoint_initiates:";
    const bool simai = std::find(simai_keys().begin(), simai_keys().end(), key) != simai_keys().end();
    if (!group && !rows && !simai)
      fail("'" + plain_name(key, 60) + "' after the kind (legal: model_parallel_NPU_group:, checkpoints:, " +
           "checkpoint_initiates:, " + join_names(simai_keys()) + ")");
    if (i + 1 >= words_.size()) fail(key + " without a number");
    const bool bytes = key.rfind("pp_comm", 0) == 0;
    const std::uint64_t n = number(bytes ? without_zeros(words_[i + 1]) : words_[i + 1], key);
    i += 2;
    if (group) {
      if (n == 0) fail(key + " 0 (legal: from 1)");
      all.model_group = n;
      return i;
    }
    if (simai) {
      take_simai(all, key, n);
      return i;
    }
    if (n > words_.size() - i) fail(key + " " + std::to_string(n) + ", but fewer rows follow");
    auto& list = key == "checkpoints:" ? all.checkpoints : all.initiators;
    for (const std::size_t end = i + static_cast<std::size_t>(n); i < end; ++i)
      list.push_back(static_cast<std::size_t>(number(words_[i], "a row of " + key)));
    return i;
  }

  void take_simai(TextWorkload& all, const std::string& key, std::uint64_t n) const {
    if (!all.simai) all.simai.emplace();
    if (n == 0 && key.rfind("pp_comm", 0) != 0) fail(key + " 0 (legal: from 1)");
    if (key == "ep:") all.simai->experts = n;
    if (key == "pp:") all.simai->stages = n;
    if (key == "vpp:") all.simai->virtual_stages = n;
    if (key == "ga:") all.simai->micro_batches = n;
    if (key == "all_gpus:") all.simai->all_ranks = n;
    if (key.rfind("pp_comm", 0) == 0) all.simai->stage_bytes = n;
  }

  std::uint64_t row_count() {
    if (!next_words() || words_.size() != 1) fail("line 2 is not a number of rows");
    const std::uint64_t count = number(words_[0], "the number of rows");
    if (count == 0 || count > TextLimits::rows)
      fail(std::to_string(count) + " rows (legal: 1 to " + std::to_string(TextLimits::rows) + ")");
    return count;
  }

  TextRow row(TextKind kind) const {
    const std::size_t columns = kind == TextKind::customized ? 13 : 12;
    if (words_.size() != columns)
      fail(std::to_string(words_.size()) + " columns (legal: " + std::to_string(columns) +
           ": name, -1, and time, collective, bytes of forward, input gradient, weight gradient, then update" +
           (columns == 13 ? ", kind)" : ")"));
    TextRow r;
    r.name = plain_name(words_[0], TextLimits::name);
    r.line = line_;
    const std::string& reserved = words_[1];  // ASTRA-sim reads this column, too, but does not use it
    number(reserved.rfind('-', 0) == 0 ? reserved.substr(1) : reserved, "column 2");
    constexpr std::array<const char*, text_passes> passes{"forward", "input gradient", "weight gradient"};
    for (std::size_t pass = 0; pass < text_passes; ++pass) {
      TextStep& step = r.steps[pass];
      const std::string of = std::string(" of the ") + passes[pass];
      step.time = number(words_[2 + 3 * pass], "the time" + of);
      take_collective(step, words_[3 + 3 * pass], r.name);
      step.bytes = number(words_[4 + 3 * pass], "the bytes" + of);
    }
    r.update = number(words_[11], "the time of the update");
    r.kind = columns == 13 ? row_kind(words_[12]) : kind;
    return r;
  }

  void take_collective(TextStep& step, const std::string& word, const std::string& row) const {
    for (const auto& [there, here] : collective_words())
      for (const auto& [end, group] : group_ends())
        if (word == there + end && (!here.empty() || end.empty())) {
          step.collective = here, step.group = group;
          return;
        }
    fail("row '" + row + "' has '" + plain_name(word, 60) + "', which is not a collective that can run (legal: " +
         join_names(names_of(collective_words())) + ", each also with _EP or _DP_EP)");
  }

  TextKind row_kind(const std::string& word) const {
    const auto kind = kind_of(word);
    const bool simple = kind == TextKind::data || kind == TextKind::model || kind == TextKind::data_model ||
                        kind == TextKind::model_data || kind == TextKind::transformer;
    if (!simple)
      fail("'" + plain_name(word, 60) +
           "' as the kind of a row (legal: DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA or HYBRID_TRANSFORMER)");
    return *kind;
  }

  void check_rows(TextWorkload& all) {
    line_ = 1;
    const auto check = [&](std::size_t row, const char* what) {
      if (row >= all.rows.size())
        fail(std::string(what) + " is row " + std::to_string(row) + " (legal: 0 to " + std::to_string(all.rows.size() - 1) +
             ")");
    };
    check(all.last_bottom, "the last bottom row");
    for (const std::size_t row : all.checkpoints) check(row, "a checkpoint");
    for (const std::size_t row : all.initiators) {
      check(row, "a row of checkpoint_initiates");
      const auto before = [&](std::size_t c) { return c <= row; };
      if (std::none_of(all.checkpoints.begin(), all.checkpoints.end(), before))
        fail("row " + std::to_string(row) + " repeats the forward pass, but no checkpoint precedes it");
    }
  }

  std::istream& file_;
  const std::string& path_;
  std::size_t line_ = 0;
  std::vector<std::string> words_;
};

}  // namespace

const std::string& name_of(TextKind kind) {
  return std::find_if(kinds().begin(), kinds().end(), [&](const auto& row) { return row.second == kind; })->first;
}

bool begins_text_workload(const std::string& begin) {
  std::istringstream text(begin.rfind("\xEF\xBB\xBF", 0) == 0 ? begin.substr(3) : begin);
  std::string first, second;
  std::getline(text, first);
  std::getline(text, second);
  const Names words = words_of(first), count = words_of(second);
  if (words.empty()) return false;
  if (kind_of(words.front())) return true;
  const auto only = [](const std::string& word, const char* characters) {
    return word.find_first_not_of(characters) == std::string::npos;
  };
  return only(words.front(), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") && !only(words.front(), "0123456789") &&
         count.size() == 1 && only(count.front(), "0123456789");
}

TextWorkload read_text_workload(std::istream& file, const std::string& path) { return Reader(file, path).read(); }

}  // namespace tributary::training
