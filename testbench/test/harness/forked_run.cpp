#include "testbench/test/harness/forked_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tributary {
namespace {

using Json = nlohmann::json;

Json to_json(const Run& run) {
  const ResultRow& r = run.row;
  Json links = Json::object();
  for (const LinkUse& link : r.links) links[link.name] = {link.bytes, link.utilisation};
  Json tuned = Json::array();
  for (const Choice& choice : r.tuned)
    tuned.push_back({choice.name, choice.value ? Json(*choice.value) : Json(), choice.text});
  return {{"label", r.label},
          {"size", r.size_bytes},
          {"count", r.count},
          {"time", r.time},
          {"bus_factor", r.bus_factor},
          {"bound", r.bound_GBps},
          {"links", links},
          {"counters", r.counters},
          {"wrong", r.wrong ? Json(*r.wrong) : Json()},
          {"report", r.report},
          {"wire_bytes", r.wire_bytes},
          {"trajectory", run.hashes.trajectory},
          {"status", r.status},
          {"traffic", run.hashes.traffic},
          {"histograms", r.latency_histograms},
          {"block_life", r.block_life},
          {"times", run.times},
          {"tuned", tuned}};
}

Run from_json(const Json& j) {
  Run run;
  ResultRow& r = run.row;
  r.label = j["label"], r.report = j["report"];
  r.block_life = j["block_life"];
  r.size_bytes = j["size"], r.count = j["count"], r.time = j["time"], r.wire_bytes = j["wire_bytes"];
  r.bus_factor = j["bus_factor"], r.bound_GBps = j["bound"], r.status = j["status"];
  if (!j["wrong"].is_null()) r.wrong = j["wrong"].get<std::uint64_t>();
  r.latency_histograms = j["histograms"].get<decltype(r.latency_histograms)>();
  r.counters = j["counters"].get<std::map<std::string, double>>();
  for (const auto& [name, use] : j["links"].items()) r.links.push_back({name, use[0], use[1]});
  for (const Json& choice : j["tuned"])
    r.tuned.push_back({choice[0], choice[1].is_null() ? std::optional<double>() : choice[1].get<double>(), choice[2]});
  run.hashes = {j["trajectory"], j["traffic"]};
  run.times = j["times"].get<std::vector<Tick>>();
  return run;
}

/// Writes the answer or the error, and ends the process without the parent's clean-up.
[[noreturn]] void be_child(int out, const std::function<std::string()>& work) {
  std::string text;
  int code = 0;
  try {
    text = work();
  } catch (const std::exception& error) {
    text = error.what();
    code = 1;
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(out, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) ::_exit(2);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  ::_exit(code);
}

std::string read_all(int in) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(in, buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) be_child(ends[1], work);
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) throw std::runtime_error("the child was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) throw std::runtime_error(text.empty() ? "the child failed" : text);
  return text;
}

std::vector<Run> runs_in_child(const std::function<std::vector<Run>()>& work) {
  const std::string text = in_child([&work] {
    Json all = Json::array();
    for (const Run& run : work()) all.push_back(to_json(run));
    return all.dump();
  });
  std::vector<Run> runs;
  for (const Json& j : Json::parse(text)) runs.push_back(from_json(j));
  return runs;
}

std::vector<Run> run_all(const RunSpec& spec) {
  return runs_in_child([&spec] {
    Session session(spec);
    std::vector<Run> runs;
    for (std::size_t number = 0; number < spec.messages(); ++number)
      for (const ResultRow& row : session.run(number)) runs.push_back({row, session.hashes()});
    session.finish();
    for (const ObserverNote& note : session.observer_notes()) throw std::runtime_error(note.text);
    return runs;
  });
}

Run run_one(const RunSpec& spec) {
  if (spec.messages() != 1) throw std::logic_error("run_one takes one item");
  return run_all(spec).front();
}

std::string difference(const Run& a, const Run& b) {
  const Json ja = to_json(a), jb = to_json(b);
  std::string text;
  int links = 0;
  for (const Json& change : Json::diff(ja, jb)) {
    const std::string path = change["path"];
    if (path.rfind("/links/", 0) == 0 && ++links > 4) continue;
    text += path + ": " + ja.value(Json::json_pointer(path), Json()).dump() + " became " +
            change.value("value", Json()).dump() + "\n";
  }
  return links > 4 ? text + "and " + std::to_string(links - 4) + " more differences of links\n" : text;
}

std::string difference(const std::vector<Run>& a, const std::vector<Run>& b) {
  if (a.size() != b.size()) return std::to_string(a.size()) + " runs and " + std::to_string(b.size());
  std::string text;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const std::string d = difference(a[i], b[i]); !d.empty()) text += "run " + std::to_string(i) + ":\n" + d;
  return text;
}

}  // namespace tributary
