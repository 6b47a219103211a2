#pragma once
/// NicCore: a schedule NIC: cuts outgoing chunks into packets, assembles arriving packets to chunks that it adds or stores,
/// and notifies the engine that drives it (Huang et al., ISCA 2021, IV-A).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/nic/core/chunk_assembly.h"
#include "modules/nic/core/command_engine.h"
#include "modules/nic/core/dma_reader.h"
#include "modules/nic/core/injection_queue.h"
#include "modules/nic/core/nic_program.h"
#include "modules/nic/core/nic_routes.h"
#include "modules/nic/core/nic_step.h"
#include "modules/nic/core/schedule_engine.h"
#include "modules/packet/packet.h"
#include "modules/packet/payload_views.h"
#include "modules/switching/core/router_core.h"
#include "modules/timing/completion_listener.h"

namespace tributary {

class NicCore : public RouterListener,
                private ScheduleListener,
                private CommandListener,
                private NicStepListener,
                private AnswerListener {
 public:
  struct Config {
    ScheduleEngine::Config schedule;
    std::uint32_t table_entries = 0;  ///< capacity of the schedule table
    bool with_data = true;
    unsigned interfaces = 1;
    std::vector<std::uint8_t> interface_of = {};  ///< by destination: interface of its first hop
    // Indexed by the port that a RouteInfo names.
    std::vector<std::uint8_t> interface_of_port = {};  ///< interface of Next
    std::vector<std::uint16_t> sender_of_port = {};    ///< neighbour whose Next that port was
    // For unequal links: rates of the link of Next, and of the first hop to a destination.
    std::vector<Bandwidth> rate_of_port = {}, rate_to = {};
    unsigned channels = 1;  ///< chunks that an interface sends simultaneously over different links
    bool steps = false;     ///< has a compute engine and the probes of tasks
  };
  /// Collaborators.
  struct Ports {
    TablePort& table;
    ReductionPort& reduction;
    MemoryPort& memory;
    bool unit_adds_data = false;  ///< ReductionPort::combine() adds the data; otherwise they are added where they are stored
    ComputeUnit* compute = nullptr;       ///< null: no steps
    std::vector<LateAnswers*> late = {};  ///< of the blocks at these ports, which may answer later
  };
  NicCore(const Config& config, PacketPool& pool, PayloadViews& views, CompletionListener& listener, const Ports& ports);
  /// Call while the device is being constructed.
  void set_router(RouterCore& router) { router_ = &router; }

  /// Starts a program at exactly `t0`. Throws ScheduleTableError.
  void post(NicProgram work, Tick t0);
  /// Starts a step of several operations instead, one at a time in this NIC. Chunks for an operation that has not begun
  /// here wait at the NIC, their data in memory.
  void post_step(NicStep step, Tick t0) { step_.post(std::move(step), t0); }
  /// Sends a short packet at `when`, with a header flit and one flit per 16 B, in the class of short packets; the receiver
  /// delivers and drops it. Throws std::invalid_argument for more bytes than the payload of a packet.
  void post_short(std::uint16_t destination, unsigned bytes, Tick when);
  /// A block has deferred its first answer: from now on the edges of these blocks are events of the NIC.
  void deferred() { defers_ = true; }
  /// Returns the time of the next known decision, or `never`.
  Tick next() const;
  /// Makes all decisions up to and including `horizon`; passes outgoing packets to the router.
  void run_until(Tick horizon);

  /// `direct`: pointer to the whole memory, or null to use its port. `holds_data`: false if only timing is simulated.
  void set_memory(std::byte* direct, bool holds_data) {
    has_data_ = holds_data && config_.with_data;
    memory_ = has_data_ ? direct : nullptr;
  }
  /// Element type and operation of the present collective.
  ElementType type() const { return type_; }
  ReduceOp op() const { return op_; }
  struct Traffic {
    std::uint64_t reads = 0, writes = 0;  ///< packets read from memory, and added or written to it
    std::uint64_t added_bytes = 0;        ///< operands of chunks that are added
  };
  const Traffic& traffic() const { return traffic_; }
  /// Returns the operands added since the last reset.
  std::uint64_t added_elements() const { return traffic_.added_bytes / element_size(type_); }
  /// Returns the rows of the schedule table read since the last reset.
  std::uint64_t table_reads() const { return schedule_.table_reads(); }

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name);

  PacketProbe delivered;        ///< last flit of a packet for this node
  PacketProbe short_delivered;  ///< last flit of a short packet for this node

 private:
  static constexpr unsigned packets_ahead = 2;  // packets of an interface in the router's queues

