#include "testbench/cli/commands/sweep_command.h"

#include <filesystem>
#include <iostream>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/sweep/sweep_emit.h"
#include "testbench/cli/sweep/sweep_folder.h"
#include "testbench/cli/sweep/sweep_runner.h"
#include "testbench/report/html/sweep_page.h"
#include "testbench/report/result_file.h"
#include "testbench/report/time_used.h"
#include "testbench/run/interrupt.h"

namespace tributary {
namespace {

/// Prints lines such as `3  0f3a...  algorithm=push gpus=16  finished`.
int list_points(const SweepRequest& request) {
  const Sweep& sweep = request.sweep;
  const SweepFolder folder(request.folder);
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const SweepPoint point = sweep.point(i);
    std::cout << i << "  " << point.id << " ";
    for (const std::string& axis : sweep.axes()) std::cout << " " << axis << "=" << one_line(Sweep::value(point, axis));
    if (!request.folder.empty()) std::cout << (folder.finished(point) ? "  finished" : "  to do");
    std::cout << "\n";
  }
  std::cout << std::flush;
  return exit_done;
}

std::string counted(std::size_t n, const char* what) { return n == 0 ? "" : ", " + std::to_string(n) + what; }

void print_summary(const SweepRequest& request, const SweepRunner& runner, const SweepFolder& folder) {
  const SweepCount& count = runner.count();
  const std::size_t missing = count.points - count.kept - count.done - count.failed;
  std::cout << count.points << (count.points == 1 ? " point: " : " points: ") << count.done << " run"
            << counted(count.kept, " finished before") << counted(runner.stuck(), " stuck or at the time limit")
            << counted(runner.wrong(), " with wrong elements") << counted(count.failed, " failed")
            << counted(missing, " to do") << "; results in "
            << (request.index && request.index->first == request.index->last
                    ? folder.stem(request.sweep.point(request.index->first)) + ".json"
                : !request.whole() ? request.folder + "/points"
                                   : folder.table())
            << "\n"
            << std::flush;
}

}  // namespace

int sweep_command(const SweepRequest& request) {
  if (request.action == SweepAction::list) return list_points(request);
  if (request.action == SweepAction::emit) {
    std::cout << submission_script(request, std::filesystem::read_symlink("/proc/self/exe").string()) << std::flush;
    return exit_done;
  }
  const TimeUsed used;
  install_interrupt_handler();
  const SweepFolder folder(request.folder);
  folder.create();
  print_renamed(request.renamed);
  SweepRunner runner(request, folder);
  if (request.action == SweepAction::run) runner.run();
  print_summary(request, runner, folder);
  if (!request.page.empty())
    replace_file(request.page, html::sweep_page(plot::CsvTable::read(folder.table()), "tributary sweep: " + request.file));
  if (!request.quiet) std::cout << used.line() << std::flush;
  return runner.exit_code();
}

}  // namespace tributary
