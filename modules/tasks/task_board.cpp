#include "modules/tasks/task_board.h"

namespace tributary {

void TaskBoard::load(const TaskProgram& program) {
  program_ = &program;
  waits_.clear();
  for (const DeviceTask& task : program.tasks) waits_.push_back(task.waits);
  left_ = program.tasks.size();
}

std::vector<std::string> TaskBoard::waiting() const {
  if (left_ == 0) return {};
  return {"tasks: " + std::to_string(left_) + " of " + std::to_string(program_->tasks.size()) + " have not ended"};
}

void TaskBoard::describe(ProbeDirectory& directory, const std::string& device) {
  const std::string name = device + ".tasks.";
  directory.add_signal(name + "ready", ready_, SignalKind::strobe, 32, "a task is ready (its number)");
  directory.add_signal(name + "begun", begun_, SignalKind::strobe, 32, "a task begins (its number)");
  directory.add_signal(name + "ended", ended_, SignalKind::strobe, 32, "a task ends (its number)");
}

}  // namespace tributary
