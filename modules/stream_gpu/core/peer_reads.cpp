#include "modules/stream_gpu/core/peer_reads.h"

#include <cstring>

#include "modules/protocol/schedule_nic.h"

namespace tributary {

Packet* PeerReads::packet(const CopyCommand& copy, const Burst& burst, PacketPool& pool) {
  Packet* const packet = pool.make(sizeof(Request), true);
  const Request request{copy.destination + burst.offset, burst.copy, burst.flits, burst.lane, burst.last};
  std::memcpy(packet->payload, &request, sizeof request);
  RouterHeader& h = router_header(*packet);
  h.address = copy.source + burst.offset;
  h.chunk_bytes = burst.bytes;
  h.tag = copy.stream;
  h.kind = ChunkKind::read;
  return packet;
}

PeerReads::Request PeerReads::request_of(const Packet& read) {
  Request request;
  std::memcpy(&request, read.payload, sizeof request);
  return request;
}

CopyCommand PeerReads::answer_to(const Packet& read, CopyPath path) {
  const RouterHeader& h = router_header(read);
  CopyCommand command;
  command.stream = h.tag, command.peer = h.source, command.path = path;
  command.source = h.address, command.destination = request_of(read).destination, command.bytes = h.chunk_bytes;
  return command;
}

void PeerReads::mark(Packet& data, const Request& request) {
  RouterHeader& h = router_header(data);
  h.kind = ChunkKind::read_data;
  h.chunk_bytes = request.copy;
  h.sequence = static_cast<std::uint16_t>(request.lane << 1 | (request.last ? 1 : 0));
}

std::uint32_t PeerReads::reader_of(const Packet& data) { return router_header(data).chunk_bytes; }

void PeerReads::arrived(const Packet& data, BurstSource& reader, Tick now) {
  const RouterHeader& h = router_header(data);
  const unsigned lane = h.sequence >> 1;
  if ((h.sequence & 1) != 0)
    reader.left(h.chunk_bytes, lane, now);
  else
    reader.room(h.chunk_bytes, lane, now);
}

}  // namespace tributary
