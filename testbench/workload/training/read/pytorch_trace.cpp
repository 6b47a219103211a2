#include "testbench/workload/training/read/pytorch_trace.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/kineto_events.h"
#include "testbench/workload/training/read/plain_name.h"
#include "testbench/workload/training/read/pytorch_names.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_torch_name = 60;
constexpr const char* operator_name = "record_param_comms";
constexpr const char* groups_name = "process_group:init";
constexpr const char* list_key = "Process Group Ranks";

/// Names of the values of a collective in one form of trace.
struct Keys {
  const char *collective, *in, *out, *group, *size, *start, *stride, *stream;
};
constexpr Keys node_keys{"collective_name", "in_msg_nelems",     "out_msg_nelems",     "pg_name",
                         "pg_size",         "global_rank_start", "global_rank_stride", "tid"};
constexpr Keys event_keys{"Collective name", "In msg nelems",     "Out msg nelems",     "Process Group Name",
                          "Group size",      "Global rank start", "Global rank stride", "stream"};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

bool has_name(const Json& object, const char* name) {
  const auto found = object.find("name");
  return found != object.end() && found->is_string() && found->get_ref<const std::string&>().find(name) != std::string::npos;
}

class TorchReader {
 public:
  TorchReader(const std::string& path, std::optional<std::uint64_t> step) : path_(path), events_(path, step) {
    process_.name = "the rank of the trace";
  }

  RecordedProcess read(std::istream& file) {
    const Json trace = parse(file);
    const auto nodes = trace.find("nodes"), events = trace.find("traceEvents");
    if (nodes != trace.end() && nodes->is_array()) {
      add_nodes(*nodes);
    } else if (events != trace.end() && events->is_array()) {
      add_groups(trace.value("/distributedInfo/pg_config"_json_pointer, Json()));
      add_events();
    } else {
      throw InputError(path_ + ": no trace of PyTorch (legal: a JSON object with 'nodes' or 'traceEvents')");
    }
    if (process_.calls.empty())
      throw InputError(path_ + ": no collectives (legal: a trace of a distributed run, with the attributes of " +
                       operator_name + ")");
    return std::move(process_);
  }

 private:
  [[noreturn]] static void fail(const std::string& place, const std::string& what) { throw InputError(place + ": " + what); }

