#include "testbench/observe/gtkwave_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "testbench/observe/marker_names.h"

namespace tributary {
namespace {

// Display flags of GTKWave (its analyzer.h): right-justified 0x20 + base, full-scale analogue steps, names from a file,
// group marks.
constexpr const char* as_hexadecimal_names = "@2022";
constexpr const char* as_hexadecimal = "@22";
constexpr const char* as_decimal = "@24";
constexpr const char* as_binary = "@28";
constexpr const char* as_steps = "@88024";
constexpr const char* as_real = "@20";
constexpr const char* more_height = "@20000\n-";
constexpr const char* group_open = "@800200";
constexpr const char* group_open_end = "@1000200";
constexpr const char* group_folded = "@c00200";
constexpr const char* group_folded_end = "@1401200";
constexpr const char* plain_comment = "@200";

const char* flags_of(WaveFormat format) {
  switch (format) {
    case WaveFormat::binary:
      return as_binary;
    case WaveFormat::decimal:
      return as_decimal;
    case WaveFormat::hexadecimal:
      return as_hexadecimal;
    case WaveFormat::real:
      return as_real;
    case WaveFormat::steps:
      return as_steps;
    case WaveFormat::names:
      return as_hexadecimal_names;
  }
  return as_decimal;
}

constexpr std::size_t most_markers = 26;  // A to Z
constexpr double wave_pixels = 1150;

}  // namespace

GtkwaveFile::GtkwaveFile(const std::string& file, const std::string& vcd) : out_(file) {
  out_.append("[*] Tributary\n[dumpfile] \"" + base_name(vcd) + "\"\n[savefile] \"" + base_name(file) + "\"\n");
}

// GTKWave draws 200 pixels per 2^-zoom time units.
void GtkwaveFile::view(Tick begin, Tick end, Tick marker, const std::vector<LifeMarker>& named) {
  std::vector<LifeMarker> markers;
  for (const LifeMarker& m : named)
    if (!markers.empty() && markers.back().time == m.time)
      markers.back().name += ", " + m.name;
    else
      markers.push_back(m);
  const double span = std::max(1.0, static_cast<double>(end) - static_cast<double>(begin));
  char zoom[40];
  std::snprintf(zoom, sizeof zoom, "*%.6f ", -std::log2(std::max(1.0, span * 200 / wave_pixels)));
  out_.append("[timestart] " + std::to_string(begin) + "\n[size] 1600 900\n[pos] -1 -1\n");
  std::string line = zoom + std::to_string(marker);
  for (std::size_t i = 0; i < most_markers; ++i) line += i < markers.size() ? " " + std::to_string(markers[i].time) : " -1";
  out_.append(line + "\n");
  markers.resize(std::min(markers.size(), most_markers));
  std::vector<MarkerPlace> places;
  for (const LifeMarker& m : markers)
    places.push_back({m.name, (static_cast<double>(m.time) - static_cast<double>(begin)) / span * wave_pixels});
  const std::vector<std::string> texts = marker_texts(places, wave_pixels);
  std::string unnamed;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const char letter = static_cast<char>('A' + i);
    if (!texts[i].empty())
      out_.append(std::string("[markername] ") + letter + texts[i] + "\n");
    else
      unnamed += std::string(unnamed.empty() ? "" : "; ") + letter + ": " + markers[i].name;
  }
  out_.append("[sst_expanded] 0\n[signals_width] 330\n");
  if (!unnamed.empty()) comment(unnamed);
}

void GtkwaveFile::mark(const char* flag, const std::string& name) { out_.append(std::string(flag) + "\n-" + name + "\n"); }

void GtkwaveFile::open_group(const std::string& name, bool folded) { mark(folded ? group_folded : group_open, name); }

void GtkwaveFile::close_group(const std::string& name, bool folded) {
  mark(folded ? group_folded_end : group_open_end, name);
}

void GtkwaveFile::comment(const std::string& text) { mark(plain_comment, text); }

void GtkwaveFile::wire(const std::string& signal, const std::string& label, unsigned width, WaveFormat format,
                       const std::string& filter) {
  const std::string range = width > 1 && format != WaveFormat::real ? "[" + std::to_string(width - 1) + ":0]" : "";
  out_.append(std::string(flags_of(format)) + "\n");
  if (format == WaveFormat::names) out_.append("^1 " + filter + "\n");
  out_.append("+{" + label + "} " + signal + range + "\n");
  if (format == WaveFormat::names) out_.append("^0\n");
  if (format == WaveFormat::steps) out_.append(std::string(more_height) + "\n");
}

void GtkwaveFile::event(const std::string& signal, const std::string& label) {
  out_.append(std::string(as_binary) + "\n+{" + label + "} " + signal + "\n");
}

void write_filter(const std::string& file, const char* const* names, unsigned bits) {
  OutputFile out(file);
  const int digits = static_cast<int>((bits + 3) / 4);
  char text[24];
  for (unsigned i = 0; names[i] != nullptr; ++i) {
    std::snprintf(text, sizeof text, "%0*X ", digits, i);
    out.append(text + std::string(names[i]) + "\n");
  }
  out.close();
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string label_of(std::string place) {
  std::replace(place.begin(), place.end(), '.', ':');
  return place;
}

std::string scope_of(const std::string& place) {
  const std::size_t arrow = place.find('>');
  return arrow == std::string::npos ? place : place.substr(0, arrow) + ".link";
}

}  // namespace tributary
