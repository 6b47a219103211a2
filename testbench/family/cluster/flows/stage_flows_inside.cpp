/// Activities of stages within the servers.
#include <algorithm>
#include <cmath>

#include "testbench/family/cluster/flows/stage_flows.h"

namespace tributary {

using collective::InsideAlgorithm;
using collective::Moment;
using collective::Stage;
using collective::StageWork;

StageFlows::Ids StageFlows::inside(StageWork work, bool alone, double bytes, const Ids& earlier) {
  const bool pulls = algorithm_.inside == InsideAlgorithm::pull;
  if (work == StageWork::scatter) return root_scatters(bytes, earlier);
  if (work == StageWork::broadcast) return pulls ? root_multicasts(bytes, earlier) : chain_inside(bytes, earlier);
  if (work == StageWork::alltoall) return exchange_inside(bytes, earlier);
  if (work == StageWork::sendrecv) return shift_inside(bytes, alone, earlier);
  return pulls ? pulled(work, bytes, earlier) : ring_inside(work, bytes, earlier);
}

double StageFlows::inside_latency() const { return model_.read + model_.route(links_.group().far()) + model_.poll; }

/// The parts of a ring cross the boards in some of its hops.
double StageFlows::hop_latency() const {
  const double near = model_.route(false), far = model_.route(true);
  return model_.read + near + links_.group().crossings / each() * (far - near) + model_.poll;
}

/// Returns the time from a request to the last result of one block.
double StageFlows::pull_latency(bool loads, bool stores) const {
  const double route = model_.route(links_.group().far());
  return model_.read + (loads ? 2 * route + (each() - 1) * model_.packet() : 0) + (stores ? route : 0);
}

/// A GPU that loads operands must know that the others have written them: all reduce and multicast one block.
StageFlows::Ids StageFlows::barrier(const Stage& first, double start) {
  const StageWork work = collective::work_of(first);
  if (first.where != Stage::Where::inside || algorithm_.inside != InsideAlgorithm::pull || !adds(work, 0)) return {};
  start_ = start;
  Send s;
  s.latency = pull_latency(true, true), s.members = groups();
  return {send(s, {})};
}

/// Returns the rate at which requests of a GPU that takes `latency` each fit the waves [unit: B/s]. Multicasts of several
/// servers have counters of their own.
double StageFlows::wave_cap(bool loads, double latency) const {
  const bool own = !loads && links_.group().shape.servers > 1;
  if (own && model_.multicast_waves == 0) return collective::no_cap;
  return (own ? model_.multicast_waves : model_.waves) * model_.wave_bytes / latency * 1e12;
}

/// Requests in flight cap the rate at which a GPU loads or multicasts its part.
StageFlows::Ids StageFlows::pulled(StageWork work, double bytes, const Ids& earlier) {
  const double part = bytes / each();
  const bool loads = work != StageWork::allgather, stores = work != StageWork::reduce_scatter;
  Send s;
  s.bytes = part, s.members = members(), s.lane = loads ? loads_lane : multicasts_lane;
  s.latency = pull_latency(loads, stores);
  InsideLoad load = loads ? links_.pull(part) : links_.multicast(part);
  if (loads && stores) {
    const InsideLoad more = links_.multicast(part);
    load.out += more.out, load.into += more.into;
    for (int d = 0; d < 2; ++d) load.trunks[d] += more.trunks[d];
  }
  s.uses = links_.inside(load, part);
  s.cap = wave_cap(loads, s.latency);
  return {send(s, earlier)};
}

/// Returns true for a stage of a reduce-scatter or an all-gather of several servers. A chunk of it has the pieces of the
/// parts of all servers, which are operations of their own.
bool StageFlows::in_parts(const Stage& stage) const {
  return stage.where == Stage::Where::inside && stage.strided && links_.group().shape.servers > 1 &&
         operations(stage, 1) > 1;
}

/// Each part of a chunk has a ring of its own. Of many rings, as many are modelled as keep the links busy for the latency of
/// a step: more change no time.
unsigned StageFlows::operations(const Stage& stage, double bytes) const {
  const StageWork work = collective::work_of(stage);
  const bool pulls = algorithm_.inside == InsideAlgorithm::pull;
  if (!stage.strided || work == StageWork::alltoall || (pulls && work == StageWork::reduce_scatter)) return 1;
  if (pulls) return 2;
  const double step = bytes / each() / servers();
  const double sends = 1e12 * links_.ring_step(step).out / (model_.server.nvlinks * model_.server.nvlink_rate);
  return static_cast<unsigned>(std::min(servers(), std::ceil(2 + hop_latency() / sends)));
}

/// The part of the own server needs no exchange, so its all-gather starts at once.
StageFlows::Ids StageFlows::parts_inside(StageWork work, double bytes, const Ids& before, const Ids& room) {
  if (algorithm_.inside == InsideAlgorithm::pull) return parts_multicast(bytes, before);
  const bool gathers = work == StageWork::allgather;
  const unsigned rings = operations({Stage::Where::inside, gathers ? "allgather" : "reduce_scatter", {}, 0, true}, bytes);
  const double own = gathers ? bytes / servers() : bytes / rings, other = (bytes - own) / (rings - 1);
  Ids last;
  for (unsigned ring = 0; ring < rings; ++ring) {
    Ids earlier = gathers && ring == 0 ? Ids{} : before;
    if (!room.empty()) earlier.push_back(room[std::min<std::size_t>(ring, room.size() - 1)]);
    const Ids end = ring_inside(work, ring == 0 ? own : other, earlier);
    last.insert(last.end(), end.begin(), end.end());
  }
  return last;
}

/// A GPU multicasts its pieces in the order of the chunks, of each chunk that of the own server first.
StageFlows::Ids StageFlows::parts_multicast(double bytes, const Ids& before) {
  const double own = bytes / servers();
  const Ids first = pulled(StageWork::allgather, own, {});
  for (const Graph::Id earlier : multicast_) graph_.after(first.front(), earlier, Moment::sent);
  multicast_ = pulled(StageWork::allgather, bytes - own, before);
  graph_.after(multicast_.front(), first.front(), Moment::sent);
  return {first.front(), multicast_.front()};
}

/// GPUs add while they send, one step after another. The last sum of a reduce-scatter is stored.
StageFlows::Ids StageFlows::ring_inside(StageWork work, double bytes, const Ids& earlier) {
  const double part = bytes / each();
  const bool stores = work == StageWork::reduce_scatter;
  Ids last = earlier;
  for (unsigned pass = 0; pass < passes(work); ++pass)
    for (int step = 0; step + 1 < links_.group().shape.ranks_each; ++step) {
      Send s;
      s.bytes = part, s.members = members(), s.lane = loads_lane;
      s.latency = hop_latency() + (stores && step + 2 == links_.group().shape.ranks_each ? adding(part) : 0);
      s.uses = links_.inside(links_.ring_step(part), part);
      last = {send(s, last)};
    }
  return last;
}

/// Requests in flight cap the rate of the root, and the crossbar, whose inputs copy a packet for one output after another.
StageFlows::Ids StageFlows::root_multicasts(double bytes, const Ids& earlier) {
  Send s;
  s.bytes = bytes, s.members = groups(), s.lane = multicasts_lane;
  s.latency = model_.read + model_.route(links_.group().far());
  s.uses = links_.writes(links_.write(bytes, each() - 1, true), bytes, {{root_gpu, 1}}, {{mates, 1}});
  const double copies = links_.group().far() ? links_.group().boards[0] : each() - 1;
  const double out = model_.server.nvlinks * model_.server.nvlink_rate;
  const double crossbar = model_.crossbar_speedup * out * bytes / (copies * links_.write(bytes, 1, false).out);
  s.cap = std::min(wave_cap(false, s.latency), crossbar);
  return {send(s, earlier)};
}

/// The root writes an equal part to every other GPU of its server. Commands of rings leave one after another, so they are
/// one flow; waves admit writes to several GPUs, with a flow each.
StageFlows::Ids StageFlows::root_scatters(double bytes, const Ids& earlier) {
  const double others = each() - 1, at_once = algorithm_.inside == InsideAlgorithm::pull ? others : 1;
  Send s;
  s.bytes = bytes / each() * others / at_once, s.members = groups() * at_once, s.latency = inside_latency();
  s.uses = links_.writes(links_.write(bytes / each(), others / at_once, false), s.bytes, {{root_gpu, 1}}, {{mates, 1}});
  return {send(s, earlier)};
}

/// Every GPU of the root's server but the last one writes the message to the next one, slice by slice. The hops are one
/// class; the last hop ends later by the times of those before it.
StageFlows::Ids StageFlows::chain_inside(double bytes, const Ids& earlier) {
  const double hops = each() - 1;
  const WriteLoad load = links_.write(bytes, 1, false);
  Send s;
  s.bytes = bytes, s.members = groups() * hops, s.lane = multicasts_lane;
  const double slice = links_.write(std::min(bytes, slice_), 1, false).out;
  s.latency = hops * hop_latency() + (hops - 1) * 1e12 * slice / (model_.server.nvlinks * model_.server.nvlink_rate);
  ClassShares from{{root_gpu, 1 / hops}};
  if (hops > 1) from.push_back({mates, (hops - 1) / hops});
  s.uses = links_.writes(load, bytes, from, {{mates, 1}});
  return {send(s, earlier)};
}

/// Every GPU writes to each of the others: with PXN all data for the GPUs of its rail, in all servers.
StageFlows::Ids StageFlows::exchange_inside(double bytes, const Ids& earlier) {
  const double part = bytes / each() / (model_.pxn ? 1 : servers()), payload = part * (each() - 1);
  Send s;
  s.bytes = payload, s.members = members(), s.latency = inside_latency();
  s.uses = links_.inside(links_.exchange(part), payload);
  return {send(s, earlier)};
}

/// Every GPU writes to the next one of its server. The last one writes to the first one of the next server: with PXN to the
/// first one of its own server, from which the data leave.
StageFlows::Ids StageFlows::shift_inside(double bytes, bool alone, const Ids& earlier) {
  const double writers = alone || model_.pxn ? 1 : (each() - 1) / each();
  InsideLoad load = links_.ring_step(bytes);
  load.out *= writers, load.into *= writers;
  Send s;
  s.bytes = bytes, s.members = members(), s.latency = inside_latency();
  s.uses = links_.inside(load, bytes);
  return {send(s, earlier)};
}

/// Adds a write to the next GPU of a server.
void StageFlows::cross_server(double bytes, Send& s) const {
  const Uses uses = links_.inside(links_.ring_step(bytes), bytes);
  s.uses.insert(s.uses.end(), uses.begin(), uses.end());
  s.latency += hop_latency();
}

}  // namespace tributary
