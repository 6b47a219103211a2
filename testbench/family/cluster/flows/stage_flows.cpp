#include "testbench/family/cluster/flows/stage_flows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tributary {

using collective::Activity;
using collective::BetweenAlgorithm;
using collective::InsideAlgorithm;
using collective::Moment;
using collective::Stage;
using collective::StageWork;

namespace {

/// Messages of NetReduce of a part: all but the last are full. Each has a header before its data.
struct Messages {
  Messages(const ClusterModel& model, const ClusterLinks& links, double part) : flow(model.flow) {
    const double full = collective::message_bytes(flow), header = 1.0 * flow.payload * flow.message_packets - full;
    count = std::ceil(part / full);
    load = links.messages(full + header, count - 1);
    const RailLoad last = links.messages(part - (count - 1) * full + header);
    load = {part, load.wire + last.wire, load.pcie + last.pcie};
    length = load.wire / count / flow.inter_rate;
    turn = collective::window_turnaround(flow);
  }
  collective::FlowParams flow;
  double count;
  RailLoad load;        ///< bytes of all messages; `payload`: without headers
  double length, turn;  ///< seconds on a link; from a message to the one that its result admits
};

}  // namespace

StageFlows::StageFlows(const ClusterModel& model, const ClusterLinks& links, const TreeClasses& trees,
                       const collective::StagedAlgorithm& algorithm, Graph& graph, const LinkMap& map,
                       std::uint32_t first_lane, double slice)
    : model_(model),
      links_(links),
      trees_(trees),
      algorithm_(algorithm),
      graph_(graph),
      map_(map),
      first_lane_(first_lane),
      slice_(slice) {}

StageFlows::Graph::Id StageFlows::send(const Send& s, const Ids& earlier) {
  Activity a;
  a.bytes = s.bytes;
  a.latency = s.latency;
  a.multiplicity = s.members;
  a.cap = s.cap;
  if (s.lane != collective::no_lane) a.lane = first_lane_ + s.lane;
  for (const collective::FluidUse& use : s.uses)
    for (const LinkPart& part : map_.at(use.link)) a.uses.push_back({part.link, part.share * use.weight});
  const Graph::Id id = graph_.add(a);
  if (earlier.empty()) graph_.not_before(id, start_);
  for (const Graph::Id before : earlier) graph_.after(id, before, Moment::arrived);
  return id;
}

/// Without PXN data for other servers leave by a GPU's own NIC at once.
StageFlows::Ids StageFlows::add(const Stage& stage, bool alone, double bytes, const Ids& before, const Ids& room,
                                double start) {
  start_ = start;
  const StageWork work = collective::work_of(stage);
  const bool crosses = work == StageWork::alltoall || work == StageWork::sendrecv;
  Ids earlier = room;
  if (model_.pxn || !crosses || stage.where != Stage::Where::between)
    earlier.insert(earlier.begin(), before.begin(), before.end());
  if (stage.where == Stage::Where::all) return flat(work, bytes, earlier);
  if (in_parts(stage)) return parts_inside(work, bytes, before, room);
  return stage.where == Stage::Where::inside ? inside(work, alone, bytes, earlier) : between(work, bytes, earlier);
}

StageFlows::Ids StageFlows::between(StageWork work, double bytes, const Ids& earlier) {
  const double part = bytes / each();
  if (work == StageWork::alltoall) return exchange_between(bytes, earlier);
  if (work == StageWork::sendrecv) return shift_between(bytes, earlier);
  if (work == StageWork::broadcast) return chain_between(part, earlier);
  if (algorithm_.between == BetweenAlgorithm::tree) return trees(part, earlier);
  if (algorithm_.between == BetweenAlgorithm::netreduce) return accelerators(part, earlier);
  return ring_between(work, part, earlier);
}

/// Returns the time of a part of a chunk to the farthest server of its stage and back, ps. A part of a ring goes to the next
/// server, that of a tree up and down, and a message of NetReduce to the accelerators and back.
double StageFlows::round_trip(StageWork work, double part) const {
  const double path = model_.rail_latency() + (links_.has_uplinks() ? model_.spine_latency() : 0);
  if (work == StageWork::broadcast) return 2 * chain_latency(part);
  if (algorithm_.between == BetweenAlgorithm::tree) return tree_latency(part / 2);
  if (algorithm_.between == BetweenAlgorithm::netreduce) return 1e12 * Messages(model_, links_, part).turn;
  return 2 * path;
}

