#include "testbench/cli/measured/measure_process.h"

#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "testbench/cli/exit_code.h"
#include "testbench/cli/measured/scratch_folder.h"
#include "testbench/report/measured/measured_report.h"
#include "testbench/run/interrupt.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

std::string read_all(int file) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t n = ::read(file, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;  // Ctrl-C ends the search, which then reports
    if (n <= 0) return text;
    text.append(part, static_cast<std::size_t>(n));
  }
}

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(file, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  return true;
}

/// Waits for the run's end, searches, and answers in JSON: the texts of a MeasuredResult, or `error`.
std::string answer(const MeasureRequest& request, const std::string& question) {
  try {
    const Json asked = Json::parse(question);
    const KnownRun run{asked.at("wall_s"), asked.at("named")};
    const ScratchFolder scratch;
    const SweepFolder folder(scratch.path());
    folder.create();
    const MeasuredResult result = render(search_bottleneck(request, folder, run), run);
    return Json{{"text", result.text}, {"json", result.json}, {"drawing", result.drawing}, {"section", result.section}}
        .dump();
  } catch (const std::exception& error) {
    return Json{{"error", error.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

MeasureProcess::MeasureProcess(const MeasureRequest& request) {
  int question[2], reply[2];
  if (::pipe(question) != 0 || ::pipe(reply) != 0)
    throw std::runtime_error(std::string("cannot start the process of reruns: ") + std::strerror(errno));
  std::cout << std::flush;
  std::fflush(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error(std::string("cannot start the process of reruns: ") + std::strerror(errno));
  if (pid_ == 0) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    install_interrupt_handler();
    ::close(question[1]);
    ::close(reply[0]);
    const std::string asked = read_all(question[0]);
    if (!asked.empty()) write_all(reply[1], answer(request, asked));
    ::_exit(exit_done);
  }
  ::close(question[0]);
  ::close(reply[1]);
  to_ = question[1], from_ = reply[0];
}

MeasureProcess::~MeasureProcess() { end(); }

void MeasureProcess::end() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  to_ = from_ = -1;
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

MeasuredResult MeasureProcess::measure(const KnownRun& run) {
  const Json question = {{"wall_s", run.wall_s}, {"named", run.named}};
  write_all(to_, question.dump());
  ::close(to_);
  to_ = -1;
  const Json reply = Json::parse(read_all(from_), nullptr, false);
  end();
  if (!reply.is_object()) throw std::runtime_error("the process of reruns ended without a result");
  if (reply.contains("error")) throw std::runtime_error("--bottleneck measured: " + reply["error"].get<std::string>());
  return {reply.at("text"), reply.at("json"), reply.at("drawing"), reply.at("section")};
}

MeasuredResult render(const MeasuredFinding& measured, const KnownRun& run) {
  const MeasuredContext context{measured.ended, run.named.empty() ? run.named : std::vector{run.named.front()}};
  const plot::TornadoDrawing drawing = measured_drawing(measured.finding);
  return {measured_text(measured.finding, context), measured_json(measured.finding, context).dump(),
          drawing.svg.document(drawing.width, drawing.height, "gain of each parameter, doubled and halved"),
          measured_section(measured.finding, context)};
}

}  // namespace tributary
