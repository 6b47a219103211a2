#include "testbench/family/cluster/flows/stage_flows.h"

#include <algorithm>
#include <cmath>

namespace tributary {

using collective::Activity;
using collective::BetweenMethod;
using collective::InsideMethod;
using collective::Moment;
using collective::Stage;
using collective::StageWork;

namespace {

unsigned passes(StageWork work) { return work == StageWork::allreduce ? 2 : 1; }

/// True if pass `pass` of the work adds what arrives.
bool adds(StageWork work, unsigned pass) {
  return work == StageWork::reduce_scatter || (work == StageWork::allreduce && pass == 0);
}

/// Messages of NetReduce of a part: all but the last are full. Each has a header before its data.
struct Messages {
  Messages(const ClusterModel& model, double part) : flow(model.flow) {
    const double full = collective::message_bytes(flow), header = 1.0 * flow.payload * flow.message_packets - full;
    count = std::ceil(part / full);
    const double rest = part - (count - 1) * full + header;
    wire = (count - 1) * collective::write_wire_bytes(full + header, flow.payload) +
           collective::write_wire_bytes(rest, flow.payload);
    length = wire / count / flow.inter_rate;
    turn = collective::window_turnaround(flow);
  }
  collective::FlowParams flow;
  double count, wire;   ///< number; bytes on Ethernet of all
  double length, turn;  ///< seconds on a link; from a message to the one that its result admits
};

}  // namespace

StageFlows::StageFlows(const ClusterModel& model, const ClusterLinks& links, const TreeClasses& trees,
                       const collective::StagedMethod& method, Graph& graph, std::uint32_t first_link,
                       std::uint32_t first_lane)
    : model_(model),
      links_(links),
      trees_(trees),
      method_(method),
      graph_(graph),
      first_link_(first_link),
      first_lane_(first_lane) {}

StageFlows::Graph::Id StageFlows::send(const Send& s, const Ids& earlier) {
  Activity a;
  a.bytes = s.bytes;
  a.latency = s.latency;
  a.multiplicity = s.members;
  a.cap = s.cap;
  if (s.lane != collective::no_lane) a.lane = first_lane_ + s.lane;
  a.uses = s.uses;
  for (collective::FluidUse& use : a.uses) use.link += first_link_;
  const Graph::Id id = graph_.add(a);
  if (earlier.empty()) graph_.not_before(id, start_);
  for (const Graph::Id before : earlier) graph_.after(id, before, Moment::arrived);
  return id;
}

StageFlows::Ids StageFlows::add(const Stage& stage, double bytes, const Ids& earlier, double start) {
  start_ = start;
  const StageWork work = collective::work_of(stage);
  if (stage.where == Stage::Where::all) return flat(work, bytes, earlier);
  if (stage.where == Stage::Where::inside)
    return method_.inside == InsideMethod::pull ? pulled(work, bytes, earlier) : ring_inside(work, bytes, earlier);
  const double part = bytes / each();
  if (method_.between == BetweenMethod::tree) return trees(part, earlier);
  if (method_.between == BetweenMethod::netreduce) return accelerators(part, earlier);
  return ring_between(work, part, earlier);
}

/// Transfers in flight must cover twice the bytes of a round trip at the rate of a NIC.
unsigned StageFlows::at_once(const Stage& stage, double bytes) const {
  if (stage.where == Stage::Where::all) return ~0U;
  if (stage.where == Stage::Where::inside) return method_.inside == InsideMethod::pull ? ~0U : model_.inside_lanes;
  if (model_.between_window > 0) return model_.between_window;
  double part = bytes / each(), round_trip = model_.rail_latency();
  if (method_.between == BetweenMethod::ring) part /= servers();
  if (method_.between == BetweenMethod::tree) round_trip *= 2.0 * trees_.depth;
  if (method_.between == BetweenMethod::netreduce) round_trip = 1e12 * Messages(model_, part).turn;
  const double window = std::ceil(2 * model_.flow.inter_rate * 1e-12 * round_trip / part);
  return static_cast<unsigned>(std::clamp(window, 4.0, 65536.0));
}

double StageFlows::inside_latency() const { return model_.read + model_.route(links_.group().far()) + model_.poll; }

/// Requests in flight cap the rate at which a GPU loads or multicasts its part.
StageFlows::Ids StageFlows::pulled(StageWork work, double bytes, const Ids& earlier) {
  const double part = bytes / each(), route = model_.route(links_.group().far());
  const bool loads = work != StageWork::allgather, stores = work != StageWork::reduce_scatter;
  Send s;
  s.bytes = part, s.members = servers() * each(), s.lane = loads ? 0 : 1;
  s.latency = model_.read + (loads ? 2 * route + (each() - 1) * model_.packet() : 0) + (stores ? route : 0);
  InsideLoad load = loads ? links_.pull(part) : links_.multicast(part);
  if (loads && stores) {
    const InsideLoad more = links_.multicast(part);
    load.out += more.out, load.into += more.into;
    for (int d = 0; d < 2; ++d) load.trunks[d] += more.trunks[d];
  }
  s.uses = links_.inside(load, part);
  s.cap = model_.waves * model_.wave_bytes / s.latency * 1e12;
  return {send(s, earlier)};
}

StageFlows::Ids StageFlows::ring_inside(StageWork work, double bytes, const Ids& earlier) {
  const double part = bytes / each();
  Ids last = earlier;
  for (unsigned pass = 0; pass < passes(work); ++pass)
    for (int step = 0; step + 1 < links_.group().shape.ranks_each; ++step) {
      Send s;
      s.bytes = part, s.members = servers() * each();
      s.latency = inside_latency() + (adds(work, pass) ? adding(part) : 0);
      s.uses = links_.inside(links_.ring_step(part), part);
      last = {send(s, last)};
    }
  return last;
}

/// A WRITE of every GPU of `servers` servers of one class.
StageFlows::Send StageFlows::rail_send(double bytes, int from, int to, double servers) const {
  Send s;
  s.bytes = bytes, s.members = servers * each(), s.latency = model_.rail_latency();
  s.uses = links_.rail(from, to, bytes, collective::write_wire_bytes(bytes, model_.flow.payload));
  return s;
}

StageFlows::Ids StageFlows::ring_between(StageWork work, double part, const Ids& earlier) {
  const double bytes = part / servers();
  Ids last = earlier;
  for (unsigned pass = 0; pass < passes(work); ++pass)
    for (int step = 0; step + 1 < links_.group().shape.servers; ++step) {
      Send s = rail_send(bytes, 0, 0, servers());
      if (adds(work, pass)) s.latency += adding(bytes);
      last = {send(s, last)};
    }
  return last;
}

/// Half of a part goes up and down each tree. Edges of one tree wait for those of the next depth.
StageFlows::Ids StageFlows::trees(double part, const Ids& earlier) {
  const double half = part / 2;
  Ids all;
  for (int tree = 0; tree < 2; ++tree) {
    Ids last = earlier;
    const auto level = [&](int depth, bool up) {
      Ids now;
      for (const TreeClasses::Edges& e : trees_.edges) {
        if (e.tree != tree || e.depth != depth) continue;
        Send s = rail_send(half, up ? e.child : e.parent, up ? e.parent : e.child, e.count);
        if (up) s.latency += adding(half);
        now.push_back(send(s, last));
      }
      if (!now.empty()) last = now;
      if (!up) all.insert(all.end(), now.begin(), now.end());
    };
    for (int depth = trees_.depth; depth > 0; --depth) level(depth, true);
    for (int depth = 1; depth <= trees_.depth; ++depth) level(depth, false);
  }
  return all;
}

/// All GPUs send messages to the accelerator of their leaf and receive the sums at one rate. The window of messages caps it,
/// and the last message adds its path, as on one rack of hosts.
StageFlows::Ids StageFlows::accelerators(double part, const Ids& earlier) {
  const Messages m(model_, part);
  const double window = m.flow.window, period = std::max(window * m.length, m.length + m.turn);
  Send s;
  s.bytes = part, s.members = servers() * each();
  s.uses = links_.rail(0, 0, part, m.wire);
  s.cap = window * part / m.count / period;
  const double last = std::floor((m.count - 1) / window) * period + std::fmod(m.count - 1, window) * m.length;
  s.latency = std::max(0.0, m.turn - m.flow.turnaround + last + m.length - m.count / window * period) * 1e12;
  return {send(s, earlier)};
}

/// Adds a write to the next GPU of a server.
void StageFlows::cross_server(double bytes, Send& s) const {
  const Uses uses = links_.inside(links_.ring_step(bytes), bytes);
  s.uses.insert(s.uses.end(), uses.begin(), uses.end());
  s.latency += inside_latency();
}

/// Each NIC has a ring of all GPUs, with parts of equal size. A GPU sends a step when it has sent the step before and that
/// of its predecessor has arrived; GPUs of equal place in all servers and rings are one class. Where nothing joins the
/// rails, a ring enters a server by the rail by which it has left the one before, and goes on by NVLink.
StageFlows::Ids StageFlows::flat(StageWork work, double bytes, const Ids& earlier) {
  const auto places = static_cast<std::size_t>(each());
  const double rings = std::max(1, links_.group().nics), ranks = servers() * each(), part = bytes / rings / ranks;
  Ids now(places, 0), before;
  for (unsigned pass = 0; pass < passes(work); ++pass)
    for (int step = 0; step + 1 < static_cast<int>(ranks); ++step) {
      for (std::size_t place = 0; place < places; ++place) {
        const bool leaves = place + 1 == places && servers() > 1;
        Send s = rail_send(part, 0, 0, servers());
        s.members = servers() * rings;
        if (!leaves) s.uses.clear(), s.latency = 0;
        if (!leaves || (places > 1 && model_.rails_apart)) cross_server(part, s);
        if (adds(work, pass)) s.latency += adding(part);
        now[place] = send(s, before.empty() ? earlier : Ids{before[(place + places - 1) % places]});
        if (!before.empty()) graph_.after(now[place], before[place], Moment::sent);
      }
      before = now;
    }
  return now;
}

}  // namespace tributary
