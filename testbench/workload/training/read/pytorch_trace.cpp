#include "testbench/workload/training/read/pytorch_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "modules/base/nearest.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/kineto_events.h"
#include "testbench/workload/training/read/plain_name.h"
#include "testbench/workload/training/read/pytorch_groups.h"
#include "testbench/workload/training/read/pytorch_names.h"
#include "testbench/workload/training/read/pytorch_values.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

constexpr const char* operator_name = "record_param_comms";
constexpr const char* groups_name = "process_group:init";

bool has_name(const Json& object, const char* name) {
  const auto found = object.find("name");
  return found != object.end() && found->is_string() && found->get_ref<const std::string&>().find(name) != std::string::npos;
}

class TorchReader {
 public:
  TorchReader(const std::string& path, std::optional<std::uint64_t> step) : path_(path), events_(path, step), groups_(path) {
    process_.name = "the rank of the trace";
  }

  RecordedProcess read(std::istream& file) {
    const Json trace = parse(file);
    const auto nodes = trace.find("nodes"), events = trace.find("traceEvents");
    if (nodes != trace.end() && nodes->is_array()) {
      check_schema(trace);
      add_nodes(*nodes);
    } else if (events != trace.end() && events->is_array()) {
      groups_.add(torch_value(trace, {"distributedInfo", "pg_config"}));
      groups_.add_world(torch_value(trace, {"distributedInfo", "world_size"}));
      const Json rank = torch_value(trace, {"distributedInfo", "rank"});
      if (rank.is_number_unsigned()) process_.rank = rank.get<std::uint64_t>();
      add_events();
    } else {
      throw InputError(path_ + ": no trace of PyTorch (legal: a JSON object with 'nodes' or 'traceEvents')");
    }
    if (process_.calls.empty()) refuse_without_calls();
    process_.ranks = groups_.ranks();
    warn_of_skipped();
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

  /// Refuses execution traces without the process group in their nodes.
  void check_schema(const Json& trace) const {
    const Json schema = trace.value("schema", Json());
    if (!schema.is_string()) return;
    const std::string& text = schema.get_ref<const std::string&>();
    std::array<unsigned, 3> parts{};
    const char *at = text.data(), *const end = at + text.size();
    for (unsigned& part : parts) {
      const auto [next, error] = std::from_chars(at, end, part);
      if (error != std::errc()) break;
      at = next + (next < end && *next == '.' ? 1 : 0);
    }
    if (parts < std::array<unsigned, 3>{1, 0, 3})
      throw InputError(path_ + ": schema " + plain_name(text, longest_torch_name) +
                       " does not record process groups (legal: from 1.0.3, of a newer PyTorch)");
  }

  void add_nodes(const Json& nodes) {
    std::vector<std::pair<std::uint64_t, const Json*>> calls;  // a node is written when it ends, and numbered when it begins
    for (const Json& node : nodes) {
      if (!node.is_object()) continue;
      if (has_name(node, groups_name)) {
        const Json values = torch_value(node, {"inputs", "values"});
        if (values.is_array() && !values.empty() && values[0].is_string())
          groups_.add(Json::parse(values[0].get_ref<const std::string&>(), nullptr, false));
      } else if (has_name(node, operator_name)) {
        const Json id = node.value("id", Json());
        calls.emplace_back(id.is_number_unsigned() ? id.get<std::uint64_t>() : 0, &node);
      }
    }
    std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [id, node] : calls) {
      Json values = Json::object();
      if (const auto list = node->find("attrs"); list != node->end() && list->is_array())
        for (const Json& attribute : *list)
          if (attribute.is_object() && attribute.contains("name") && attribute.contains("value"))
            values[torch_text(attribute["name"])] = attribute["value"];
      if (!values.contains(node_keys.collective)) values = torch_inputs(*node);
      values[node_keys.stream] = "comm";
      add(path_ + ": node " + plain_name(torch_text(node->value("id", Json())), longest_torch_name), values, node_keys,
          torch_rank(*node));
    }
  }

  void add_events() {
    events_.finish();
    for (const KinetoEvents::Collective& event : events_.collectives()) {
      Json values = event.values;
      if (!values.contains(event_keys.stream)) values[event_keys.stream] = "comm";
      const Json rank = values.value("Rank", Json());
      const auto root = rank.is_number_unsigned() ? std::optional<std::uint64_t>(rank.get<std::uint64_t>()) : std::nullopt;
      add(path_ + ": event at " + KinetoEvents::micros(event.start) + " us", values, event_keys, root, event.span);
    }
    process_.compute = events_.compute();
  }

