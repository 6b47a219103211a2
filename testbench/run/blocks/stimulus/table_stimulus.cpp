#include <deque>
#include <map>

#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

constexpr unsigned block = 128, operand_flits = 9, no_requester = 0xFFFF;

/// A request of a case; the port's own commands, `finish` and `expire`, follow by themselves.
struct TableStep {
  enum class Kind : std::uint8_t { push, allocate, collect, wait };
  Kind kind = Kind::push;
  std::uint64_t block = 0;
  std::uint16_t operands = 1;  ///< in the packet
  std::uint16_t expected = 4;
  Tick wait = 0;           ///< ps beyond the service of the step before
  unsigned requester = 3;  ///< of a pull
};

/// Keeps the rules of a port: operands in sequence, `finish` when a result has passed, `expire` when an entry is due.
class TableStimulus : public StimulusSource {
 public:
  using Steps = std::function<bool(TableStep& step)>;  // false: the end

  TableStimulus(const StimulusInput& input, Steps steps)
      : random_(input.seed), clock_(input.clock), steps_(std::move(steps)) {}

  bool next(const BlockAccess* before, BlockAccess& access) override {
    if (before != nullptr) take(*before);
    if (finish_) {
      finish_ = false;
      return command(access, "finish", free_at_, completed_);
    }
    if (!fetched_ && !ended_) {
      ended_ = !steps_(step_);
      fetched_ = !ended_;
      if (fetched_) start_ = free_at_ + step_.wait;
    }
    if (!fetched_) return false;
    if (due_ != never && due_ <= start_) return command(access, "expire", std::max(due_, last_), 0);
    fetched_ = false;
    return request(access);
  }

 private:
  void take(const BlockAccess& before) {
    last_ = before.time;
    const FieldValue* const due = before.answer.find("next_timeout");
    due_ = due == nullptr ? never : due->number;
    const FieldValue* const answer = before.answer.find("answer");
    if (serves_) free_at_ = before.time + operand_flits * clock_ + before.interval;
    serves_ = false;
    if (answer == nullptr || answer->text != "completed") return;
    finish_ = true;
    completed_ = before.request.find("packet.address")->number;
    const bool pulled = before.request.find("command")->text == "collect";
    requester_ = pulled ? before.request.find("requester")->number : no_requester;
  }
  bool command(BlockAccess& access, const char* name, Tick time, std::uint64_t address) {
    RequestFields(access.request)
        .name("command", name)
        .number("address", address)
        .number("requester", requester_)
        .number("expected", 0)
        .flag("first_hop", false);
    access.time = time;
    return true;
  }
  bool request(BlockAccess& access) {
    const char* const names[] = {"push", "allocate", "collect"};
    access.time = std::max(start_, last_);
    const bool pulls = step_.kind != TableStep::Kind::push;
    RequestFields fields(access.request);
    fields.name("command", names[static_cast<std::size_t>(step_.kind)])
        .number("address", step_.kind == TableStep::Kind::allocate ? step_.block * block : 0)
        .number("requester", pulls ? step_.requester : 0)
        .number("expected", step_.expected)
        .flag("first_hop", pulls);
    if (step_.kind == TableStep::Kind::allocate) return true;
    serves_ = true;
    packet(fields, pulls);
    return true;
  }
  void packet(RequestFields& fields, bool pulls) {
    fields.name("packet.opcode", pulls ? "rsp" : "red_write").number("packet.address", step_.block * block);
    fields.number("packet.source", source_++ % 16).number("packet.destination", pulls ? step_.requester : 0);
    fields.number("packet.count", step_.operands).number("packet.slot", 0).name("packet.target", pulls ? "gpu" : "home");
    fields.name("packet.type", "i32").name("packet.op", "sum");
    for (const char* key : {"reply_home", "to_one", "flag", "merge_acks"}) fields.flag(std::string("packet.") + key, false);
    for (const char* key : {"length", "rank", "counter", "plane", "home_switch", "home_port", "trunk"})
      fields.number(std::string("packet.") + key, 0);
    fields.time("packet.born", 0).number("packet.vc", pulls ? 1 : 0).number("packet.damage", 0);
    fields.number("packet.payload_bytes", block).data("packet.data", random_.elements(ElementType::i32, block));
  }

  StimulusRandom random_;
  Tick clock_;
  Steps steps_;
  TableStep step_;
  bool fetched_ = false, ended_ = false, finish_ = false, serves_ = false;
  std::uint64_t completed_ = 0, requester_ = no_requester, source_ = 0;
  Tick start_ = 0, free_at_ = 0, last_ = 0, due_ = never;
};

using Kind = TableStep::Kind;

TableStep push(std::uint64_t number, std::uint16_t operands = 1, Tick wait = 0) {
  return {Kind::push, number, operands, 4, wait};
}
TableStep allocate(std::uint64_t number, unsigned requester = 3) { return {Kind::allocate, number, 1, 3, 0, requester}; }
TableStep collect(std::uint64_t number, unsigned requester = 3) { return {Kind::collect, number, 1, 3, 0, requester}; }

/// Returns the steps for a table of `entries` entries and a timeout.
using Listed = std::function<std::vector<TableStep>(unsigned entries, Tick timeout)>;