  struct Chunk {
    ChunkKind kind;
    std::uint16_t tag, destination;
    std::uint64_t from, to;  // addresses
    std::uint32_t bytes, command;
    DmaReader::Burst burst;
    Tick born;
    SourceRoute route;
    std::uint32_t link;                          // SendPath::link
    PayloadViews::Id view = PayloadViews::none;  // while the chunk is being sent
  };
  struct Interface {
    Interface(const FlowControlParams& params, unsigned channels) : queue(params, channels) {}
    InjectionQueue<Chunk> queue;
    unsigned waiting = 0;  // packets in the router's queues
    unsigned turn = 0;     // channel with the next turn
  };
  struct Held {  // a packet in the router that waits for its data
    Ticket ticket;
    unsigned interface;
    Packet* packet;
    std::uint64_t end;  // in its burst
    Tick since;
    bool ends_command;
    std::uint32_t command;
  };
  struct Early {  // a chunk of an operation that has not begun
    std::uint32_t operation;
    ChunkKind kind;
    std::uint16_t tag, from;
    std::uint64_t bytes;
  };
  struct Short {
    Tick when;
    std::uint16_t destination;
    std::uint16_t bytes;
  };

  // RouterListener
  void eject(unsigned port, Packet* packet, Tick end) override;
  void injected(unsigned interface, Tick now) override;
  // ScheduleListener
  void send(const ScheduleEntry& entry, Tick now) override;
  std::optional<unsigned> full_interface(const ScheduleEntry& entry) const override;
  SendPath path(std::uint16_t tree, std::uint16_t to) const override { return routes_.path(routes_.find(tree, to), to); }
  void operation_done(Tick when) override { done(when); }
  // CommandListener
  void add(const NicCommand& command) override;
  void send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to, Tick now) override;
  bool room(const NicTarget& to) const override { return has_room(config_.interface_of[to.nic], 1); }
  void commands_done(Tick when) override { done(when); }
  // NicStepListener
  void begin_operation(std::uint32_t operation, NicProgram program, Tick now) override;
  void step_done(Tick now) override { listener_.done(config_.schedule.node, now); }
  // AnswerListener: the memory
  void answered(Ticket ticket, Tick when) override;

  void done(Tick when) { step_.active() ? step_.over(when) : listener_.done(config_.schedule.node, when); }
  void take_chunk(ChunkKind kind, std::uint16_t tag, std::uint16_t from, std::uint64_t bytes, Tick when);

  Tick next_answer() const;
  [[gnu::cold]] void advance_answers(Tick horizon);
  void run_blocks(Tick horizon);
  void set_burst(const DmaReader::Burst& burst);
  [[gnu::cold]] void hold(const Held& held);
  void release(const Held& held, const DmaReader::Burst& burst);
  void queue(const Chunk& chunk, Tick now);
  void fill(unsigned interface, Tick now);
  /// Inlined into fill(): the registers that a call saves would be 3 % of the instructions of a packet.
  [[gnu::always_inline]] inline void inject_next(unsigned interface, unsigned channel, Tick now);
  DmaReader::Burst request(std::uint64_t address, std::uint32_t bytes, Tick now);
  /// `chunk`: its number, if it is reduced.
  void store(const RouterHeader& header, const std::byte* data, unsigned bytes, std::uint64_t chunk);
  void observe(const RouterHeader& header, const std::byte* data, const std::byte* sum);
  void store_over_port(const RouterHeader& header, const std::byte* data, unsigned bytes, std::uint64_t chunk);
  void combine(std::byte* sum, const std::byte* data, std::uint64_t bytes, std::uint64_t chunk);
  void about_to_change(std::uint64_t address, std::uint64_t bytes);
  void send_shorts(Tick now);
  void push_back(Tick now);
  bool has_room(unsigned interface, std::size_t more) const;

  Config config_;
  PacketPool& pool_;
  PayloadViews& views_;
  CompletionListener& listener_;
  RouterCore* router_ = nullptr;
  bool packets_in_turn_;  // packets, not chunks, use the VCs in turn
  bool stalled_ = false;  // the router ejects nothing
  Ports ports_;
  DmaReader dma_;
  ScheduleEngine schedule_;  // either this or `commands_` drives reduction unit and reader
  CommandEngine commands_;
  ChunkAssembly assembly_;
  NicStepEngine step_{static_cast<NicStepListener&>(*this), ports_.compute};
  std::vector<Early> early_;
  std::vector<Held> held_;
  LateAnswers* late_ = nullptr;                         // null: the memory has deferred nothing
  bool defers_ = false;                                 // a block has deferred an answer
  std::vector<std::unique_ptr<Interface>> interfaces_;  // pointers, as probes must not move
  NicRoutes routes_{{config_.interface_of, config_.interface_of_port, config_.rate_of_port, config_.rate_to}};
  RingQueue<Short> shorts_;
  ElementType type_ = ElementType::f32;
  ReduceOp op_ = ReduceOp::sum;
  std::byte* memory_ = nullptr;  // direct access
  bool has_data_ = false;
  PayloadViews::Owner payload_owner_;
  Traffic traffic_;
};

}  // namespace tributary
