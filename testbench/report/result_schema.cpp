// The schema of result files and their page in the manual, both from the table of fields.

#include <sstream>

#include "testbench/report/result_fields.h"

namespace tributary {

using Json = nlohmann::ordered_json;

namespace {

/// `integer|null`
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

/// Where more than the type is known.
void refine(Json& properties) {
  const Json share = {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
  properties["status"]["enum"] = {"done", "wrong", "deadlock", "dead_link", "time_limit", "interrupted"};
  properties["peak_link"]["properties"] = {{"name", type_only("string")}, {"utilisation", share}};
  properties["peak_link"]["required"] = {"name", "utilisation"};
  properties["links"]["items"] =
      object_of({{"name", type_only("string")}, {"bytes", type_only("integer")}, {"utilisation", share}});
  Json limit = object_of({{"module", type_only("string")},
                          {"class", type_only("string")},
                          {"cause", type_only("string")},
                          {"share", type_only("number")},
                          {"parameter", type_only("string")}});
  const Json next = limit;
  limit["properties"]["next"] = next;
  limit["type"] = {"object", "null"};
  limit["description"] = properties["limit"]["description"];
  properties["limit"] = limit;
  Json counters = counters_schema();
  counters["description"] = "counters by name";
  properties["counters"] = counters;
  const Json bucket = {{"type", "array"}, {"items", type_only("number")}, {"minItems", 2}, {"maxItems", 2}};
  properties["latency_histograms"]["additionalProperties"] = {{"type", "array"}, {"items", bucket}};
  properties["tuned"]["additionalProperties"] = type_only("number");
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
    {"platform", "string", "the platform, with its arguments", true},
    {"collective", "string", "of the jobs; several: they differ", true},
    {"algorithm", "string", "of the jobs; several: they differ", true},
    {"ranks", "integer", "how many, of all jobs", true},
    {"endpoints", "string", "their numbers, as --ranks reads them", true},
    {"root", "integer", "rank that it comes from or goes to, unless 0", false},
    {"targets", "string", "ranks that a multicast reaches", false},
    {"start_ns", "number", "start of the job, unless 0 (ns)", false},
    {"iterations", "integer", "--iterations", false},
    {"background", "string", "--background", false},
    {"fidelity", "string", "fluid: by flows, without packets", false},
    {"seed", "integer", "of all randomness", true},
    {"faults", "array", "--fault, one text each", false},
    {"plugins", "array", "--plugin, one text each", false},
    {"replaced_blocks", "array", "blocks that plugins stand in for", false},
    {"notes", "array", "warnings of the platform's file, one text each", false},
    {"parameters", "object", "of the platform, by path: `value`, `unit`, `source`", true},
    {"cost", "object", "what the reduction tables cost; of families that know it", false},
    {"results", "array", "a row for each message (of each job)", true},
    {"kernel", "object", "what the simulator did; all else is the same on every machine", true},
    {"point", "object", "of a sweep: `id` and `settings` of the point", false},
};

Json kernel_schema() {
  return object_of({{"engine", {{"enum", {"windowed", "event", "fluid"}}}},
                    {"packet_hops", type_only("integer")},
                    {"events", type_only("integer")},
                    {"cpu_s", type_only("number")},
                    {"packet_hops_per_cpu_s", type_only("number")},
                    {"peak_rss_bytes", type_only("integer")}});
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
  for (const char* texts : {"faults", "plugins", "replaced_blocks", "notes"}) properties[texts]["items"] = type_only("string");
  properties["parameters"]["additionalProperties"] =
      object_of({{"value", {{"type", {"number", "string", "boolean", "null"}}}},
                 {"unit", type_only("string")},
                 {"source", type_only("string")}});
  properties["cost"]["additionalProperties"] = type_only("number");
  properties["results"]["items"] = row_schema();
  properties["kernel"] = kernel_schema();
  properties["point"] = object_of(
      {{"id", type_only("string")}, {"settings", {{"type", "object"}, {"additionalProperties", type_only("string")}}}});
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"$id", "run.schema.json"},
                       {"title", "What `tributary run --json` writes"},
                       {"type", "object"},
                       {"properties", properties},
                       {"required", required},
                       {"additionalProperties", false}};
  return schema.dump(1) + "\n";
}

std::string result_page() {
  std::ostringstream out;
  out << "# Result files\n\n"
         "What `tributary run --json FILE` and `--csv FILE` hold. The schemas in [schema](schema) (JSON schema, draft "
         "2020-12; installed in\n"
         "`share/tributary/schema`) say the same to a program: `run`, and by hand `train`, `schedule`, `estimate` and "
         "`netlist`, one for each `--json`, and\n`topology` for `import topology --graph`.\n"
         "A test validates every output against them, and keeps this page, which is the output of `tributary list results "
         "--markdown`;\n"
         "`tributary list results --schema` prints the schema of `run`.\n\n"
         "## The document\n\n| key | type | always | meaning |\n|---|---|---|---|\n";
  for (const DocumentField& field : document_fields)
    out << "| `" << field.name << "` | " << field.type << " | " << (field.always ? "yes" : "") << " | " << field.about
        << " |\n";
  out << "\n## A row\n\nAn entry of `results`; columns of the CSV have the same names. `results.csv` of a "
         "sweep has a column for each\n"
         "key of the document and the row that is a number or a text, and for each counter.\n\n"
         "| key | JSON | CSV | unit | meaning |\n|---|---|---|---|---|\n";
  const char* const columns[] = {"", "yes", "with several jobs", "with --iterations", "yes"};
  for (const ResultField& field : result_fields())
    out << "| `" << field.name << "` | " << (field.json ? cell(field.type) + (field.always ? "" : ", where it applies") : "")
        << " | " << columns[static_cast<std::size_t>(field.column)] << " | " << field.unit << " | " << cell(field.about)
        << " |\n";
  out << "\n## Counters\n\n| counter | unit | meaning | on |\n|---|---|---|---|\n";
  for (const CounterInfo& info : counter_infos())
    out << "| `" << info.name << "` | " << info.unit << " | " << info.about << " | " << info.on << " |\n";
  return out.str();
}

}  // namespace tributary
