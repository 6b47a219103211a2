#include "platforms/topology/files/nccl_devices.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "platforms/topology/files/link_rates.h"
#include "platforms/topology/files/xml_attributes.h"
#include "platforms/topology/switch_planes.h"

namespace tributary::topology {
namespace {

using Limits = TopologyFileLimits;
constexpr int most_number = 65'535;         ///< largest number of a GPU, a NUMA node or a net
constexpr int most_megabits = 100'000'000;  ///< largest credible speed of a net
constexpr const char* name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool is(const XmlElement& element, const char* name) { return element.name == name; }

class Reader {
 public:
  explicit Reader(const TopologyText& text) : text_(text), read_(text), root_(parse_xml(text)) {
    if (!is(root_, "system")) text_.fail(root_.line, "the root is <" + shown(root_) + "> (legal: <system>)");
    if (const int version = read_.number(root_, "version", 0, most_number); version < 1 || version > 2)
      note(root_, "version " + std::to_string(version) + " is read like 1 (NCCL) and 2 (RCCL)");
    devices_.line = root_.line;
    for (const XmlElement& child : root_.children) {
      if (!expect(child, root_, {"cpu", "nvswitch"})) continue;
      is(child, "cpu") ? socket_numbers(child) : switch_element(child);
    }
    int socket = 0;
    for (const XmlElement& child : root_.children)
      if (is(child, "cpu")) below(child, socket++, PcieLink{});
    choose_gpus();
    leave_out_empty();
  }

  NcclDevices devices() { return std::move(devices_); }

 private:
  static std::string shown(const XmlElement& element) { return element.name.substr(0, 40); }