  /// Parses the file without the nodes and events of computation, which are nearly all of it.
  Json parse(std::istream& file) {
    const auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (depth != 2 || event != Json::parse_event_t::object_end) return true;
      return !events_.take(parsed) && (has_name(parsed, operator_name) || has_name(parsed, groups_name));
    };
    try {
      Json trace = Json::parse(file, keep);
      if (!trace.is_object()) throw InputError(path_ + ": not a JSON object");
      return trace;
    } catch (const Json::parse_error& error) {
      throw InputError(path_ + ": byte " + std::to_string(error.byte) + ": not JSON");
    } catch (const Json::out_of_range&) {
      throw InputError(path_ + ": a number beyond 1.8 x 10^308 (legal: JSON)");
    }
  }

  void add_nodes(const Json& nodes) {
    for (const Json& node : nodes) {
      if (!node.is_object() || !has_name(node, groups_name)) continue;
      const Json text = node.value("/inputs/values/0"_json_pointer, Json());
      if (text.is_string()) add_groups(Json::parse(text.get_ref<const std::string&>(), nullptr, false));
    }
    for (const Json& node : nodes) {
      if (!node.is_object() || !has_name(node, operator_name)) continue;
      Json values = Json::object();
      if (const auto list = node.find("attrs"); list != node.end() && list->is_array())
        for (const Json& attribute : *list)
          if (attribute.is_object() && attribute.contains("name") && attribute.contains("value"))
            values[text_of(attribute["name"])] = attribute["value"];
      values[node_keys.stream] = "comm";
      add(path_ + ": node " + plain_name(text_of(node.value("id", Json())), longest_torch_name), values, node_keys);
    }
  }

  void add_events() {
    events_.finish();
    for (const KinetoEvents::Collective& event : events_.collectives()) {
      Json values = event.values;
      if (!values.contains(event_keys.stream)) values[event_keys.stream] = "comm";
      add(path_ + ": event at " + Json(event.start).dump() + " us", values, event_keys, event.span);
    }
    process_.compute = events_.compute();
  }

  /// Adds the ranks of process groups: [{"pg_name": "0", "ranks": [0, 1]}, ...].
  void add_groups(const Json& groups) {
    if (!groups.is_array()) return;
    for (const Json& group : groups) {
      if (!group.is_object() || !group.contains("pg_name") || !group.contains("ranks") || !group["ranks"].is_array())
        continue;
      std::vector<int> ranks;
      for (const Json& rank : group["ranks"])
        if (rank.is_number_unsigned() && rank.get<std::uint64_t>() < most_ranks) ranks.push_back(rank.get<int>());
      std::sort(ranks.begin(), ranks.end());
      if (ranks.size() != group["ranks"].size() || std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end())
        throw InputError(path_ + ": process group '" + plain_name(text_of(group["pg_name"]), longest_torch_name) +
                         "' has no list of different ranks (legal: 0 to " + std::to_string(most_ranks - 1) + ")");
      if (ranks.empty()) ranks = first_ranks(group.value("group_size", Json()));
      if (ranks.empty()) continue;
      process_.ranks = std::max<std::uint64_t>(process_.ranks, static_cast<unsigned>(ranks.back()) + 1u);
      ranks_of_[text_of(group["pg_name"])] = std::move(ranks);
    }
  }

  /// Returns the ranks of a group that lists none: all, if it says how many.
  static std::vector<int> first_ranks(const Json& size) {
    std::vector<int> ranks(size.is_number_unsigned() && size.get<std::uint64_t>() <= most_ranks ? size.get<std::size_t>()
                                                                                                : 0);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  void add(const std::string& place, const Json& values, const Keys& keys, RecordedSpan span = {}) {
    const auto collective = values.find(keys.collective);
    if (collective == values.end())
      fail(place, std::string("no '") + keys.collective + "' (legal: traces that record the attributes of collectives)");
    RecordedCall call;
    call.place = place;
    call.span = span;
    call.name = plain_name(text_of(*collective), longest_torch_name);
    std::string lower = call.name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    if (std::find(torch_skipped.begin(), torch_skipped.end(), lower) != torch_skipped.end()) return;
    const auto* const known = std::find_if(torch_collectives.begin(), torch_collectives.end(),
                                           [&](const TorchCollective& c) { return c.there == lower; });
    if (known == torch_collectives.end()) {
      std::vector<std::string> names;
      for (const TorchCollective& c : torch_collectives) names.emplace_back(c.there);
      fail(place, "'" + call.name + "' is not simulated from a trace (legal: " + join_names(names) + ")");
    }
    call.kind = known->kind;
    call.collective = known->here;
    call.comm = plain_name(text_of(values.value(keys.group, Json(""))), longest_torch_name);
    call.stream = text_of(values[keys.stream]);
    call.ranks = number(place, values, keys.size);
    if (call.ranks == 1) return;
    if (const auto group = ranks_of_.find(call.comm); group != ranks_of_.end()) {
      if (group->second.size() != call.ranks)
        fail(place, "process group '" + call.comm + "' of " + std::to_string(call.ranks) + " ranks, which lists " +
                        std::to_string(group->second.size()));
      call.members = group->second;
    } else {
      call.members = listed_members(values);
      if (call.members.empty()) call.members = even_members(call.ranks, values, keys);
      if (call.members.size() != call.ranks && (!call.members.empty() || is_cut(values)))
        fail(place, "process group '" + call.comm + "' of " + std::to_string(call.ranks) +
                        " ranks, whose list is cut off (" +
                        "legal: a trace with distributedInfo, or with 'Global rank start' and 'Global rank stride')");
    }
    set_bytes(call, *known, values, keys);
    process_.calls.push_back(std::move(call));
  }

  void set_bytes(RecordedCall& call, const TorchCollective& known, const Json& values, const Keys& keys) const {
    const std::string name = text_of(values.value("dtype", Json("")));
    const auto type =
        std::find_if(torch_types().begin(), torch_types().end(), [&](const TorchType& t) { return t.name == name; });
    if (type == torch_types().end()) {
      std::vector<std::string> names;
      for (const TorchType& t : torch_types()) names.emplace_back(t.name);
      fail(call.place, "dtype '" + plain_name(name, longest_torch_name) + "' (legal: " + join_names(names) + ")");
    }
    call.type = type->type;
    const std::uint64_t elements = number(call.place, values, known.elements == TorchElements::out ? keys.out : keys.in);
    const std::uint64_t parts = known.elements == TorchElements::in_of_all ? call.ranks : 1;
    if (__builtin_mul_overflow(elements, type->bytes * parts, &call.bytes))
      fail(call.place, "more than 2^64 bytes over all ranks");
  }

  /// True if the profiler has cut a long list of ranks: "[0, 1, ...]".
  static bool is_cut(const Json& values) {
    return text_of(values.value(list_key, Json(""))).find("...") != std::string::npos;
  }

  /// Returns the ranks of a group that an event lists as text; empty: none, or a list that is cut.
  static std::vector<int> listed_members(const Json& values) {
    const Json list = Json::parse(text_of(values.value(list_key, Json(""))), nullptr, false);
    std::vector<int> members;
    if (!list.is_array()) return members;
    for (const Json& rank : list)
      if (rank.is_number_unsigned() && rank.get<std::uint64_t>() < most_ranks) members.push_back(rank.get<int>());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }

  /// Returns the ranks of a group from its first rank and its stride; empty: unknown.
  std::vector<int> even_members(std::uint64_t ranks, const Json& values, const Keys& keys) const {
    const Json start = values.value(keys.start, Json()), stride = values.value(keys.stride, Json());
    std::vector<int> members;
    if (!start.is_number_unsigned() || !stride.is_number_unsigned() || ranks > most_ranks) return members;
    const auto first = start.get<std::uint64_t>(), step = stride.get<std::uint64_t>();
    const std::uint64_t all = process_.ranks > 0 ? process_.ranks : most_ranks;
    if (step == 0 || first >= all || step >= all || first + (ranks - 1) * step >= all) return members;
    for (std::uint64_t i = 0; i < ranks; ++i) members.push_back(static_cast<int>(first + i * step));
    return members;
  }

  static std::uint64_t number(const std::string& place, const Json& values, const char* key) {
    const auto value = values.find(key);
    if (value == values.end()) fail(place, std::string("no '") + key + "'");
    const std::string text = text_of(*value);
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
      fail(place, std::string(key) + " is '" + plain_name(text, longest_torch_name) + "' (legal: a whole number from 0)");
    return n;
  }

  static constexpr std::uint64_t most_ranks = 1'000'000;

  const std::string& path_;
  KinetoEvents events_;
  RecordedProcess process_;
  std::map<std::string, std::vector<int>> ranks_of_;  ///< by process group
};

}  // namespace

bool begins_pytorch_trace(const std::string& begin) {
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  return first != std::string::npos && begin[first] == '{';
}

RecordedProcess read_pytorch_trace(std::istream& file, const std::string& path, std::optional<std::uint64_t> step) {
  return TorchReader(path, step).read(file);
}

}  // namespace tributary::training
