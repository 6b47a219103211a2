#include "testbench/cli/commands/export_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "modules/base/nearest.h"
#include "platforms/pin_tables.h"
#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/export_topology.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/files/topology_text.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/report/result_file.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

std::string of_network(const topology::Network& network, const std::string& format,
                       const std::vector<std::vector<int>>& cycles) {
  if (!format.empty() && format != "anynet")
    throw InputError("--format: " + format + " holds servers (legal: anynet for a network of NICs)");
  return topology::anynet_of(network, cycles);
}

std::string of_server(const topology::Server& server, const std::string& format) {
  if (format == "anynet") throw InputError("--format: anynet holds networks of NICs (legal: nccl or topo-m for a server)");
  return format == "topo-m" ? topology::topo_matrix_of(server) : topology::nccl_xml_of(server);
}

std::string of_file(const std::string& file, const std::string& format) {
  const topology::FileReading reading = topology::file_reading(file);
  const std::string text = topology::read_topology_file(reading.path);
  const topology::TopologyFormat read = topology::format_of_text(text);
  if (read != topology::TopologyFormat::anynet) return of_server(topology::server_of_text(text, reading, read), format);
  const topology::Anynet net = topology::read_anynet(text, reading.path);
  return of_network(net.network, format, net.cycles);
}

std::string exported(const ExportRequest& request) try {
  const std::string path = topology::file_reading(request.machine).path;
  if (std::filesystem::exists(path)) return of_file(request.machine, request.format);
  const topology::PlatformDescription machine(request.machine);
  if (topology::is_server(machine)) return of_server(topology::server(machine), request.format);
  return of_network(topology::network(machine), request.format, topology::link_cycles(machine));
} catch (const std::logic_error& error) {
  throw InputError(error.what());
}

std::string exported_pins(const ExportRequest& request) try {
  const PinTable& table = pin_table(request.machine);
  if (request.format == "cpp") return pin_bindings(table);
  if (request.format == "bench") return test_bench(table);
  return request.format == "markdown" ? pin_page(table) : port_list(table);
} catch (const std::invalid_argument& error) {
  throw InputError(std::string("export pins: ") + error.what());
}

void check_format(const std::string& format, const std::vector<std::string>& legal) {
  if (!format.empty() && std::find(legal.begin(), legal.end(), format) == legal.end())
    throw InputError("--format: '" + format + "' (legal: " + join_names(legal, "or") + ")");
}

}  // namespace

int export_command(const ExportRequest& request) {
  if (request.what != "topology" && request.what != "pins")
    throw InputError("export: '" + request.what + "' (legal: topology, pins)");
  const bool pins = request.what == "pins";
  if (request.machine.empty())
    throw InputError(pins ? "export: BLOCK is missing (legal: a block of `list pins`)"
                          : "export: MACHINE is missing (legal: a topology file, or the name of a server or network)");
  check_format(request.format, pins ? std::vector<std::string>{"sv", "cpp", "markdown", "bench"}
                                    : std::vector<std::string>{"nccl", "topo-m", "anynet"});
  Settings files;
  if (!pins) files.add("topology", {"file:" + request.machine, "MACHINE"});
  files.add("json", {request.out, "--out"});
  check_outputs(files);
  const std::string text = pins ? exported_pins(request) : exported(request);
  if (request.out == "-")
    std::cout << text << std::flush;
  else
    replace_file(request.out, text);
  return exit_done;
}

}  // namespace tributary