  /// Adds a call. `rank`: the root, or the peer of a send or receive, as a rank of the group.
  void add(const std::string& place, const Json& values, const TorchKeys& keys, std::optional<std::uint64_t> rank,
           RecordedSpan span = {}) {
    const auto collective = values.find(keys.collective);
    if (collective == values.end())
      fail(place,
           std::string("no '") + keys.collective +
               "' (legal: traces that record the attributes of collectives, or their process group among the inputs)");
    RecordedCall call;
    call.place = place;
    call.span = span;
    call.name = plain_name(torch_text(*collective), longest_torch_name);
    std::string lower = call.name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    if (std::find(torch_skipped.begin(), torch_skipped.end(), lower) != torch_skipped.end()) {
      ++skipped_[lower];
      return;
    }
    const TorchCollective& known = known_collective(place, call.name, lower);
    call.kind = known.kind;
    call.collective = known.here;
    call.comm = plain_name(torch_text(values.value(keys.group, Json(""))), longest_torch_name);
    call.stream = torch_text(values[keys.stream]);
    call.ranks = torch_number(place, values, keys.size);
    if (call.ranks == 1) {
      ++skipped_[of_one_rank];
      return;
    }
    call.members = groups_.members(call, values, keys);
    set_bytes(call, known, values, keys);
    set_rank(call, values, rank);
    process_.calls.push_back(std::move(call));
  }

  static const TorchCollective& known_collective(const std::string& place, const std::string& name,
                                                 const std::string& lower) {
    const auto* const known = std::find_if(torch_collectives.begin(), torch_collectives.end(),
                                           [&](const TorchCollective& c) { return c.there == lower; });
    if (known != torch_collectives.end()) return *known;
    std::vector<std::string> names;
    for (const TorchCollective& c : torch_collectives) names.emplace_back(c.there);
    fail(place, "'" + name + "' is not simulated from a trace (legal: " + join_names(names) + ")");
  }

  void set_bytes(RecordedCall& call, const TorchCollective& known, const Json& values, const TorchKeys& keys) const {
    const std::string name = torch_text(values.value("dtype", Json("")));
    const auto type =
        std::find_if(torch_types().begin(), torch_types().end(), [&](const TorchType& t) { return t.name == name; });
    if (type == torch_types().end()) {
      std::vector<std::string> names;
      for (const TorchType& t : torch_types()) names.emplace_back(t.name);
      fail(call.place, "dtype '" + plain_name(name, longest_torch_name) + "' (legal: " + join_names(names) + ")");
    }
    call.type = type->type;
    const std::uint64_t elements =
        torch_number(call.place, values, known.elements == TorchElements::out ? keys.out : keys.in);
    const std::uint64_t parts = known.elements == TorchElements::in_of_all ? call.ranks : 1;
    if (__builtin_mul_overflow(elements, type->bytes * parts, &call.bytes))
      fail(call.place, "more than 2^64 bytes over all ranks");
    call.exchange = call.kind == RecordedCall::Kind::collective &&
                    collective_of(call.collective).chunking == collective::Chunking::pairs;
    if (call.exchange) set_parts(call, values, keys, elements);
  }

  /// The parts are rows of the tensor, one for each rank.
  static void set_parts(RecordedCall& call, const Json& values, const TorchKeys& keys, std::uint64_t elements) {
    const std::vector<std::uint64_t> parts = torch_parts(values, keys.in_parts);
    if (parts.empty()) return;
    if (parts.size() != call.ranks)
      fail(call.place, std::string(keys.in_parts) + " has " + std::to_string(parts.size()) +
                           " parts (legal: " + std::to_string(call.ranks) + ", one for each rank of the process group)");
    std::uint64_t rows = 0;
    bool fits = true;
    for (const std::uint64_t part : parts) fits = fits && !__builtin_add_overflow(rows, part, &rows);
    if (!fits || (rows == 0 ? elements != 0 : elements % rows != 0))
      fail(call.place, std::string(keys.in_parts) + " has a sum that does not divide " + keys.in + " (legal: rows of " +
                           std::to_string(elements) + " elements)");
    call.uneven = std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) != parts.end();
  }

  /// Sets the root, or the peer of a send or receive. The profiler names a peer by its rank of the run.
  static void set_rank(RecordedCall& call, const Json& values, std::optional<std::uint64_t> rank) {
    if (call.kind != RecordedCall::Kind::collective) {
      const Json peer = values.value(call.kind == RecordedCall::Kind::send ? "Dst Rank" : "Src Rank", Json());
      if (peer.is_number_unsigned()) {
        const auto found = std::find_if(call.members.begin(), call.members.end(), [&](int member) {
          return static_cast<std::uint64_t>(member) == peer.get<std::uint64_t>();
        });
        if (found != call.members.end()) rank = static_cast<std::uint64_t>(found - call.members.begin());
      }
      call.root = rank.value_or(0);
    } else if (collective_of(call.collective).rooted) {
      call.root = rank.value_or(0);
    }
  }

  [[noreturn]] void refuse_without_calls() const {
    if (skipped_.count(of_one_rank) > 0)
      throw InputError(path_ + ": all collectives have one rank (legal: a trace of a run on several ranks)");
    throw InputError(path_ + ": no collectives (legal: a trace of a distributed run, with the attributes of " +
                     operator_name + ")");
  }

  void warn_of_skipped() {
    std::string list;
    for (const auto& [name, count] : skipped_) list += (list.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    if (!list.empty()) process_.warnings.push_back(path_ + ": skipped, since they move no data: " + list);
  }

  static constexpr const char* of_one_rank = "of one rank";

  const std::string& path_;
  KinetoEvents events_;
  TorchGroups groups_;
  RecordedProcess process_;
  std::map<std::string, std::size_t> skipped_;  ///< by name
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