std::function<std::unique_ptr<StimulusSource>(const StimulusInput&)> listed(const Listed& make) {
  return [make](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    const auto entries = static_cast<unsigned>(config_number(input.config, "bytes", 512) / block);
    auto steps = std::make_shared<std::deque<TableStep>>();
    for (const TableStep& step : make(entries, config_number(input.config, "timeout", 2'000'000))) steps->push_back(step);
    return std::make_unique<TableStimulus>(input, [steps](TableStep& step) {
      if (steps->empty()) return false;
      step = steps->front();
      steps->pop_front();
      return true;
    });
  };
}

/// Operands of few blocks, then of many, in turn; some pauses exceed the timeout.
std::unique_ptr<StimulusSource> random_mix(const StimulusInput& input) {
  const std::uint64_t entries = config_number(input.config, "bytes", 512) / block;
  const Tick timeout = config_number(input.config, "timeout", 2'000'000);
  auto random = std::make_shared<StimulusRandom>(input.seed + 1);
  auto count = std::make_shared<std::uint64_t>(0);
  return std::make_unique<TableStimulus>(input, [=](TableStep& step) {
    const bool many = (*count)++ / 64 % 2 == 1;
    step = push(random->below((many ? 4 : 1) * entries + 1));
    if (random->one_in(4)) step.wait = random->below(20'000);
    if (random->one_in(100)) step.wait = random->below(2 * timeout);
    return true;
  });
}

}  // namespace

StimulusBlock table_stimulus() {
  StimulusBlock all{
      "nvswitch.switch.reduction_table", {{"bytes", "512"}, {"timeout", "2000000"}, {"line_rate", "25000000000"}}, {}};
  all.cases.push_back({"random", "operands of few and of many blocks, with pauses", random_mix});
  const auto add = [&](const char* name, const char* about, const Listed& make) {
    all.cases.push_back({name, about, listed(make)});
  };
  add("full", "every entry in use", [](unsigned n, Tick) {
    std::vector<TableStep> steps;
    for (unsigned b = 0; b < n; ++b) steps.push_back(push(b));
    return steps;
  });
  add("evict_lru", "a miss in a full table whose least recently used entry is not the oldest", [](unsigned n, Tick) {
    std::vector<TableStep> steps;
    for (unsigned b = 0; b < n; ++b) steps.push_back(push(b));
    steps.push_back(push(0));
    for (unsigned b = n; b < n + 3; ++b) steps.push_back(push(b));
    return steps;
  });
  add("same_entry_back_to_back", "all operands of a block in sequence, twice",
      [](unsigned, Tick) { return std::vector<TableStep>(8, push(5)); });
  add("finish_and_insert_same_entry", "a block begins anew while its sum leaves", [](unsigned, Tick) {
    std::vector<TableStep> steps(4, push(5));
    steps.insert(steps.end(), 4, push(5));
    steps.push_back(push(6));
    return steps;
  });
  add("partial_operands", "packets that count several operands", [](unsigned, Tick) {
    return std::vector<TableStep>{push(1, 2), push(2, 3), push(1, 1), push(2, 1), push(1, 1)};
  });
  add("hit_at_timeout", "operands just before, at and after the timeout of their entry", [](unsigned, Tick timeout) {
    const Tick service = operand_flits * 640;
    std::vector<TableStep> steps;
    for (const Tick wait : {timeout - service - 1, timeout - service, timeout - service + 1}) {
      steps.push_back(push(1));
      steps.push_back(push(1, 1, wait));
    }
    return steps;
  });
  add("two_timeouts_at_once", "two entries are due when the next operand arrives", [](unsigned, Tick timeout) {
    return std::vector<TableStep>{push(1), push(2), push(3, 1, 2 * timeout)};
  });
  add("pull_refused", "a pull finds every entry in use by pulls", [](unsigned n, Tick) {
    std::vector<TableStep> steps;
    for (unsigned b = 0; b <= n; ++b) steps.push_back(allocate(b));
    return steps;
  });
  add("bypass_all_pull", "a push finds every entry in use by pulls", [](unsigned n, Tick) {
    std::vector<TableStep> steps;
    for (unsigned b = 0; b < n; ++b) steps.push_back(allocate(b));
    steps.push_back(push(100));
    return steps;
  });
  add("pull", "entries of pulls collect their responses", [](unsigned n, Tick) {
    std::vector<TableStep> steps;
    for (unsigned b = 0; b < n; ++b) steps.push_back(allocate(b));
    for (unsigned r = 0; r < 3; ++r)
      for (unsigned b = 0; b < n; ++b) steps.push_back(collect(b));
    steps.push_back(collect(n));
    return steps;
  });
  add("pulls_of_two", "two GPUs pull the same blocks, twice", [](unsigned n, Tick) {
    std::vector<TableStep> steps;
    for (unsigned round = 0; round < 2; ++round) {
      for (unsigned i = 0; i < n; ++i) steps.push_back(allocate(i / 2, 3 + i % 2));
      for (unsigned i = 0; i < 3 * n; ++i) steps.push_back(collect(i % n / 2, 4 - i % 2));
    }
    return steps;
  });
  return all;
}

}  // namespace tributary
