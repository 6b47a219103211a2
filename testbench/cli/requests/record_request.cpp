#include "testbench/cli/requests/record_request.h"

#include "modules/base/units.h"
#include "testbench/cli/requests/option_text.h"

namespace tributary {
namespace {

/// `1us:2us`
void set_window(const std::string& text, TimelineSpec& timeline) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw InputError("'" + text + "' is not an interval (legal: FROM:TO, for instance 1us:2us)");
  timeline.from = parse_time(text.substr(0, colon)).value, timeline.to = parse_time(text.substr(colon + 1)).value;
  if (timeline.to <= timeline.from) throw InputError("'" + text + "' is empty (legal: FROM below TO)");
}

}  // namespace

void set_record(const Settings& settings, RunRequest& request) {
  TimelineSpec& timeline = request.spec.record.timeline;
  for (const Setting& page : settings.all("html")) request.output.html = page.text;
  request.spec.record.page = settings.has("html");
  for (const Setting& file : settings.all("perfetto")) timeline.file = file.text;
  for (const Setting& file : settings.all("perfetto-json")) timeline.json_file = file.text;
  timeline.globs = request.spec.trace.globs;
  for (const Setting& window : settings.all("perfetto-window"))
    with_place(window.where, [&] { set_window(window.text, timeline); });
  for (const Setting& unit : settings.all("perfetto-unit"))
    with_place(unit.where, [&] { timeline.nanoseconds = parse_name<bool>(unit.text, {{"ps", false}, {"ns", true}}); });
  for (const char* option : {"perfetto-window", "perfetto-unit"})
    if (settings.has(option) && !timeline.asked())
      throw InputError(settings.find(option)->where + " requires --perfetto FILE or --perfetto-json FILE");
}

}  // namespace tributary
