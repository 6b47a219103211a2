#include "testbench/record/perfetto_writer.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>

#include "testbench/record/timeline_marks.h"
#include "testbench/record/trails.h"

namespace tributary {
namespace {

using protozero::pbf_writer;

// Field numbers, by message.
namespace trace {
constexpr int packet = 1;
}
namespace packet {
constexpr int timestamp = 8, sequence = 10, track_event = 11, interned_data = 12, sequence_flags = 13, track_descriptor = 60;
}
namespace descriptor {
constexpr int uuid = 1, name = 2, process = 3, parent = 5, counter = 8;
}
namespace process {
constexpr int pid = 1, name = 6;
}
namespace counter {
constexpr int unit = 3, unit_is_count = 2;
}
namespace event {
constexpr int annotations = 4, type = 9, name_iid = 10, track = 11, counter_value = 30, flows = 47;
constexpr int begins = 1, ends = 2, instant = 3, count = 4;
}  // namespace event
namespace annotation {
constexpr int name_iid = 1, uint_value = 3;
}
namespace interned {
constexpr int event_names = 2, annotation_names = 3, iid = 1, name = 2;
}

constexpr int needs_state = 2, state_cleared = 1;

class Writer {
 public:
  Writer(const Timeline& timeline, bool nanoseconds)
      : timeline_(timeline), trails_(timeline.events(), timeline.tracks()), unit_(nanoseconds ? 1000 : 1) {}

  std::string text(const std::string& platform) {
    pbf_writer all(text_);
    all_ = &all;
    describe_names();
    describe_tracks(platform);
    for (const TimelineMark& mark : marks_of(timeline_, unit_)) write(mark);
    return std::move(text_);
  }

 private:
  void describe_names() {
    pbf_writer packet(*all_, trace::packet);
    packet.add_uint32(packet::sequence, 1);
    packet.add_uint32(packet::sequence_flags, state_cleared);
    pbf_writer data(packet, packet::interned_data);
    const auto add = [&data](int field, std::size_t number, const std::string& name) {
      pbf_writer entry(data, static_cast<protozero::pbf_tag_type>(field));
      entry.add_uint64(interned::iid, number + 1);
      entry.add_string(interned::name, name);
    };
    // Sorted, as the order of first occurrence depends on the order in which devices ran.
    std::map<std::string, std::size_t> sorted;
    for (std::size_t i = 0; i < timeline_.names().size(); ++i) sorted[timeline_.names()[i]] = i;
    name_numbers_.resize(sorted.size());
    std::size_t next = 0;
    for (const auto& [name, number] : sorted) {
      add(interned::event_names, next, name);
      name_numbers_[number] = ++next;
    }
    for (std::size_t i = 0; i < annotation_names.size(); ++i) add(interned::annotation_names, i, annotation_names[i]);
  }
  /// Writes a process per device with its tracks; tracks without events are omitted.
  void describe_tracks(const std::string& platform) {
    uuids_.resize(timeline_.tracks().size(), 0);
    std::map<std::string, std::uint64_t> devices;
    const std::string unit = unit_ == 1 ? " (1 ns shown = 1 ps)" : "";
    for (const std::size_t i : timeline_.shown_tracks()) {
      const TimelineTrack& track = timeline_.tracks()[i];
      const auto [device, first] = devices.try_emplace(track.device, next_uuid_);
      if (first) describe_device(next_uuid_++, devices.size(), platform + " " + track.device + unit);
      uuids_[i] = next_uuid_++;
      pbf_writer packet(*all_, trace::packet);
      packet.add_uint32(packet::sequence, 1);
      pbf_writer shown(packet, packet::track_descriptor);
      shown.add_uint64(descriptor::uuid, uuids_[i]);
      shown.add_string(descriptor::name, track.name);
      shown.add_uint64(descriptor::parent, device->second);
      if (!track.counter) continue;
      pbf_writer counted(shown, descriptor::counter);
      counted.add_enum(counter::unit, counter::unit_is_count);
    }
  }
  void describe_device(std::uint64_t uuid, std::size_t number, const std::string& name) {
    pbf_writer packet(*all_, trace::packet);
    packet.add_uint32(packet::sequence, 1);
    pbf_writer shown(packet, packet::track_descriptor);
    shown.add_uint64(descriptor::uuid, uuid);
    pbf_writer owner(shown, descriptor::process);
    owner.add_int32(process::pid, static_cast<std::int32_t>(number));
    owner.add_string(process::name, name);
  }
  void write(const TimelineMark& mark) {
    const TimelineEvent& e = timeline_.events()[mark.event];
    pbf_writer packet(*all_, trace::packet);
    packet.add_uint64(packet::timestamp, mark.time);
    packet.add_uint32(packet::sequence, 1);
    packet.add_uint32(packet::sequence_flags, needs_state);
    pbf_writer shown(packet, packet::track_event);
    shown.add_enum(event::type, type_of(e, mark));
    shown.add_uint64(event::track, uuids_[e.track]);
    if (e.kind == TimelineEvent::Kind::counter)
      return shown.add_int64(event::counter_value, static_cast<std::int64_t>(e.value));
    if (!mark.begins) return;
    shown.add_uint64(event::name_iid, name_numbers_[e.name]);
    for (const auto& [key, value] : notes_of(e)) {
      pbf_writer note(shown, event::annotations);
      note.add_uint64(annotation::name_iid, key + 1);
      note.add_uint64(annotation::uint_value, value);
    }
    for (const std::uint64_t trail : trails_.of(mark.event)) shown.add_fixed64(event::flows, trail);
  }
  static int type_of(const TimelineEvent& e, const TimelineMark& mark) {
    if (e.kind == TimelineEvent::Kind::counter) return event::count;
    if (e.kind == TimelineEvent::Kind::instant) return event::instant;
    return mark.begins ? event::begins : event::ends;
  }

  const Timeline& timeline_;
  Trails trails_;
  Tick unit_;
  std::string text_;
  pbf_writer* all_ = nullptr;
  std::vector<std::uint64_t> uuids_, name_numbers_;
  std::uint64_t next_uuid_ = 1;
};

}  // namespace

std::string perfetto_text(const std::string& platform, const Timeline& timeline, bool nanoseconds) {
  return Writer(timeline, nanoseconds).text(platform);
}

}  // namespace tributary
