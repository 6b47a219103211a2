#include "testbench/cli/sweep/sweep_emit.h"

#include "testbench/cli/sweep/submission_script.h"
#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {
namespace {

/// Points of each task; the last task may have fewer.
struct Tasks {
  std::size_t points, each, count;
};
Tasks tasks_of(std::size_t points) {
  const std::size_t each = (points + most_tasks - 1) / most_tasks;
  return {points, each, (points + each - 1) / each};
}

/// Returns the value of --index. `task` is a shell expression of the task's number from 0.
std::string index_of(const Tasks& tasks, const std::string& task) {
  if (tasks.each == 1) return "\"$((" + task + "))\"";
  const std::string each = std::to_string(tasks.each), last = std::to_string(tasks.points - 1);
  const std::string first = "(" + task + ") * " + each, end = first + " + " + std::to_string(tasks.each - 1);
  return "\"$((" + first + ")):$((" + end + " < " + last + " ? " + end + " : " + last + "))\"";
}

/// The task of the sweep's array; `number` is a shell expression of the task's number from 0.
SubmissionScript script_of(const SweepRequest& request, const std::string& program) {
  const Tasks tasks = tasks_of(request.sweep.size());
  const std::string command = tributary_command(program, "sweep", request.file, request.folder);
  SubmissionScript script;
  script.file = request.file, script.folder = request.folder, script.jobs = request.jobs, script.tasks = tasks.count;
  script.title = std::to_string(tasks.points) + " points in " + std::to_string(tasks.count) + " tasks, then a join";
  script.local_title = "points in parallel on this machine or, with parallel's --sshlogin, on others";
  script.command = "sweep";
  script.task = [=](const std::string& number) {
    return command + script_jobs(request.jobs) + " --index " + index_of(tasks, number) + " --quiet";
  };
  script.join = command + " --join";
  return script;
}

}  // namespace

std::string submission_script(const SweepRequest& request, const std::string& program) {
  return script_of(request, program).text(request.scheduler);
}

}  // namespace tributary
