#include "testbench/cli/sweep/submission_script.h"

#include <filesystem>

namespace tributary {
namespace {

std::string quoted_for_shell(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

}  // namespace

const std::vector<std::string>& schedulers() {
  static const std::vector<std::string> names{"slurm", "sge", "lsf", "parallel"};
  return names;
}

std::string tributary_command(const std::string& program, const std::string& command, const std::string& file,
                              const std::string& folder) {
  return quoted_for_shell(program) + " " + command + " " + quoted_for_shell(absolute(file)) + " --out " +
         quoted_for_shell(absolute(folder));
}

std::string script_jobs(std::size_t jobs) { return jobs > 1 ? " --jobs " + std::to_string(jobs) : ""; }

std::string SubmissionScript::text(const std::string& scheduler) const {
  if (scheduler == "sge") return sge();
  if (scheduler == "lsf") return lsf();
  return scheduler == "parallel" ? parallel() : slurm();
}

std::string SubmissionScript::name() const {
  return quoted_for_shell("tributary_" + std::filesystem::path(file).stem().string());
}

std::string SubmissionScript::quoted_folder() const { return quoted_for_shell(absolute(folder)); }

std::string SubmissionScript::head(const std::string& submit) const {
  return "#!/bin/bash\n# tributary " + command + ": " + title + "; arguments go to " + submit +
         " of the tasks\nset -e\nmkdir -p " + quoted_folder() + "\n";
}

std::string SubmissionScript::task_script(const std::string& number) const {
  return "#!/bin/bash\nexec " + task(number) + "\n";
}

std::string SubmissionScript::join_script() const { return "#!/bin/bash\nexec " + join + "\n"; }

std::string SubmissionScript::slurm() const {
  return head("sbatch") + "array=$(sbatch --parsable --job-name=" + name() + " --array=0-" + std::to_string(tasks - 1) +
         " --ntasks=1 --cpus-per-task=" + std::to_string(jobs) + " --output=" + quoted_folder() +
         "/task_%a.log \"$@\" <<'TASK'\n" + task_script("SLURM_ARRAY_TASK_ID") +
         "TASK\n)\nsbatch --dependency=\"afterany:${array%%;*}\" --job-name=" + name() +
         "_join --ntasks=1 --output=" + quoted_folder() + "/join.log <<'JOIN'\n" + join_script() + "JOIN\n";
}

std::string SubmissionScript::sge() const {
  return head("qsub") + "array=$(qsub -terse -N " + name() + " -t 1-" + std::to_string(tasks) + " -j y -o " +
         quoted_folder() + "/'task_$TASK_ID.log' -S /bin/bash \"$@\" <<'TASK'\n" + task_script("SGE_TASK_ID - 1") +
         "TASK\n)\nqsub -hold_jid \"${array%%.*}\" -N " + name() + "_join -j y -o " + quoted_folder() +
         "/join.log -S /bin/bash <<'JOIN'\n" + join_script() + "JOIN\n";
}

std::string SubmissionScript::lsf() const {
  return head("bsub") + "array=$(bsub -J " + name() + "\"[1-" + std::to_string(tasks) + "]\" -o " + quoted_folder() +
         "/task_%I.log \"$@\" <<'TASK'\n" + task_script("LSB_JOBINDEX - 1") +
         "TASK\n)\narray=${array#*<}\nbsub -w \"ended(${array%%>*})\" -J " + name() + "_join -o " + quoted_folder() +
         "/join.log <<'JOIN'\n" + join_script() + "JOIN\n";
}

/// The exit code of the script is that of the last task.
std::string SubmissionScript::parallel() const {
  return "#!/bin/bash\n# tributary " + command + ": " + local_title + "\nmkdir -p " + quoted_folder() +
         "\nexport SHELL=/bin/bash\nrun_task() {\n  " + task("$1") + "\n}\nexport -f run_task\nseq 0 " +
         std::to_string(tasks - 1) + " | parallel \"$@\" run_task {}\nexec " + join + "\n";
}

}  // namespace tributary
