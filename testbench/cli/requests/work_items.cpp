#include "testbench/cli/requests/work_items.h"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/split.hpp>
#include <limits>
#include <numeric>

#include "modules/base/field_type.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/run/message_size.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

bool signals(const JobSpec& job) { return collective_of(job.collective).signals(); }

void add_size(JobSpec& job, Bytes size, const std::string& where) {
  check_message(job, size, where);
  job.items.push_back({"", size});
}

/// Adds the layers in backward order, because the gradients of the last layer are ready first. A layer without weights sends
/// nothing.
void add_layers(JobSpec& job, const Setting& file, std::vector<workload::Layer> layers, bool one_shot) {
  const std::uint64_t element = element_size(job.type);
  Bytes total;
  std::reverse(layers.begin(), layers.end());
  for (const auto& layer : layers) {
    if (layer.weights == 0) continue;
    if (layer.weights > (std::numeric_limits<std::uint64_t>::max() - total.value) / element)
      throw InputError(file.where + ": " + file.text + ": layer " + layer.name + ": the message does not fit in 64 bits");
    const Bytes size = bytes(layer.weights * element);
    total = total + size;
    if (one_shot) continue;
    check_size(size, job.type, file.where + ": " + file.text + ": layer " + layer.name);
    job.items.push_back({layer.name, size});
  }
  if (total.value == 0) throw InputError(file.where + ": " + file.text + ": no layer has weights (legal: at least one)");
  if (!one_shot) return;
  check_size(total, job.type, file.where + ": " + file.text + ": all layers");
  job.items.push_back({"one-shot", total});
}

}  // namespace

std::vector<Bytes> parse_sweep(const std::string& text) {
  const std::string legal = " (legal: FROM:TO:xK, for instance 1KiB:64MiB:x4)";
  std::vector<std::string> parts;
  boost::split(parts, text, boost::is_any_of(":"));
  if (parts.size() != 3 || !boost::starts_with(parts[2], "x"))
    throw InputError("'" + text + "' is not a range of sizes" + legal);
  try {
    const Bytes from = parse_bytes(parts[0]), to = parse_bytes(parts[1]);
    const std::uint64_t factor = parse_count(parts[2].substr(1), 1'000'000);
    if (factor < 2) throw InputError("a factor of " + std::to_string(factor) + " never reaches the end (legal: x2 or more)");
    if (from.value == 0) throw InputError("a range of sizes cannot start at 0B" + legal);
    if (from > to) throw InputError("the range of sizes ends below its start" + legal);
    std::vector<Bytes> sizes{from};
    while (sizes.back().value <= to.value / factor) sizes.push_back(sizes.back() * factor);
    return sizes;
  } catch (const UnitError& error) {
    throw InputError(error.what() + legal);
  }
}

bool set_work_items(const Settings& settings, InputFiles& files, JobSpec& job) {
  const Setting* file = settings.find("messages");
  const bool one_shot = settings.flag("one-shot");
  if (one_shot && file == nullptr) throw InputError(settings.find("one-shot")->where + " requires --messages FILE");
  if (file != nullptr && signals(job))
    throw InputError(file->where + ": a " + job.collective + " has no data (legal: --size)");
  if (file != nullptr) return add_layers(job, *file, files.layer_table(*file), one_shot), true;
  if (const Setting* size = settings.find("size"))
    return add_size(job, with_place(size->where, [&] { return parse_bytes(size->text); }), size->where), false;
  const Setting* sweep = settings.find("sizes");
  if (sweep == nullptr && signals(job)) return add_size(job, usual_signal(job), "--size"), false;
  if (sweep == nullptr)
    throw InputError("a message size is missing (legal: --size 8MiB, --sizes 1KiB:64MiB:x4 or --messages FILE)");
  for (const Bytes size : with_place(sweep->where, [&] { return parse_sweep(sweep->text); }))
    add_size(job, size, sweep->where);
  return false;
}

}  // namespace tributary