/// Returns the bytes of a chunk that a GPU sends at once to another server, or to all of them.
double StageFlows::part_between(StageWork work, double bytes) const {
  if (work == StageWork::alltoall) return bytes * (servers() - 1) / servers();
  if (work == StageWork::sendrecv) return bytes;
  const bool ring = work != StageWork::broadcast && algorithm_.between == BetweenAlgorithm::ring;
  return bytes / each() / (ring ? servers() : 1);
}

/// The parts of the chunks between servers are twice the bytes of a round trip at the rate of the path from a GPU. A faster
/// NIC with the same PCIe link has the same window: more chunks at once would all end later. A window of NetReduce that is
/// set has no room for more.
unsigned StageFlows::at_once(const Stage& stage, double bytes) const {
  if (stage.where == Stage::Where::all) return ~0U;
  const StageWork work = collective::work_of(stage);
  if (stage.where == Stage::Where::inside)
    return (algorithm_.inside == InsideAlgorithm::pull && work != StageWork::scatter) || work == StageWork::broadcast
               ? ~0U
               : model_.inside_lanes;
  if (model_.between_window > 0) return model_.between_window;
  const double part = part_between(work, bytes);
  const double window = std::ceil(2 * model_.rail_rate() * 1e-12 * round_trip(work, part) / part);
  const double room = model_.messages_cover || algorithm_.between != BetweenAlgorithm::netreduce
                          ? window
                          : model_.flow.window / Messages(model_, links_, part).count;
  return static_cast<unsigned>(room < window ? std::max(1.0, room) : std::clamp(window, 4.0, 65536.0));
}

/// A WRITE of each of `members` GPUs between servers.
StageFlows::Send StageFlows::rail_send(double bytes, const Ends& ends, double members) const {
  Send s;
  s.bytes = bytes, s.members = members;
  s.latency = model_.rail_latency() + 2 * model_.burst(bytes) + ends.spine * model_.spine_latency();
  s.uses = links_.rail(ends.from, ends.to, links_.messages(bytes), ends.spine);
  return s;
}

/// Returns the share of the hops from a server to its successor that lead to another rack.
double StageFlows::crossing(bool ring) const {
  const std::vector<int>& rack = links_.group().rack;
  const std::size_t hops = ring ? rack.size() : rack.size() - 1;
  double far = 0;
  for (std::size_t i = 0; i < hops; ++i) far += rack[i] != rack[(i + 1) % rack.size()];
  return links_.has_uplinks() ? far / static_cast<double>(hops) : 0;
}

StageFlows::Ids StageFlows::ring_between(StageWork work, double part, const Ids& earlier) {
  const double bytes = part / servers();
  Ends ends;
  ends.spine = crossing(true);
  Ids last = earlier;
  for (unsigned pass = 0; pass < passes(work); ++pass)
    for (int step = 0; step + 1 < links_.group().shape.servers; ++step) {
      Send s = rail_send(bytes, ends, members());
      s.lane = next_server;
      if (adds(work, pass)) s.latency += adding(bytes);
      last = {send(s, last)};
    }
  return last;
}

/// Returns the time from the end of the first hop of a chain of servers to the last arrival of `bytes`. A server forwards a
/// slice when it has arrived.
double StageFlows::chain_latency(double bytes) const {
  const double hops = servers() - 1, shared = std::max(1.0, each() / links_.group().rails);
  const double wire = links_.messages(std::min(bytes, slice_)).wire * shared;
  return hops * (model_.rail_latency() + crossing(false) * model_.spine_latency()) +
         (hops - 1) * 1e12 * wire / model_.flow.inter_rate;
}

/// Servers forward a part to the next one. The hops are one class: the first server sends alone, and the last one receives
/// alone.
StageFlows::Ids StageFlows::chain_between(double part, const Ids& earlier) {
  const double hops = servers() - 1;
  Ends ends{{{first_server, 1 / hops}}, {{last_server, 1 / hops}}, crossing(false)};
  if (hops > 1) {
    ends.from.push_back({middle_servers, (hops - 1) / hops});
    ends.to.push_back({middle_servers, (hops - 1) / hops});
  }
  Send s = rail_send(part, ends, groups() * hops * each());
  s.uses = links_.rail(ends.from, ends.to, links_.slices(part, slice_), ends.spine);
  s.latency = chain_latency(part) + 2 * hops * model_.burst(std::min(part, slice_)), s.lane = next_server;
  return {send(s, earlier)};
}

