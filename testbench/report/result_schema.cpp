// Generates the schema of result files and their page in the manual from the table of fields.

#include <nlohmann/json.hpp>
#include <sstream>

#include "testbench/report/result_fields.h"

namespace tributary {

using Json = nlohmann::ordered_json;

namespace {

/// Converts a type such as `integer|null`.
Json type_json(const std::string& types) {
  Json all = Json::array();
  std::istringstream in(types);
  for (std::string type; std::getline(in, type, '|');) all.push_back(type);
  return all.size() == 1 ? all[0] : all;
}

Json described(const std::string& type, const std::string& unit, const std::string& about) {
  return {{"type", type_json(type)}, {"description", about + (unit.empty() ? "" : " (" + unit + ")")}};
}

Json object_of(std::initializer_list<std::pair<const char*, Json>> members) {
  Json properties = Json::object(), required = Json::array();
  for (const auto& [name, schema] : members) properties[name] = schema, required.push_back(name);
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

Json type_only(const char* type) { return {{"type", type}}; }

Json counters_schema() {
  Json exact = Json::object(), patterns = Json::object();
  for (const CounterInfo& info : counter_infos()) {
    const Json schema = described("number", info.unit, info.about + "; " + info.on);
    const std::size_t star = info.name.find('*');
    if (star == std::string::npos) {
      exact[info.name] = schema;
      continue;
    }
    std::string pattern = "^";
    for (const char c : info.name.substr(0, star)) pattern += c == '.' ? std::string("\\.") : std::string(1, c);
    patterns[pattern] = schema;
  }
  return {{"type", "object"}, {"properties", exact}, {"patternProperties", patterns}, {"additionalProperties", false}};
}

/// Adds constraints beyond the type.
void refine(Json& properties) {
  const Json share = {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
  for (const StatusInfo& info : status_infos()) properties["status"]["enum"].push_back(info.name);
  properties["peak_link"]["properties"] = {{"name", type_only("string")}, {"utilisation", share}};
  properties["peak_link"]["required"] = {"name", "utilisation"};
  properties["links"]["items"] = object_of({{"name", type_only("string")},
                                            {"bytes", type_only("integer")},
                                            {"utilisation", share},
                                            {"count", {{"type", "integer"}, {"minimum", 1}}}});
  Json seen = {{"type", "array"}, {"maxItems", bottleneck_seen}};
  seen["items"] = object_of({{"cause", type_only("string")}, {"module", type_only("string")}, {"share", share}});
  const Json parameters = {{"type", "array"}, {"items", type_only("string")}};
  Json bottleneck = object_of({{"claim", {{"enum", {"named", "together", "unnamed"}}}},
                               {"parameters", parameters},
                               {"module", type_only("string")},
                               {"class", type_only("string")},
                               {"cause", type_only("string")},
                               {"share", share},
                               {"path_share", share},
                               {"seen", seen}});
  bottleneck["type"] = {"object", "null"};
  bottleneck["description"] = properties["bottleneck"]["description"];
  properties["bottleneck"] = bottleneck;
  const Json number = type_only("number"), numbers = {{"type", "object"}, {"additionalProperties", number}};
  Json energy = object_of({{"per_byte_pJ", number},
                           {"marginal_J", number},
                           {"standing_J", number},
                           {"parts", numbers},
                           {"range", {{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}}},
                           {"prices", numbers},
                           {"not_included", {{"type", "array"}, {"items", type_only("string")}}}});
  energy["description"] = properties["energy"]["description"];
  properties["energy"] = energy;
  Json counters = counters_schema();
  counters["description"] = "counters by name";
  properties["counters"] = counters;
  const Json bucket = {{"type", "array"}, {"items", type_only("number")}, {"minItems", 2}, {"maxItems", 2}};
  properties["latency_histograms"]["additionalProperties"] = {{"type", "array"}, {"items", bucket}};
  properties["tuned"]["additionalProperties"] = {{"type", Json::array({"number", "string"})}};
  for (const char* name :
       {"size_bytes", "count", "time_ns", "algbw_GBps", "busbw_GBps", "wrong", "wire_bytes", "bound_GBps"})
    properties[name]["minimum"] = 0;
}

Json row_schema() {
  Json properties = Json::object(), required = Json::array();
  for (const ResultField& field : result_fields()) {
    if (!field.json) continue;
    properties[field.name] = described(field.type, field.unit, field.about);
    if (field.always) required.push_back(field.name);
  }
  refine(properties);
  return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

struct DocumentField {
  const char* name;
  const char* type;
  const char* about;
  bool always;
};

constexpr DocumentField document_fields[] = {
    {"tributary", "string", "version that wrote the file", true},
    {"platform", "string", "platform, with its arguments", true},
    {"collective", "string", "collective of the jobs, or `several` if they differ", true},
    {"algorithm", "string", "algorithm of the jobs, or `several` if they differ", true},
    {"asked_algorithm", "string", "algorithm that the job asked for, if it fell back to another one", false},
    {"ranks", "integer", "number of ranks of all jobs", true},
    {"endpoints", "string", "numbers of the endpoints, as --ranks reads them", true},
    {"root", "integer", "root rank, unless 0", false},
    {"targets", "string", "ranks that a multicast reaches", false},
    {"start_ns", "number", "start of the job, unless 0 (ns)", false},
    {"skew", "string", "value of --skew", false},
    {"iterations", "integer", "--iterations", false},
    {"background", "string", "value of --background", false},
    {"fidelity", "string", "`fluid`: simulated as flows, without packets", false},
    {"seed", "integer", "random seed", true},
    {"faults", "array", "values of --fault", false},
    {"plugins", "array", "values of --plugin", false},
    {"replaced_blocks", "array", "blocks replaced by plugins", false},
    {"shadow", "array", "with --shadow: `place`, `compared`, `different` and `first` difference of each block", false},
    {"kernel_time", "array", "devices that do not run ahead of the kernel: `device`, and the `parts` that need it", false},
    {"notes", "array", "warnings about the platform's file, and choices that a user may not expect", false},
    {"parameters", "object", "parameters of the platform, by path: `value`, `unit`, `source`", true},
    {"cost", "object", "cost of the reduction tables or accelerators, for families that can compute it", false},
    {"area", "object",
     "area of one switch, mm2, or block RAMs and DSP blocks of one accelerator, for families that can compute it", false},
    {"bottleneck", "object", "with --bottleneck measured: `measured`, the bottleneck that reruns have found", false},
    {"against", "array", "with --against: rows of the same messages by other algorithms, with their differences", false},
    {"results", "array", "one row per message (of each job)", true},
    {"kernel", "object", "work of the simulator; everything else is the same on every machine", true},
    {"point", "object", "in a sweep: `id` and `settings` of the point", false},
};

Json kernel_schema() {
  return object_of({{"mode", {{"enum", {"windowed", "event", "fluid"}}}},
                    {"packet_hops", type_only("integer")},
                    {"events", type_only("integer")},
                    {"cpu_s", type_only("number")},
                    {"packet_hops_per_cpu_s", type_only("number")},
                    {"peak_rss_bytes", type_only("integer")}});
}

Json array_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }

/// The object `bottleneck.measured` (docs/measured_bottleneck.md#json).
Json measured_schema() {
  const Json text = type_only("string"), number = type_only("number"), count = type_only("integer");
  const Json moves = array_of(object_of({{"parameter", text}, {"from", text}, {"to", text}}));
  Json step =
      object_of({{"parameter", text}, {"role", text}, {"from", text}, {"to", text}, {"time_ns", number}, {"gain", number}});
  step["properties"]["elasticity"] = number;
  Json joint = object_of({{"parameters", moves}, {"gain", number}, {"all", number}});
  joint["type"] = {"object", "null"};
  Json all = object_of({{"verdict", {{"enum", {"unknown", "nothing", "single", "together"}}}},
                        {"parameters", moves},
                        {"gain", number},
                        {"equals", array_of(text)},
                        {"time_ns", number},
                        {"spread", number},
                        {"eps", number},
                        {"runs", count},
                        {"missing", count},
                        {"steps", array_of(step)},
                        {"joint", joint},
                        {"ladder", array_of(object_of({{"factor", number}, {"parameters", moves}, {"gain", number}}))},
                        {"choices", array_of(step)},
                        {"inert", array_of(text)},
                        {"refused", array_of(object_of({{"parameter", text}, {"to", text}, {"reason", text}}))},
                        {"not_run", array_of(text)}});
  all["properties"]["reason"] = all["properties"]["ended"] = text;
  return all;
}

/// A row of `against`.
Json against_schema() {
  const Json text = type_only("string"), number = {{"type", {"number", "null"}}}, count = {{"type", {"integer", "null"}}};
  return object_of({{"algorithm", text},
                    {"label", text},
                    {"size_bytes", type_only("integer")},
                    {"status", text},
                    {"time_ns", number},
                    {"difference_ns", number},
                    {"algbw_GBps", number},
                    {"wrong", count}});
}

/// An entry of `shadow`.
Json shadow_schema() {
  const Json text = type_only("string"), count = type_only("integer");
  Json all = object_of({{"place", text}, {"block", text}, {"file", text}, {"compared", count}, {"different", count}});
  all["properties"]["first"] =
      object_of({{"time_ps", count},
                 {"ticket", count},
                 {"request", text},
                 {"fields", array_of(object_of({{"field", text}, {"expected", text}, {"got", text}}))}});
  return all;
}

std::string cell(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '|' ? std::string("\\|") : std::string(1, c);
  return all;
}

}  // namespace

std::string result_schema() {
  Json properties = Json::object(), required = Json::array();
  for (const DocumentField& field : document_fields) {
    properties[field.name] = described(field.type, "", field.about);
    if (field.always) required.push_back(field.name);
  }
  for (const char* texts : {"faults", "plugins", "replaced_blocks", "notes"})
    properties[texts]["items"] = type_only("string");
  properties["parameters"]["additionalProperties"] =
      object_of({{"value", {{"type", {"number", "string", "boolean", "null"}}}},
                 {"unit", type_only("string")},
                 {"source", type_only("string")}});
  properties["shadow"]["items"] = shadow_schema();
  properties["against"]["items"] = against_schema();
  properties["kernel_time"]["items"] =
      object_of({{"device", type_only("string")}, {"parts", array_of(type_only("string"))}});
  const Json bottleneck_about = properties["bottleneck"]["description"];
  properties["bottleneck"] = object_of({{"measured", measured_schema()}});
  properties["bottleneck"]["description"] = bottleneck_about;
  properties["cost"]["additionalProperties"] = type_only("number");
  properties["area"]["additionalProperties"] = type_only("number");
  properties["results"]["items"] = row_schema();
  properties["kernel"] = kernel_schema();
  properties["point"] = object_of(
      {{"id", type_only("string")}, {"settings", {{"type", "object"}, {"additionalProperties", type_only("string")}}}});
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"$id", "run.schema.json"},
                       {"title", "Result file of `tributary run --json`"},
                       {"type", "object"},
                       {"properties", properties},
                       {"required", required},
                       {"additionalProperties", false}};
  return schema.dump(1) + "\n";
}

std::string result_page() {
  std::ostringstream out;
  out << "# Result files\n\n"
         "Contents of the files of `tributary run --json FILE` and `--csv FILE`. The schemas in [schema](schema) (JSON "
         "schema, draft "
         "2020-12; installed in\n"
         "`share/tributary/schema`) are the machine-readable form: `run`, and, written by hand, `train`, `schedule`, "
         "`estimate` and "
         "`netlist`, one per `--json`,\n`topology` for `import topology --graph`, and `explore` for the `explore.json` of "
         "an exploration.\n"
         "A test validates every output against them. This page is generated by `tributary list results "
         "--markdown`, and a test checks it;\n"
         "`tributary list results --schema` prints the schema of `run`.\n\nIn a CSV, control characters are escapes such as "
         "`\\x1b`. A text that a spreadsheet would read as a formula has an apostrophe in front, which `tributary plot` "
         "removes.\n\n"
         "## The document\n\n| key | type | always | meaning |\n|---|---|---|---|\n";
  for (const DocumentField& field : document_fields)
    out << "| `" << field.name << "` | " << field.type << " | " << (field.always ? "yes" : "") << " | " << field.about
        << " |\n";
  out << "\n## A row\n\nA row is an entry of `results`; columns of the CSV have the same names. `results.csv` of a "
         "sweep has one column per\n"
         "key of the document or the row that is a number or a text, and one per counter.\n\n"
         "| key | JSON | CSV | unit | meaning |\n|---|---|---|---|---|\n";
  const char* const columns[] = {"", "yes", "with several jobs", "with --iterations", "yes"};
  for (const ResultField& field : result_fields())
    out << "| `" << field.name << "` | " << (field.json ? cell(field.type) + (field.always ? "" : ", where it applies") : "")
        << " | " << columns[static_cast<std::size_t>(field.column)] << " | " << field.unit << " | " << cell(field.about)
        << " |\n";
  out << "\n## Statuses\n\nThe exit code of the command is that of its worst row. A sweep adds `failed` for a point that "
         "has no "
         "results.\n\n| status | meaning | exit code |\n|---|---|---|\n";
  for (const StatusInfo& info : status_infos())
    out << "| `" << info.name << "` | " << info.about << " | " << info.exit_code << " |\n";
  out << "\n## Counters\n\n| counter | unit | meaning | on |\n|---|---|---|---|\n";
  for (const CounterInfo& info : counter_infos())
    out << "| `" << info.name << "` | " << info.unit << " | " << info.about << " | " << info.on << " |\n";
  return out.str();
}

}  // namespace tributary
