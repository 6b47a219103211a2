#include "testbench/cli/sweep/sweep_emit.h"

#include <algorithm>
#include <filesystem>

#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {
namespace {

constexpr std::size_t most_tasks = 1000;  ///< the default of Slurm's MaxArraySize is 1001

std::string quoted_for_shell(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

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

class Script {
 public:
  Script(const SweepRequest& request, const std::string& program)
      : tasks_(tasks_of(request.sweep.size())), folder_(quoted_for_shell(absolute(request.folder))) {
    sweep_ = quoted_for_shell(program) + " sweep " + quoted_for_shell(absolute(request.file)) + " --out " + folder_;
    name_ = quoted_for_shell("tributary_" + std::filesystem::path(request.file).stem().string());
    jobs_ = request.jobs;
  }

  std::string slurm() const {
    return head("sbatch") + "array=$(sbatch --parsable --job-name=" + name_ + " --array=0-" + last() +
           " --ntasks=1 --cpus-per-task=" + std::to_string(jobs_) + " --output=" + folder_ +
           "/task_%a.log \"$@\" <<'TASK'\n" + task("SLURM_ARRAY_TASK_ID") +
           "TASK\n)\nsbatch --dependency=\"afterany:${array%%;*}\" --job-name=" + name_ +
           "_join --ntasks=1 --output=" + folder_ + "/join.log <<'JOIN'\n" + join() + "JOIN\n";
  }
  std::string sge() const {
    return head("qsub") + "array=$(qsub -terse -N " + name_ + " -t 1-" + std::to_string(tasks_.count) + " -j y -o " +
           folder_ + "/'task_$TASK_ID.log' -S /bin/bash \"$@\" <<'TASK'\n" + task("SGE_TASK_ID - 1") +
           "TASK\n)\nqsub -hold_jid \"${array%%.*}\" -N " + name_ + "_join -j y -o " + folder_ +
           "/join.log -S /bin/bash <<'JOIN'\n" + join() + "JOIN\n";
  }
  std::string lsf() const {
    return head("bsub") + "array=$(bsub -J " + name_ + "\"[1-" + std::to_string(tasks_.count) + "]\" -o " + folder_ +
           "/task_%I.log \"$@\" <<'TASK'\n" + task("LSB_JOBINDEX - 1") +
           "TASK\n)\narray=${array#*<}\nbsub -w \"ended(${array%%>*})\" -J " + name_ + "_join -o " + folder_ +
           "/join.log <<'JOIN'\n" + join() + "JOIN\n";
  }
  /// The exit code of the script is that of the join, the worst of all points.
  std::string parallel() const {
    return "#!/bin/bash\n# tributary sweep: points in parallel on this machine or, with parallel's --sshlogin, on others\n"
           "mkdir -p " +
           folder_ + "\nexport SHELL=/bin/bash\nrun_task() {\n  " + sweep_ + jobs() + " --index " + index_of(tasks_, "$1") +
           " --quiet\n}\nexport -f run_task\nseq 0 " + last() + " | parallel \"$@\" run_task {}\n" + join_line();
  }

 private:
  std::string last() const { return std::to_string(tasks_.count - 1); }
  std::string jobs() const { return jobs_ > 1 ? " --jobs " + std::to_string(jobs_) : ""; }
  std::string head(const std::string& command) const {
    return "#!/bin/bash\n# tributary sweep: " + std::to_string(tasks_.points) + " points in " +
           std::to_string(tasks_.count) + " tasks, then a join; arguments go to " + command +
           " of the tasks\nset -e\nmkdir -p " + folder_ + "\n";
  }
  std::string task(const std::string& number) const {
    return "#!/bin/bash\nexec " + sweep_ + jobs() + " --index " + index_of(tasks_, number) + " --quiet\n";
  }
  std::string join_line() const { return "exec " + sweep_ + " --join\n"; }
  std::string join() const { return "#!/bin/bash\n" + join_line(); }

  Tasks tasks_;
  std::string folder_, sweep_, name_;
  std::size_t jobs_ = 1;
};

}  // namespace

const std::vector<std::string>& schedulers() {
  static const std::vector<std::string> names{"slurm", "sge", "lsf", "parallel"};
  return names;
}

std::string submission_script(const SweepRequest& request, const std::string& program) {
  const Script script(request, program);
  if (request.scheduler == "sge") return script.sge();
  if (request.scheduler == "lsf") return script.lsf();
  return request.scheduler == "parallel" ? script.parallel() : script.slurm();
}

}  // namespace tributary
