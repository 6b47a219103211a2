// Blocks of a user that answer wrongly: the error names the block and the rule, and nothing crashes.
#include <catch2/catch.hpp>
#include <functional>
#include <memory>

#include "modules/nic/core/schedule_rows.h"
#include "modules/streams/copy_engine.h"
#include "modules/streams/core/burst_cutter.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_wrong_blocks {

using Catch::Matchers::Contains;

namespace {

/// Our part, with an answer that a test spoils.
template <class Module, class Transaction>
class Spoilt : public Module {
 public:
  using Spoil = void (*)(Transaction&);
  template <class... Arguments>
  explicit Spoilt(Spoil spoil, const Arguments&... arguments) : Module(arguments...), spoil_(spoil) {}

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    Module::b_transport(t, delay);
    spoil_(t);
  }
  Spoil spoil_;
};

/// A schedule table that returns a row with another parent.
class WrongRows : public TargetModule<> {
 public:
  WrongRows(const char* name, std::uint32_t entries) : TargetModule(name), rows_(entries) {}
  void reset() override { rows_.reset(); }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time&) override {
    auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
    const bool writes = access.is_write();
    const bool right = writes ? rows_.write(access.get_address(), data, access.get_data_length(), 0)
                              : rows_.read(access.get_address(), data, access.get_data_length(), 0);
    if (!writes && access.get_address() == 2 * sizeof(EntryCode)) data[3] ^= std::byte{1};
    access.set_response_status(right ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  ScheduleRows rows_;
};

enum class Copying { ends_at_once, foreign_copy, far_lane, wrong_offset, too_long, marked_early };

/// A copy engine that breaks a rule with its first copy.
class WrongEngine : public CopyEngineModule {
 public:
  WrongEngine(const char* name, Copying how) : CopyEngineModule(name), how_(how) {}

 private:
  bool submit(CopyCommand& command, Tick now) override {
    Burst burst = BurstCutter(command, 0).next();
    if (how_ == Copying::foreign_copy) burst.copy += 100;
    if (how_ == Copying::far_lane) burst.lane = 40;
    if (how_ == Copying::wrong_offset) burst.offset += 256;
    if (how_ == Copying::too_long) burst.bytes = 1u << 30;
    if (how_ == Copying::marked_early) burst.last = true;
    if (how_ == Copying::ends_at_once) done(command, now);
    if (how_ != Copying::ends_at_once) send(burst, now);
    return false;
  }
  void room(const Burst&, Tick) override {}
  void left(const Burst&, Tick) override {}
  Copying how_;
};

std::string end_of(const RunSpec& spec) {
  try {
    const ResultRow row = run_one(spec).row;
    if (row.status == Status::block_wrong) return row.report;
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

RunSpec on(const char* platform, const char* algorithm, int ranks) {
  RunSpec spec = run_spec(algorithm, first_gpus(ranks), {64_KiB});
  spec.platform = platform;
  return spec;
}

template <class Module, class Transaction, class Slot, class... Arguments>
std::string with_part(const char* platform, const Slot& slot, void (*spoil)(Transaction&), const Arguments&... arguments) {
  RunSpec spec = on(platform, "netreduce", 4);
  spec.blocks.add(slot, [=](const char* name, const Accelerator::Config&) {
    return std::make_unique<Spoilt<Module, Transaction>>(spoil, name, arguments...);
  });
  return end_of(spec);
}

}  // namespace

TEST_CASE("wrong blocks: a schedule table that returns another row is named", "[system][wrong_blocks]") {
  RunSpec spec = on("torus:2x2", "multitree", 4);
  spec.blocks.add(schedule_table_slot, [](const char* name, const NicCore::Config& nic) {
    return std::make_unique<WrongRows>(name, nic.table_entries);
  });
  CHECK_THAT(end_of(spec),
             Contains("nic.table breaks the rule `answer`: row 2 was written as ") && Contains("and is read as "));
}

TEST_CASE("wrong blocks: a copy engine that breaks the protocol is named", "[system][wrong_blocks]") {
  const auto end = [](Copying how) {
    RunSpec spec = on("dgx1v", "blink", 8);
    spec.blocks.add(stream_copy_engine_slot,
                    [how](const char* name, const CopyParams&) { return std::make_unique<WrongEngine>(name, how); });
    return end_of(spec);
  };
  CHECK_THAT(end(Copying::ends_at_once), Contains(".engine") && Contains("breaks the rule `done`") &&
                                             Contains("is reported as done before lane 0 has left"));
  CHECK_THAT(end(Copying::foreign_copy), Contains("breaks the rule `burst`") && Contains("is not granted, and has a burst"));
  CHECK_THAT(end(Copying::far_lane), Contains("has a burst on lane 40; legal: below "));
  CHECK_THAT(end(Copying::wrong_offset), Contains("has a burst at byte 256 in place of byte 0"));
  CHECK_THAT(end(Copying::too_long), Contains("has a burst of 1073741824 B"));
  CHECK_THAT(end(Copying::marked_early), Contains("has a burst that is marked as the last"));
}

TEST_CASE("wrong blocks: parts of a user that answer rightly are not accused", "[system][wrong_blocks]") {
  class OwnEngine : public CopyEngine {
    using CopyEngine::CopyEngine;
  };
  RunSpec copies = on("dgx1v", "blink", 8);
  copies.blocks.add(stream_copy_engine_slot, [](const char* name, const CopyParams& params) {
    return std::make_unique<OwnEngine>(name, params.launch.value);
  });
  CHECK(end_of(copies) == "no error");
  for (const char* platform : {"rack:4", "spine_leaf:2x2"}) {
    CHECK((with_part<HeaderManager, HeaderTransaction>(platform, headers_slot, [](HeaderTransaction&) {})) == "no error");
    CHECK((with_part<ConnectionTranslationTable, CtTransaction>(platform, connection_translation_slot,
                                                                [](CtTransaction&) {})) == "no error");
  }
}

TEST_CASE("wrong blocks: an access list that redirects to no port is named", "[system][wrong_blocks]") {
  class WrongList : public AccessList {
   public:
    explicit WrongList(const char* name) : AccessList(name) {}

   private:
    void b_transport(AccessTransaction& t, sc_core::sc_time&) override { t.redirect = 200; }
  };
  RunSpec spec = on("rack:4", "netreduce", 4);
  spec.blocks.add(access_list_slot, [](const char* name) { return std::make_unique<WrongList>(name); });
  CHECK_THAT(end_of(spec), Contains("access_list breaks the rule `answer`: no output port 200; legal: below "));
}

TEST_CASE("wrong blocks: parts of an accelerator that answer wrongly are named", "[system][wrong_blocks]") {
  const auto headers = [](void (*spoil)(HeaderTransaction&)) {
    return with_part<HeaderManager>("rack:4", headers_slot, spoil);
  };
  CHECK_THAT(headers([](HeaderTransaction& t) {
               if (t.command == HeaderTransaction::Command::load) t.entry.payload_bytes = 60'000;
             }),
             Contains("headers breaks the rule `answer`: ring ") && Contains("a payload of 60000 B; legal: up to "));
  CHECK_THAT(headers([](HeaderTransaction& t) {
               if (t.command == HeaderTransaction::Command::load) t.entry.header.queue_pair += 1;
             }),
             Contains("a header of another connection than was stored"));
  const auto no_translation = [](CtTransaction& t) {
    static const CtEntry wrong{CtDirection::aggregate, true, {CtTarget{}}};
    if (t.command == CtTransaction::Command::translate && t.entry != nullptr) t.entry = &wrong;
  };
  CHECK_THAT(
      (with_part<ConnectionTranslationTable, CtTransaction>("spine_leaf:2x2", connection_translation_slot, +no_translation)),
      Contains("ctt breaks the rule `answer`: ring ") && Contains("a translation to station "));
}

}  // namespace tributary::test_wrong_blocks
