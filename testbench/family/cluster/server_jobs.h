#pragma once
/// ServerJobs: the jobs of a cluster as the family of its servers carries them out, by packets.

#include <memory>
#include <string>

#include "platforms/cluster/cluster_server.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/cluster/staged_job.h"
#include "testbench/run/run_spec.h"

namespace tributary {

class ServerJobs {
 public:
  ServerJobs(std::string platform, ClusterServer server, const ClusterParams& params)
      : platform_(std::move(platform)),
        server_(std::move(server)),
        joined_(params.fabric == ClusterFabric::leaf_spine || params.fabric == ClusterFabric::one_switch),
        rails_joined_(params.fabric != ClusterFabric::rails),
        pxn_(params.pxn),
        chunk_(params.chunk ? params.chunk->value : 0),
        lanes_(params.inside_lanes) {}

  const ClusterServer& server() const { return server_; }
  bool crosses_servers(const JobSpec& job) const;
  /// Returns true if the job crosses servers in stages (StagedWork); else one schedule of software has all its messages.
  bool in_stages(const JobSpec& job) const;
  /// Returns the stages of a job that crosses servers in stages. Throws ScheduleError.
  collective::StagedSchedule stages_of(const JobSpec& job, Bytes message) const;
  /// Returns the packets' work of these stages. Throws ScheduleError or SetupError (one line).
  std::unique_ptr<const StagedWork> work_of(const JobSpec& job, Bytes message, const StagedJob::Messages& messages,
                                            unsigned window) const;
  /// Returns true if accelerators add between the servers of the job.
  bool accelerated(const JobSpec& job) const;
  /// Returns the packets of a message of NetReduce, at most `most`: as many as a part of a chunk needs. Throws SetupError
  /// (one line) if messages of the run need unlike numbers.
  unsigned message_packets(const RunSpec& spec, unsigned most, unsigned mtu) const;
  /// Returns the job of the server's family: within one server INSIDE of INSIDE_BETWEEN, or the same algorithm; between
  /// servers the first stage, or a schedule of software, which is still missing. Throws SetupError (one line) if packets do
  /// not carry it out.
  JobSpec carried(const JobSpec& job) const;
  /// Returns the schedule of a job between servers. Throws ScheduleError.
  collective::Schedule schedule_of(const JobSpec& job, Bytes message) const;
  /// Returns the run of the server's family; ranks keep their numbers. `hardware`: jobs in stages have a step, so that GPUs
  /// carry out tasks. Throws as carried() does.
  RunSpec run(const RunSpec& spec, bool hardware = false) const;
  /// Returns the job with the GPUs of a server, numbered from 0.
  JobSpec in_first_server(JobSpec job) const;

 private:
  int server_of(int rank) const { return rank / server_.gpus; }
  void check_between(const JobSpec& job) const;
  StagedJob::Names names_of(const JobSpec& job) const;

  std::string platform_;
  ClusterServer server_;
  bool joined_;          ///< a leaf joins NICs of unlike rails
  bool rails_joined_;    ///< leaves or spines join NICs of unlike rails
  bool pxn_;             ///< data for another rail go by NVLink to a GPU of that rail
  std::uint64_t chunk_;  ///< bytes; 0: automatic
  unsigned lanes_;       ///< chunks in the rings of a server at once
};

}  // namespace tributary
