#include "platforms/topology/platform_description.h"

#include <stdexcept>
#include <utility>

#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/fabric_file.h"
#include "platforms/topology/files/server_file.h"
#include "platforms/topology/files/topology_text.h"
#include "platforms/topology/server_graph.h"

namespace tributary::topology {
namespace {

const std::string any_form = "file:";

bool begins(const std::string& name, const std::string& form) { return name.compare(0, form.size(), form) == 0; }

/// Returns the server in `servers:NxSERVER`, or the name itself. An illegal number of servers is reported by the user of the
/// name.
std::string one_server(const std::string& name) {
  try {
    return server_names(name).server;
  } catch (const std::invalid_argument&) {
    return name;
  }
}

}  // namespace

PlatformDescription::PlatformDescription(const std::string& name) : name_(name) {
  const std::string one = one_server(name);
  if (begins(one, any_form))
    read(one);
  else if (has_server_format(one))
    server_ = std::make_shared<const Server>(server_from_file(one));
}

void PlatformDescription::read(const std::string& name) {
  const std::string file = name.substr(any_form.size());
  if (file.empty()) throw std::invalid_argument("'" + name + "' does not name a file (legal: file:FILE)");
  const FileReading reading = file_reading(file);
  const std::string text = read_topology_file(reading.path);
  const TopologyFormat format = format_of_text(text);
  if (format != TopologyFormat::anynet) {
    Server server = server_of_text(text, reading, format);
    server.name = name;
    server_ = std::make_shared<const Server>(std::move(server));
    return;
  }
  if (reading.path != file)
    throw std::invalid_argument(reading.path +
                                ": a network of routers has no data to complete (legal: no option of servers)");
  network_ = std::make_shared<const Anynet>(read_anynet(text, reading.path));
}

bool PlatformDescription::is_file() const { return begins(name_, any_form); }

std::string PlatformDescription::path() const { return file_reading(name_.substr(any_form.size())).path; }

}  // namespace tributary::topology
