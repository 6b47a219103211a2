#pragma once
/// SubmissionScript: a shell script that submits an array of tasks, and a last task after all of them have ended.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tributary {

/// Returns the names of the schedulers: slurm, sge, lsf and parallel.
const std::vector<std::string>& schedulers();

/// The default of Slurm's MaxArraySize is 1001.
inline constexpr std::size_t most_tasks = 1000;

struct SubmissionScript {
  std::string command;       ///< command of tributary: sweep
  std::string file, folder;  ///< folder of the results and logs
  std::string title, local_title;
  std::size_t tasks = 1, jobs = 1;  ///< `jobs`: processors of a task
  /// Returns the command of a task. The argument is a shell expression of the task's number from 0.
  std::function<std::string(const std::string&)> task;
  std::string join;  ///< command of the last task

  /// Returns the script. Its arguments go to the command that submits the array.
  std::string text(const std::string& scheduler) const;

 private:
  std::string slurm() const;
  std::string sge() const;
  std::string lsf() const;
  std::string parallel() const;
  std::string head(const std::string& submit) const;
  std::string task_script(const std::string& number) const;
  std::string join_script() const;
  std::string name() const;
  std::string quoted_folder() const;
};

/// Returns `'PROGRAM' COMMAND 'FILE' --out 'FOLDER'` with absolute paths.
std::string tributary_command(const std::string& program, const std::string& command, const std::string& file,
                              const std::string& folder);
/// Returns ` --jobs N`, or nothing for one job.
std::string script_jobs(std::size_t jobs);

}  // namespace tributary
