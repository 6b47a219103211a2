#include "testbench/cli/requests/estimate_request.h"

#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"

namespace tributary {
namespace {

EstimateOption option(const char* name, const char* argument, const char* standard, const std::string& meaning,
                      const std::string& unit) {
  return {name, argument, standard,
          meaning + " [unit: " + unit + "; default: " + (*standard == 0 ? "none" : standard) + "]"};
}

/// Texts of options; the table has the text of an option that is not given.
class Texts {
 public:
  explicit Texts(const EstimateOptions& given) : given_(given) {}

  std::string operator[](const std::string& name) const {
    const auto found = given_.find(name);
    if (found != given_.end()) return found->second;
    for (const EstimateOption& o : estimate_options())
      if (name == o.name) return o.standard;
    return "";
  }
  int count(const std::string& name, std::uint64_t least, std::uint64_t most) const {
    return with_place("--" + name, [&] { return static_cast<int>(parse_count_within((*this)[name], least, most)); });
  }
  /// Parses a quantity and checks its range.
  template <class Value>
  Value within(const std::string& name, Value (*parse)(std::string_view), Value least, Value most) const {
    return with_place("--" + name, [&] {
      const Value value = parse((*this)[name]);
      if (value < least || most < value)
        throw InputError("'" + (*this)[name] + "' is out of range (legal: " + to_string(least) + " to " + to_string(most) +
                         ")");
      return value;
    });
  }
  double rate(const std::string& name) const {
    return static_cast<double>(within(name, parse_bandwidth, bytes_per_second(1'000'000), 10'000_GBps).value);
  }
  double seconds(const std::string& name) const {
    return static_cast<double>(within(name, parse_time, 0_ps, 1000_ms).value) * 1e-12;
  }

 private:
  const EstimateOptions& given_;
};

constexpr int most_gpus = 8192, most_gpus_of_flows = 131'072;

}  // namespace

const std::vector<EstimateOption>& estimate_options() {
  static const std::vector<EstimateOption> all{
      option("size", "SIZE", "100MB", "size of the tensor on each GPU", "bytes"),
      option("machines", "N", "4", "number of machines, each with one NIC", "machines"),
      option("gpus", "N", "8", "number of GPUs in a machine", "GPUs"),
      option("racks", "N", "1", "number of racks with the same number of machines; several racks have a spine", "racks"),
      option("intra-rate", "RATE", "150GB/s", "rate between the GPUs of a machine (Bi)", "bytes/s"),
      option("inter-rate", "RATE", "100Gb/s", "rate of a link between machines (Be)", "bytes/s"),
      option("alpha", "TIME", "1us", "fixed time of a step", "time"),
      option("window", "N", "2", "window of NetReduce", "messages"),
      option("message-packets", "N", "170", "packets in a message of NetReduce", "packets"),
      option("payload", "SIZE", "1KiB", "payload of a RoCE packet", "bytes"),
      option("turnaround", "TIME", "0ns", "time in the host from a result to the next message", "time"),
      option("mode", "MODE", "equations", "equations: equations and a flow model; fluid: flows at fair rates", "name"),
      option("json", "FILE", "", "all results as JSON; - is standard output", "path"),
  };
  return all;
}

EstimateRequest make_estimate_request(const EstimateOptions& options) {
  const Texts texts(options);
  EstimateRequest request;
  collective::FlowParams& flow = request.flow;
  request.size = texts.within("size", parse_bytes, 1_B, 1'048'576_MiB);
  request.fluid = with_place("--mode", [&] {
    return parse_name<bool>(texts["mode"], {{"equations", false}, {"fluid", true}});
  });
  flow.machines = texts.count("machines", request.fluid ? 1 : 2, request.fluid ? most_gpus_of_flows : 4096);
  flow.gpus = texts.count("gpus", 1, 64);
  flow.racks = texts.count("racks", 1, 1024);
  flow.intra_rate = texts.rate("intra-rate");
  flow.inter_rate = texts.rate("inter-rate");
  flow.step_time = texts.seconds("alpha");
  flow.window = static_cast<unsigned>(texts.count("window", 1, 64));
  flow.message_packets = static_cast<unsigned>(texts.count("message-packets", 2, 4096));
  flow.payload = static_cast<unsigned>(texts.within("payload", parse_bytes, 256_B, 4_KiB).value);
  flow.turnaround = texts.seconds("turnaround");
  const int gpus = flow.machines * flow.gpus;
  const int most = request.fluid ? most_gpus_of_flows : most_gpus;
  if (gpus > most)
    throw InputError("--machines, --gpus: " + std::to_string(gpus) + " GPUs in all (legal: at most " + std::to_string(most) +
                     ")");
  if (request.fluid && flow.racks > 1) throw InputError("--racks: --mode fluid models one rack (legal: 1)");
  if (flow.machines % flow.racks != 0)
    throw InputError("--racks: " + std::to_string(flow.machines) + " machines cannot be divided equally among " +
                     std::to_string(flow.racks) + " racks");
  request.machine = {gpus, flow.gpus, flow.intra_rate, flow.inter_rate, flow.step_time};
  request.json = texts["json"];
  Settings outputs;
  if (options.count("json") != 0) outputs.add("json", {request.json, "--json"});
  check_outputs(outputs);
  return request;
}

}  // namespace tributary
