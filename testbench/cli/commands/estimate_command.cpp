#include "testbench/cli/commands/estimate_command.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/cli/commands/estimate_flows.h"
#include "testbench/cli/exit_code.h"
#include "testbench/report/result_file.h"
#include "testbench/report/screen_width.h"

namespace tributary {
namespace {

using collective::CostTerms;
using collective::FlowEstimate;
using Json = nlohmann::ordered_json;

struct Equation {
  const char* number;
  const char* name;
  CostTerms terms;
};

std::vector<Equation> equations(const collective::MachineCost& m) {
  return {{"(1)", "ring", flat_ring_cost(m)},
          {"(2)", "tencent", tencent_cost(m)},
          {"(3)", "parallel_netreduce", parallel_netreduce_cost(m)},
          {"(4)", "(2) - (3)", tencent_loss(m)},
          {"(5)", "(1) - (3)", flat_ring_loss(m)}};
}

/// Equation (6) applies to several machines of several GPUs.
bool has_rate_ratio(const collective::MachineCost& m) { return m.gpus_per_machine >= 2 && m.gpus > 2; }

std::string milliseconds(double seconds) { return right(fixed(seconds * 1e3, 4), 12) + " ms"; }
double gigabits(double bytes, double seconds) { return bytes * 8 / seconds * 1e-9; }

std::string head_lines(const EstimateRequest& r) {
  const collective::FlowParams& f = r.flow;
  std::string text =
      left("machines", 15) + std::to_string(f.machines) + " of " + std::to_string(f.gpus) + (f.gpus == 1 ? " GPU" : " GPUs");
  if (f.racks > 1) text += " in " + std::to_string(f.racks) + " racks under a spine";
  text += "; " + fixed(f.intra_rate * 1e-9, 2) + " GB/s within, " + fixed(f.inter_rate * 1e-9, 2) + " GB/s between, " +
          fixed(f.step_time * 1e6, 3) + " us a step\n";
  return text + left("tensor", 15) + to_string(r.size) + "\n\n";
}

std::string equation_lines(const EstimateRequest& r) {
  const double bytes = static_cast<double>(r.size.value);
  std::string text = left("equation", 26) + right("steps", 10) + right("ns per KiB", 12) + right("time", 15) + "\n";
  for (const Equation& e : equations(r.machine))
    text += left(std::string(e.number) + " " + e.name, 26) + right(fixed(e.terms.steps, 2), 10) +
            right(fixed(e.terms.seconds_per_byte * 1024e9, 3), 12) + milliseconds(e.terms.seconds(r.machine, bytes)) + "\n";
  if (has_rate_ratio(r.machine))
    text += "(6) Bi/Be = " + fixed(r.machine.intra_rate / r.machine.inter_rate, 3) + "; (3) beats (1) from " +
            fixed(sufficient_rate_ratio(r.machine), 3) + " on, with a large tensor from " +
            fixed(exact_rate_ratio(r.machine), 3) + " on\n";
  return text + "\n";
}

std::string flow_lines(const EstimateRequest& r) {
  const double bytes = static_cast<double>(r.size.value);
  std::string text = "message of NetReduce: " + std::to_string(static_cast<unsigned>(message_bytes(r.flow))) +
                     " B of tensor, " + fixed(message_time(r.flow) * 1e6, 3) + " us on the wire; next in window " +
                     fixed(window_turnaround(r.flow) * 1e6, 3) + " us later: " + fixed(window_share(r.flow) * 100, 1) +
                     " % of the wire\n\n";
  text += left("flow model", 26) + right("time", 15) + right("Gb/s", 10) + right("busiest NIC sends", 20) + "\n";
  for (const FlowEstimate& e : flow_estimates(r.flow, bytes))
    text += left(e.algorithm, 26) + milliseconds(e.seconds) + right(fixed(gigabits(bytes, e.seconds), 2), 10) +
            right(fixed(e.busiest_bytes / bytes, 3) + " tensors", 20) + "\n";
  return text;
}

std::string fluid_lines(const EstimateRequest& r, const std::vector<FluidEstimate>& estimates) {
  const double bytes = static_cast<double>(r.size.value);
  std::string text = left("flows", 26) + right("time", 15) + right("Gb/s", 10) + right("activities", 12) + "\n";
  for (const FluidEstimate& e : estimates)
    text += left(e.algorithm, 26) + milliseconds(e.seconds) + right(fixed(gigabits(bytes, e.seconds), 2), 10) +
            right(std::to_string(e.activities), 12) + "\n";
  return text;
}

std::string fluid_json(const EstimateRequest& r, const std::vector<FluidEstimate>& estimates) {
  Json json{{"fidelity", "fluid"},        {"tensor_bytes", r.size.value},        {"machines", r.flow.machines},
            {"gpus", r.flow.gpus},        {"intra_rate_Bps", r.flow.intra_rate}, {"inter_rate_Bps", r.flow.inter_rate},
            {"alpha_s", r.flow.step_time}};
  for (const FluidEstimate& e : estimates)
    json["flows"].push_back({{"algorithm", e.algorithm}, {"seconds", e.seconds}, {"activities", e.activities}});
  return json.dump(2) + "\n";
}

std::string json_text(const EstimateRequest& r) {
  const double bytes = static_cast<double>(r.size.value);
  Json json{{"tensor_bytes", r.size.value}, {"machines", r.flow.machines},         {"gpus", r.flow.gpus},
            {"racks", r.flow.racks},        {"intra_rate_Bps", r.flow.intra_rate}, {"inter_rate_Bps", r.flow.inter_rate},
            {"alpha_s", r.flow.step_time}};
  for (const Equation& e : equations(r.machine))
    json["equations"].push_back({{"number", e.number},
                                 {"name", e.name},
                                 {"steps", e.terms.steps},
                                 {"seconds_per_byte", e.terms.seconds_per_byte},
                                 {"seconds", e.terms.seconds(r.machine, bytes)}});
  if (has_rate_ratio(r.machine))
    json["rate_ratio"] = {{"given", r.machine.intra_rate / r.machine.inter_rate},
                          {"sufficient", sufficient_rate_ratio(r.machine)},
                          {"exact_for_large_tensors", exact_rate_ratio(r.machine)}};
  json["message"] = {{"tensor_bytes", message_bytes(r.flow)},
                     {"seconds", message_time(r.flow)},
                     {"window", r.flow.window},
                     {"turnaround_s", window_turnaround(r.flow)},
                     {"share_of_wire", window_share(r.flow)}};
  for (const FlowEstimate& e : flow_estimates(r.flow, bytes))
    json["flow_model"].push_back({{"algorithm", e.algorithm},
                                  {"seconds", e.seconds},
                                  {"Gbps", gigabits(bytes, e.seconds)},
                                  {"busiest_nic_bytes", e.busiest_bytes}});
  return json.dump(2) + "\n";
}

void print_text(const std::string& text) {
  constexpr std::size_t indent_of_values = 15;
  std::cout << wrapped_lines(text, screen_width(), indent_of_values) << std::flush;
}

int estimate_by_flows(const EstimateRequest& request) {
  const std::vector<FluidEstimate> estimates = fluid_estimates(request.machine, static_cast<double>(request.size.value));
  if (request.json == "-") {
    std::cout << fluid_json(request, estimates) << std::flush;
    return exit_done;
  }
  print_text(head_lines(request) + fluid_lines(request, estimates));
  if (!request.json.empty()) replace_file(request.json, fluid_json(request, estimates));
  return exit_done;
}

}  // namespace

int estimate_command(const EstimateRequest& request) {
  if (request.fluid) return estimate_by_flows(request);
  if (request.json == "-") {
    std::cout << json_text(request) << std::flush;
    return exit_done;
  }
  print_text(head_lines(request) + equation_lines(request) + flow_lines(request));
  if (!request.json.empty()) replace_file(request.json, json_text(request));
  return exit_done;
}

}  // namespace tributary
