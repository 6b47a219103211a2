#include "testbench/report/html/compared_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "testbench/report/plot/text_file.h"
#include "testbench/workload/input_error.h"

namespace tributary::html {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t largest_file_mib = 64;

/// Returns a text as it is, and every other value as JSON.
std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class RunReader {
 public:
  RunReader(const std::string& text, const std::string& file) : file_(file) {
    document_ = Json::parse(text, nullptr, false);
    if (document_.is_discarded()) fail("is not JSON");
    if (!document_.is_object() || !document_.contains("tributary") || !document_.contains("results")) fail("has no results");
  }

  ComparedRun read() {
    ComparedRun run;
    run.file = file_;
    for (const auto& [key, value] : document_.items())
      if (value.is_primitive() || key == "faults" || key == "plugins" || key == "replaced_blocks")
        run.properties.emplace_back(key == "tributary" ? "version" : key, value_text(value));
    const Json kernel = part(document_, "kernel", Json::object());
    if (kernel.contains("mode")) run.properties.emplace_back("mode", value_text(kernel["mode"]));
    const Json parameters = part(document_, "parameters", Json::object());
    for (const auto& [path, parameter] : parameters.items())
      if (parameter.is_object() && parameter.contains("value"))
        run.parameters[path] = value_text(parameter["value"]) +
                               (parameter.contains("unit") ? " " + value_text(parameter["unit"]) : std::string());
    for (const Json& row : part(document_, "results", Json::array())) {
      if (!row.is_object()) fail("has a result that is no object");
      run.messages.push_back(message(row, run.messages));
    }
    return run;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_ + ": " + what + " (legal: a file of `tributary run --json`)");
  }
  /// Returns a member, or `otherwise`. The member must be of the kind of `otherwise`.
  Json part(const Json& object, const char* key, const Json& otherwise) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return otherwise;
    if (found->type() != otherwise.type())
      fail(std::string("'") + key + "' is no " + (otherwise.is_array() ? "list" : "object"));
    return *found;
  }
  static std::optional<double> number(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || !found->is_number() ? std::nullopt : std::make_optional(found->get<double>());
  }
  static std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? "" : value_text(*found);
  }
  ComparedMessage message(const Json& row, const std::vector<ComparedMessage>& before) const {
    ComparedMessage m;
    m.size = number(row, "size_bytes").value_or(0);
    m.name = text(row, "size_bytes") + " B " + text(row, "type");
    for (const char* key : {"redop", "job", "iteration"})
      if (row.contains(key) && !(key == std::string("redop") && row[key] == "sum"))
        m.name += std::string(", ") + key + " " + text(row, key);
    const std::string name = m.name;
    const auto known = [&](const ComparedMessage& other) { return other.name == m.name; };
    for (int again = 2; std::any_of(before.begin(), before.end(), known); ++again)
      m.name = name + ", number " + std::to_string(again);
    m.time_ns = number(row, "time_ns"), m.algbw = number(row, "algbw_GBps"), m.busbw = number(row, "busbw_GBps");
    m.status = text(row, "status");
    const Json bottleneck = part(row, "bottleneck", Json::object());
    m.bottleneck = text(bottleneck, "cause").empty() ? text(bottleneck, "module") : text(bottleneck, "cause");
    const Json counters = part(row, "counters", Json::object());
    for (const auto& [counter, value] : counters.items())
      if (value.is_number()) m.counters[counter] = value.get<double>();
    for (const Json& link : part(row, "links", Json::array()))
      if (link.is_object())
        m.links[text(link, "name")] = {number(link, "bytes").value_or(0), number(link, "utilisation").value_or(0)};
    return m;
  }

  std::string file_;
  Json document_;
};

}  // namespace

ComparedRun parse_compared_run(const std::string& text, const std::string& file) { return RunReader(text, file).read(); }

ComparedRun read_compared_run(const std::string& file) {
  return parse_compared_run(plot::read_text(file, largest_file_mib), file);
}

}  // namespace tributary::html
