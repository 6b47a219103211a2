#pragma once
/// PooledQueue: a FIFO in chunks taken from a stock that the queues of a platform share.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "modules/base/host/large_buffer.h"

namespace tributary {

struct alignas(512) QueueChunk {
  QueueChunk* next;
  std::byte rest[512 - sizeof(QueueChunk*)];
};
static_assert(sizeof(QueueChunk) == 512);

/// Free chunks of all queues of an arena (Arena::of). The chunk freed last is reused first, as it is still in the cache.
class ChunkStock {
 public:
  ChunkStock() = default;
  ChunkStock(const ChunkStock&) = delete;
  ChunkStock& operator=(const ChunkStock&) = delete;

  QueueChunk* take() {
    if (free_ == nullptr) grow();
    return std::exchange(free_, free_->next);
  }
  void give(QueueChunk* chunk) {
    chunk->next = free_;
    free_ = chunk;
  }

 private:
  [[gnu::noinline, gnu::cold]] void grow() {
    slabs_.push_back(make_large_buffer(huge_page));
    for (std::size_t at = huge_page; at != 0; at -= sizeof(QueueChunk))
      give(::new (static_cast<void*>(slabs_.back().get() + at - sizeof(QueueChunk))) QueueChunk);
  }
  QueueChunk* free_ = nullptr;
  std::vector<LargeBuffer> slabs_;
};

/// FIFO for platforms with many queues that fill and empty in turn. A ring buffer for each queue would reuse a slot long
/// after the slot had left the cache. An empty queue keeps one chunk. The stock must outlive the queue.
template <class T>
class PooledQueue {
  static constexpr std::size_t chunk_bytes = sizeof(QueueChunk);
  using Chunk = QueueChunk;
  // Elements are aligned to the end of the chunk, so that an address shows if it is the last one.
  static constexpr std::size_t per_chunk = sizeof(Chunk::rest) / (sizeof(T));  // clang warns without parentheses
  static T* begin_of(Chunk* chunk) {
    return std::launder(reinterpret_cast<T*>(chunk->rest + sizeof(chunk->rest) - per_chunk * sizeof(T)));
  }
  static_assert(std::is_trivially_copyable_v<T>, "elements are forgotten, not destroyed");

 public:
  explicit PooledQueue(ChunkStock& stock) : stock_(&stock) {}
  PooledQueue(PooledQueue&& other) noexcept
      : stock_(other.stock_),
        head_(std::exchange(other.head_, nullptr)),
        tail_(std::exchange(other.tail_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  PooledQueue& operator=(const PooledQueue&) = delete;
  ~PooledQueue() { clear(); }

  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  T& front() { return *head_; }
  const T& front() const { return *head_; }
  /// Prefetches the front element into the host's cache; no effect on an empty queue.
  void prefetch_front() const {
    if (!empty()) __builtin_prefetch(head_);
  }

  /// Constructs T{members...} in place: a copy would stall on loads of data just stored. The members must not be inside the
  /// queue.
  template <class... Members>
  T& push(const Members&... members) {
    if (at_border(tail_)) add_chunk();
    ++size_;
    return *::new (static_cast<void*>(tail_++)) T{members...};
  }
  /// Inserts in sorted order; equal elements stay in the order of insertion. Cheap if the new element belongs near the
  /// back.
  template <class Less, class... Members>
  void insert_sorted(Less less, const Members&... members) {
    T* place = &push(members...);
    const T value{members...};
    while (place != head_) {
      T* const before = predecessor(place);
      if (!less(value, *before)) break;
      *place = *before;
      place = before;
    }
    *place = value;
  }
  void pop() {
    Chunk* const chunk = chunk_of(head_);
    ++head_, --size_;
    if (at_border(head_)) return leave(chunk);
    T* const begin = begin_of(chunk);  // an empty queue stays in the same cache lines; no branch here,
    const bool ran_empty = __builtin_expect_with_probability(empty(), 1, 0.5);  // as it would be mispredicted
    head_ = ran_empty ? begin : head_;
    tail_ = ran_empty ? begin : tail_;
  }
  /// Drops all elements and chunks.
  void clear() {
    while (!empty()) pop();
    if (head_ != nullptr) leave(chunk_of(head_));
  }

 private:
  static bool at_border(const T* p) { return reinterpret_cast<std::uintptr_t>(p) % chunk_bytes == 0; }
  static Chunk* chunk_of(T* p) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(p) / chunk_bytes * chunk_bytes);
  }
  T* predecessor(T* p) {
    Chunk* const chunk = chunk_of(p);
    if (p != begin_of(chunk)) return p - 1;
    Chunk* before = chunk_of(head_);
    while (before->next != chunk) before = before->next;
    return begin_of(before) + (per_chunk - 1);
  }
  void add_chunk() {
    Chunk* const chunk = stock_->take();
    if (empty())
      head_ = begin_of(chunk);
    else
      chunk_of(tail_ - 1)->next = chunk;
    tail_ = begin_of(chunk);
  }
  void leave(Chunk* chunk) {
    head_ = empty() ? nullptr : begin_of(chunk->next);
    tail_ = empty() ? nullptr : tail_;
    stock_->give(chunk);
  }

  ChunkStock* stock_;
  T *head_ = nullptr, *tail_ = nullptr;  // null: no chunk
  std::uint32_t size_ = 0;
};

}  // namespace tributary
