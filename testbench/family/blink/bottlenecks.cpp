#include "testbench/family/blink/bottlenecks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/family/blink/algorithm.h"
#include "testbench/run/channel_chain.h"
#include "testbench/run/run_spec.h"
#include "testbench/run/stream_bottlenecks.h"

namespace tributary {
namespace {

const char* parameter_of(topology::ServerLink kind) {
  switch (kind) {
    case topology::ServerLink::nvlink:
      return "blink.nvlink.rate";
    case topology::ServerLink::processors:
      return "blink.pcie.socket_rate";
    case topology::ServerLink::network:
      return "blink.net.rate";
    default:
      return "blink.pcie.rate";
  }
}

/// Returns the most peers of a GPU over direct NVLinks, plus one over PCIe.
unsigned most_peers(const topology::ServerGraph& servers) {
  unsigned most = 0;
  for (int gpu = 0; gpu < servers.gpus(); ++gpu) {
    unsigned peers = 1;
    for (int peer = 0; peer < servers.gpus(); ++peer) peers += peer != gpu && servers.nvlinks(gpu, peer) > 0;
    most = std::max(most, peers);
  }
  return most;
}

bool any_bytes(const BottleneckInput& in, const topology::ServerGraph& servers, topology::ServerLink kind) {
  for (std::size_t link = 0; link < in.row.links.size(); ++link)
    if (in.row.links[link].bytes > 0 && servers.kind(link / 2) == kind) return true;
  return false;
}

/// Returns the parameter of that link on the path from a GPU to a peer that was busy longest.
LinkParameters busiest_link(const BottleneckInput& in, const BlinkPlatform& platform) {
  std::map<std::pair<int, int>, double> busy;  // by the port that sends
  const std::vector<topology::Link>& links = platform.graph().links();
  for (std::size_t link = 0; link < in.row.links.size(); ++link) {
    const topology::PortRef port = link % 2 == 0 ? links.at(link / 2).a : links.at(link / 2).b;
    busy[{port.node, port.port}] = in.row.links[link].utilisation;
  }
  const bool nics_aside = platform.params().net.attach == NicPlace::ideal;
  return [busy = std::move(busy), &servers = platform.servers(), nics_aside](unsigned from, unsigned to, CopyPath path) {
    if (path == CopyPath::nvlink) return parameter_of(topology::ServerLink::nvlink);
    if (path == CopyPath::network && nics_aside) return parameter_of(topology::ServerLink::network);
    double most = -1;
    const char* parameter = "";
    for (const topology::PortRef port : servers.route(static_cast<int>(from), static_cast<int>(to))) {
      const auto known = busy.find({port.node, port.port});
      if (known == busy.end() || known->second <= most) continue;
      most = known->second, parameter = parameter_of(servers.kind(port));
    }
    return parameter;
  };
}

/// A predicted chunk grows with the launches of its copies and with faster links. Hence a change of either changes the
/// chunk, and the time of the other.
void share_with_launches(std::vector<PathPart>& parts) {
  const auto find = [&](const char* parameter) {
    return std::find_if(parts.begin(), parts.end(), [&](const PathPart& p) { return p.parameter == parameter; });
  };
  const auto launches = find("blink.copy.launch"), links = find(parameter_of(topology::ServerLink::nvlink));
  if (launches == parts.end() || links == parts.end()) return;
  links->shared.push_back({launches->parameter, std::min(launches->time, links->time)});
}

/// Returns the ways of steps of channels. Over PCIe a packet crosses the links and switches of a mean packet.
ChannelRoutes routes_of(const BottleneckInput& in, const LinkParameters& rates, const BlinkPlatformParams& p) {
  const auto ps = [](Time time) { return static_cast<double>(time.value); };
  const double links = mean_links(in.row, "gpu");
  const std::vector<PathPart> pcie{{"blink.pcie.switch_latency", (links - 1) * ps(p.pcie.switch_latency)},
                                   {"blink.pcie.latency", links * ps(p.pcie.latency)}};
  std::vector<PathPart> net = pcie;
  net.push_back({"blink.net.latency", ps(p.net.latency)});
  const std::vector<PathPart> nvlink{{"blink.nvlink.latency", ps(p.gpu.nvlink.latency)}};
  return [=](unsigned from, unsigned to, CopyPath path) -> ChannelRoute {
    return {rates(from, to, path), path == CopyPath::nvlink ? nvlink : path == CopyPath::pcie ? pcie : net};
  };
}

/// A memory that serves requests for more than half of the time slows all its users, so that faster links, kernels or
/// commands need a faster memory.
void add_memory_needs(BottleneckAccount& account) {
  double memory = 0;
  for (const BottleneckCandidate& c : account.resources)
    if (c.cause == BottleneckCause::memory) memory = std::max(memory, c.share);
  for (const BottleneckCause of : {BottleneckCause::link, BottleneckCause::compute, BottleneckCause::chain})
    account.needs.push_back({of, BottleneckCause::memory, "blink.memory.rate", memory / 0.5});
}

}  // namespace

BottleneckRules blink_bottlenecks(const BlinkPlatform& platform, const BlinkAlgorithm& algorithm, const JobSpec& job) {
  BottleneckRules rules;
  rules.link_parameter = [&platform](std::size_t link) { return parameter_of(platform.servers().kind(link / 2)); };
  rules.watches.push_back(
      {"*.kernel.busy", {}, {BottleneckCause::compute, BottleneckKind::busy, "", "KernelUnit", "blink.kernel.rate"}});
  const std::string engines = "blink" + std::string(engines_parameter(platform.params().gpu.copy));
  rules.watches.push_back(
      {"*.engine*.busy", {}, {BottleneckCause::copy_engine, BottleneckKind::busy, "", "CopyEngine", engines}});
  rules.watches.push_back({"*.engine*.copy", {1, 0}, {}});  // no level is within {1, 0}: only firings count
  rules.watches.push_back({"*.queue*.command", {1, 0}, {}});
  watch_channels("blink", platform.params().nccl.reduce_rate->value != platform.params().nccl.link_rate->value, rules);
  rules.watches.push_back(
      {"*.memory.busy", {}, {BottleneckCause::memory, BottleneckKind::busy, "", "MemoryRate", "blink.memory.rate"}});
  rules.watches.push_back(
      {"*.physical*.busy", {}, {BottleneckCause::copy_engine, BottleneckKind::busy, "", "CopyEngine", engines}});
  const BlinkPlatformParams& p = platform.params();
  const CopyParams& copy = p.gpu.copy;
  const bool enough = copy.links == EngineLinks::all && copy.concurrent() >= most_peers(platform.servers());
  const auto chain = stream_chain("blink", {p.gpu.streams, p.gpu.copy, p.gpu.kernel, algorithm.request_time()}, false);
  rules.observers.push_back(chain);
  const auto steps = std::make_shared<ChannelChain>("blink", p.nccl.reduce_rate->value != p.nccl.link_rate->value);
  rules.observers.push_back(steps);
  rules.amend = [=, &platform, &algorithm](const BottleneckInput& in, BottleneckAccount& account) {
    if (enough)
      take_off(account, BottleneckCause::copy_engine);  // an engine is then busy exactly as long as the links to its peer
    algorithm.add_bottlenecks(job, {in, in.seen[2], any_bytes(in, platform.servers(), topology::ServerLink::nvlink)},
                              account);
    const LinkParameters rates = busiest_link(in, platform);
    std::vector<PathPart> parts = chain->parts(rates);
    if (algorithm.predicts_chunks()) share_with_launches(parts);
    replace_path(parts, account);
    replace_path(steps->parts(routes_of(in, rates, platform.params())), account);
    add_memory_needs(account);
    add_issue("blink", in.seen[3], job.ranks.size(), platform.params().gpu.streams, in, account);
  };
  return rules;
}

void add_stream_limits(const BlinkPlatformParams& params, const JobSpec& job, const CopyUse& use,
                       BottleneckAccount& account) {
  const StreamGpuParams& gpu = params.gpu;
  const Tick launch = gpu.copy.launch.value, launches_of_chunk = launch + gpu.kernel.launch.value;
  const double rate = static_cast<double>(gpu.nvlink.rate.value_or(25_GBps).value) * 1e-12;  // bytes per ps
  // A hop begins when its chunk has arrived completely. Faster links shorten that time, and so do smaller chunks, until the
  // time of a chunk equals that of its launches.
  const double whole = static_cast<double>(use.copies.largest) / rate;
  const double spared = std::max(0.0, whole - static_cast<double>(launches_of_chunk)) / 2;
  std::vector<PathPart> path = stream_path("blink", job, {gpu.streams, gpu.copy, gpu.kernel});
  path.push_back({use.nvlinks ? "blink.nvlink.rate" : "blink.pcie.rate", whole - spared});
  path.push_back({"blink.chunk", spared});
  account.add_path(path);
  account.whole_path = false;  // the number of hops is not known
  const double launches = static_cast<double>(use.copies.firings * launch) / use.in.time;
  if (launches > 0)
    account.add({BottleneckCause::copy_engine, BottleneckKind::busy, use.copies.module, "CopyEngine", "blink.copy.launch",
                 launches});
}

}  // namespace tributary