/// With PXN a GPU sends what is for all GPUs of another server at once, and without a message to each of them.
StageFlows::Ids StageFlows::exchange_between(double bytes, const Ids& earlier) {
  const double others = servers() - 1, messages = others * (model_.pxn ? 1 : each());
  const double payload = bytes * others / servers();
  const std::vector<int>& rack = links_.group().rack;
  std::map<int, double> in_rack;
  for (const int r : rack) ++in_rack[r];
  double near = 0;
  for (const auto& [r, count] : in_rack) near += count * (count - 1);
  Ends ends;
  const double rails = links_.group().rails;
  if (links_.has_uplinks()) ends.spine = model_.leaf_is_rack ? 1 - near / (servers() * others) : (rails - 1) / rails;
  Send s = rail_send(payload, ends, members());
  s.uses = links_.rail(ends.from, ends.to, links_.messages(payload / messages, messages), ends.spine);
  s.lane = next_server;
  return {send(s, earlier)};
}

/// The last GPU of each server sends to the first one of the next server. A GPU that relays data from a slot waits for the
/// ACK of its WRITE, so its work ends later than that of the receiver.
StageFlows::Ids StageFlows::shift_between(double bytes, const Ids& earlier) {
  Ends ends;
  ends.spine = model_.leaf_is_rack ? crossing(true) : links_.has_uplinks() ? 1 : 0;
  Send s = rail_send(bytes, ends, groups() * servers());
  s.latency += model_.poll;
  if (model_.pxn && each() > 1) s.latency = std::max(s.latency, model_.acknowledged_latency() + 2 * model_.burst(bytes));
  s.lane = next_server;
  return {send(s, earlier)};
}

/// Returns the time from the first edge of a tree to the last arrival of `bytes` at a leaf. A server forwards a slice when
/// it has arrived, upwards when it has arrived from all children.
double StageFlows::tree_latency(double bytes) const {
  const double slice = std::min(bytes, slice_),
               path = model_.rail_latency() + (links_.has_uplinks() ? model_.spine_latency() : 0);
  const double wire = links_.messages(slice).wire * std::max(1.0, each() / links_.group().rails);
  return 2 * trees_.depth * path + trees_.depth * adding(slice) +
         (2 * trees_.depth - 1) * 1e12 * wire / model_.flow.inter_rate;
}

/// Half of a part goes up and down each tree, slice by slice. So all edges of a tree have one rate.
StageFlows::Ids StageFlows::trees(double part, const Ids& earlier) {
  const double half = part / 2, sends = 2 * (servers() - 1);
  Ids all;
  for (int tree = 0; tree < 2; ++tree) {
    std::map<std::size_t, double> shares;  // by class, of what is sent and of what is received
    double spine = 0;
    for (const TreeClasses::Edges& e : trees_.edges) {
      if (e.tree != tree) continue;
      for (const std::size_t end : {e.child, e.parent}) shares[end] += e.count / sends;  // sums go up, results down
      if (links_.has_uplinks()) spine += 2 * e.between_racks / sends;
    }
    Ends ends{{}, {}, spine};
    for (const auto& [of_class, share] : shares) ends.from.push_back({of_class, share});
    ends.to = ends.from;
    Send s = rail_send(half, ends, groups() * sends * each());
    s.uses = links_.rail(ends.from, ends.to, links_.slices(half, slice_), ends.spine);
    s.lane = tree == 0 ? next_server : second_tree;
    s.latency = tree_latency(half) + 4 * trees_.depth * model_.burst(std::min(half, slice_));
    all.push_back(send(s, earlier));
  }
  return all;
}

/// All GPUs send messages to the accelerator of their leaf and receive the sums at one rate, and the last message adds its
/// path. A window that has the messages of all chunks between the servers does not limit them; another one caps the rate, as
/// on racks of hosts. A leaf sends one sum of each rail to the spines.
StageFlows::Ids StageFlows::accelerators(double part, const Ids& earlier) {
  const Messages m(model_, links_, part);
  const double window = m.flow.window, period = std::max(window * m.length, m.length + m.turn);
  Send s;
  s.bytes = part, s.members = members();
  const std::set<int> racks(links_.group().rack.begin(), links_.group().rack.end());
  const double spine = links_.has_uplinks() && racks.size() > 1 ? static_cast<double>(racks.size()) / servers() : 0;
  s.uses = links_.rail({{0, 1}}, {{0, 1}}, m.load, spine);
  s.latency = 1e12 * (m.turn - m.flow.turnaround) + 2 * model_.burst(part / m.count);
  if (model_.messages_cover) {
    s.lane = next_server;
  } else {
    s.cap = window * part / m.count / period;
    const double last = std::floor((m.count - 1) / window) * period + std::fmod(m.count - 1, window) * m.length;
    s.latency = std::max(0.0, s.latency + 1e12 * (last + m.length - m.count / window * period));
  }
  return {send(s, earlier)};
}

}  // namespace tributary