  /// True if the element is one of `known`. Unknown elements, which later versions may define, are skipped with their
  /// contents.
  bool expect(const XmlElement& element, const XmlElement& parent, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), element.name) != known.end()) return true;
    note(element, "<" + shown(element) + "> in <" + shown(parent) + "> is unknown and ignored");
    return false;
  }

  /// Checks that each <cpu> is one socket with its own number, and that all are of one host.
  void socket_numbers(const XmlElement& cpu) {
    const std::string* const host = cpu.find("host_hash");
    const std::string hash = host == nullptr ? "" : *host;
    if (devices_.pcie.empty()) host_ = hash;
    if (hash != host_) text_.fail(cpu.line, "a second host: host_hash " + quoted(hash) + " (legal: one host)");
    const bool unknown = read_.needed(cpu, "numaid") == "-1";
    const int number = unknown ? -1 : read_.number(cpu, "numaid", 0, most_number);
    for (const PcieNode& other : devices_.pcie)
      if (other.number == number)
        text_.fail(cpu.line, "<cpu>: a second one with numaid " + std::to_string(number) + " (legal: one each)");
    add_node({-1, number, {}, rate_to_sockets(cpu)}, cpu);
  }

  static std::uint64_t rate_to_sockets(const XmlElement& cpu) {
    const auto text = [&](const char* name) {
      const std::string* const found = cpu.find(name);
      return found == nullptr ? std::string() : *found;
    };
    if (text("arch").empty()) return 0;
    return nccl_processor_rate(text("arch"), text("vendor"), decimal(text("familyid"), 0, most_number),
                               decimal(text("modelid"), 0, most_number));
  }

  int add_node(const PcieNode& node, const XmlElement& element) {
    if (devices_.pcie.size() == Limits::bridges)
      text_.fail(element.line, "too many PCIe switches (legal: up to " + std::to_string(Limits::bridges) + ")");
    devices_.pcie.push_back(node);
    return static_cast<int>(devices_.pcie.size()) - 1;
  }

  void note(const XmlElement& element, const std::string& what) {
    devices_.notes.push_back("line " + std::to_string(element.line) + ": " + what);
  }

  /// Reads the contents of a <cpu>, or of a <pci> whose class is a bridge.
  void below(const XmlElement& parent, int node, const PcieLink& up) {
    for (const XmlElement& child : parent.children) {
      if (!expect(child, parent, {"pci", "nic", "gpu", "pcilink"})) continue;
      if (is(child, "pci")) device(child, node);
      if (is(child, "nic")) nic(child, node, up);
      if (is(child, "gpu")) gpu_element(child, parent, node, up);
      if (is(child, "pcilink")) note(child, "<pcilink> is not simulated");
    }
  }

  void device(const XmlElement& pci, int on) {
    const std::string bus = read_.bus_id(pci, "busid");
    const PciKind kind = pci_kind(read_.pci_class(pci, "class"));
    const PcieLink up = read_.pcie_link(pci);
    const auto has = [&](const char* name) {
      return std::any_of(pci.children.begin(), pci.children.end(), [&](const XmlElement& e) { return is(e, name); });
    };
    if (!buses_.insert(bus).second) note(pci, "bus id " + bus + " repeated: taken for another device");
    const bool passes = has("pci");
    below(pci, passes ? add_node({on, -1, up, 0}, pci) : on, passes ? PcieLink{} : up);
    if (passes || has("gpu") || has("nic")) return;
    if (kind == PciKind::gpu) add_gpu(pci, bus, on, up);
    if (kind == PciKind::nic) add_nic(pci, {on, up, 0});
  }

  NcclGpu& add_gpu(const XmlElement& element, const std::string& bus, int on, const PcieLink& up) {
    for (const NcclGpu& other : devices_.gpus)
      if (other.bus == bus) text_.fail(element.line, "a second GPU with bus id " + bus + " (legal: one)");
    if (devices_.gpus.size() == Limits::gpus)
      text_.fail(element.line, "too many GPUs (legal: up to " + std::to_string(Limits::gpus) + ")");
    NcclGpu gpu;
    gpu.line = element.line, gpu.bus = bus, gpu.on = on, gpu.up = up;
    devices_.gpus.push_back(std::move(gpu));
    return devices_.gpus.back();
  }

  void gpu_element(const XmlElement& element, const XmlElement& parent, int on, const PcieLink& up) {
    if (!is(parent, "pci"))
      text_.fail(element.line, "<gpu> in <" + shown(parent) + "> (legal: in the <pci> that has its bus id)");
    NcclGpu& gpu = add_gpu(element, read_.bus_id(parent, "busid"), on, up);
    gpu.told = true;
    gpu.number = read_.number(element, "dev", 0, most_number);
    const int capability = read_.number_or(element, "sm", 0, most_number, 0);
    if (const std::string* const gcn = element.find("gcn")) gpu.gcn = *gcn;
    gpu.capability = gpu.gcn.empty() ? capability : 0;  // RCCL's sm is the number of compute units
    for (const XmlElement& row : element.children) {
      if (!expect(row, element, {"nvlink", "xgmi", "c2c"})) continue;
      if (is(row, "c2c"))
        note(row, "<c2c>, the link between a GPU and its processor, is not simulated");
      else
        gpu.rows.push_back(link_row(row, most_nvlinks));
    }
  }

  /// NCCL writes fffffff:ffff:ff, which is no bus id, for an NVSwitch that a virtual machine hides.
  NcclLinkRow link_row(const XmlElement& row, int most) const {
    const bool hidden = read_.needed(row, "target") == "fffffff:ffff:ff";
    return {row.line, hidden ? hidden_switch : read_.bus_id(row, "target"), read_.number(row, "count", 1, most),
            read_.pci_class(row, "tclass")};
  }

  void switch_element(const XmlElement& element) {
    NcclSwitch found{element.line, read_.bus_id(element, "busid"), "", {}};
    if (const std::string* const name = element.find("name")) found.name = *name;
    if (found.name.size() > 40 || found.name.find_first_not_of(name_letters) != std::string::npos)
      text_.fail(element.line, "<nvswitch>: name " + quoted(found.name) + " (legal: up to 40 letters, digits, _)");
    for (const NcclSwitch& other : devices_.switches)
      if (other.bus == found.bus || (!found.name.empty() && other.name == found.name))
        text_.fail(element.line, "<nvswitch>: a second one with this bus id or name (legal: one each)");
    if (devices_.switches.size() == Limits::switches)
      text_.fail(element.line, "too many NVSwitches (legal: up to " + std::to_string(Limits::switches) + ")");
    for (const XmlElement& row : element.children) {
      if (!expect(row, element, {"nvlink"})) continue;
      found.rows.push_back(link_row(row, most_switch_links));
    }
    devices_.switches.push_back(std::move(found));
  }

  void nic(const XmlElement& element, int on, const PcieLink& up) {
    NcclNic found{on, up, 0};
    bool used = element.children.empty();
    for (const XmlElement& net : element.children) {
      if (!expect(net, element, {"net", "gin", "rma"})) continue;
      const std::string* const off = net.find("net");
      if (!is(net, "net") || net.find("dev") == nullptr || (off != nullptr && *off == "0")) continue;
      read_.number(net, "dev", 0, most_number);
      used = true;
      const std::string* const speed = net.find("speed");
      if (speed == nullptr || (!speed->empty() && speed->front() == '-')) continue;
      const int megabits = read_.number(net, "speed", 0, std::numeric_limits<int>::max());
      if (megabits > most_megabits)
        note(net, "a speed of " + *speed + " Mb/s is more than a NIC has: it is taken as unknown");
      else
        found.rate += static_cast<std::uint64_t>(megabits) * 125'000;
    }
    if (used) add_nic(element, found);
  }

  void add_nic(const XmlElement& element, const NcclNic& nic) {
    if (devices_.nics.size() == Limits::nics)
      text_.fail(element.line, "too many NICs (legal: up to " + std::to_string(Limits::nics) + ")");
    devices_.nics.push_back(nic);
  }

  /// If there are <gpu> elements, a PCI class alone does not make a GPU: such devices are displays, or GPUs that were
  /// hidden from the job. Without <gpu> elements GPUs are ordered by bus id, as drivers number them.
  void choose_gpus() {
    auto& gpus = devices_.gpus;
    if (gpus.empty()) text_.fail(devices_.line, "no GPU (legal: <gpu>, or <pci> of class 0x0302)");
    if (std::none_of(gpus.begin(), gpus.end(), [](const NcclGpu& g) { return g.told; })) {
      const auto key = [](const NcclGpu& g) { return std::pair(g.bus.size(), g.bus); };
      std::sort(gpus.begin(), gpus.end(), [&](const NcclGpu& a, const NcclGpu& b) { return key(a) < key(b); });
      return;
    }
    gpus.erase(std::remove_if(gpus.begin(), gpus.end(), [](const NcclGpu& g) { return !g.told; }), gpus.end());
    std::stable_sort(gpus.begin(), gpus.end(), [](const NcclGpu& a, const NcclGpu& b) { return a.number < b.number; });
    for (std::size_t i = 1; i < gpus.size(); ++i)
      if (gpus[i].number == gpus[i - 1].number)
        text_.fail(gpus[i].line, "<gpu>: a second one with dev " + std::to_string(gpus[i].number) + " (legal: one each)");
  }

  void leave_out_empty() {
    std::vector<bool> used(devices_.pcie.size(), false);
    for (const NcclGpu& g : devices_.gpus) used[static_cast<std::size_t>(g.on)] = true;
    for (const NcclNic& n : devices_.nics) used[static_cast<std::size_t>(n.on)] = true;
    std::vector<PcieNode>& nodes = devices_.pcie;
    for (std::size_t i = nodes.size(); i-- > 0;)
      if (used[i] && nodes[i].parent >= 0) used[static_cast<std::size_t>(nodes[i].parent)] = true;
    std::vector<int> now(nodes.size(), -1);
    std::vector<PcieNode> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!used[i]) continue;
      PcieNode node = nodes[i];
      if (node.parent >= 0) node.parent = now[static_cast<std::size_t>(node.parent)];
      now[i] = static_cast<int>(kept.size());
      kept.push_back(node);
    }
    nodes = std::move(kept);
    for (NcclGpu& g : devices_.gpus) g.on = now[static_cast<std::size_t>(g.on)];
    for (NcclNic& n : devices_.nics) n.on = now[static_cast<std::size_t>(n.on)];
  }

  const TopologyText& text_;
  XmlAttributes read_;
  XmlElement root_;
  NcclDevices devices_;
  std::string host_;
  std::set<std::string> buses_;
};

}  // namespace

PciKind pci_kind(std::uint32_t pci_class) {
  if (pci_class >> 8 == 0x0604 || pci_class == 0x080100) return PciKind::bridge;
  if (pci_class == 0x068001) return PciKind::processor;
  if (pci_class >> 8 == 0x0680) return PciKind::nvswitch;
  if (pci_class >> 16 == 0x03 || pci_class >> 16 == 0x12) return PciKind::gpu;
  return pci_class >> 16 == 0x02 ? PciKind::nic : PciKind::other;
}

NcclDevices read_nccl_devices(const TopologyText& text) { return Reader(text).devices(); }

}  // namespace tributary::topology
