#pragma once
/// RingQueue: a FIFO on a power-of-two array that grows; it allocates nothing once it has reached its working size.

#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tributary {

template <class T>
class RingQueue {
  static_assert(std::is_trivially_destructible_v<T>, "elements are forgotten, not destroyed");

 public:
  bool empty() const { return head_ == tail_; }
  std::uint32_t size() const { return tail_ - head_; }
  T& front() { return slots_[head_ & mask_]; }
  const T& front() const { return slots_[head_ & mask_]; }
  /// Returns the i-th element from the front.
  T& operator[](std::uint32_t i) { return slots_[(head_ + i) & mask_]; }
  const T& operator[](std::uint32_t i) const { return slots_[(head_ + i) & mask_]; }

  /// Constructs T{members...} in place: a copy would stall on loads of data just stored. The members must not be inside the
  /// queue.
  template <class... Members>
  T& push(const Members&... members) {
    if (size() == capacity_) grow();
    return *::new (static_cast<void*>(&slots_[tail_++ & mask_])) T{members...};
  }
  /// Inserts in sorted order; equal elements stay in the order of insertion. Cheap if the new element belongs near the
  /// back.
  template <class Less, class... Members>
  void insert_sorted(Less less, const Members&... members) {
    const bool first = empty();
    const T& added = push(members...);
    if (first || !less(added, (*this)[size() - 2])) return;
    const T value{members...};
    std::uint32_t i = size() - 1;
    for (; i > 0 && less(value, (*this)[i - 1]); --i) (*this)[i] = (*this)[i - 1];
    (*this)[i] = value;
  }
  void pop() {
    const std::uint32_t keep = ++head_ == tail_ ? 0 : ~std::uint32_t{0};  // no branch: it would be mispredicted
    head_ &= keep, tail_ &= keep;                                         // an empty queue stays in the same cache lines
  }
  void clear() { head_ = tail_ = 0; }

 private:
  [[gnu::noinline, gnu::cold]] void grow() {
    const std::uint32_t n = size();
    const std::uint32_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
    std::unique_ptr<T[]> larger(new T[capacity]);
    for (std::uint32_t i = 0; i < n; ++i) larger[i] = (*this)[i];
    slots_ = std::move(larger);
    capacity_ = capacity;
    mask_ = capacity - 1;
    head_ = 0;
    tail_ = n;
  }
  std::unique_ptr<T[]> slots_;
  std::uint32_t head_ = 0, tail_ = 0, mask_ = 0, capacity_ = 0;
};

}  // namespace tributary
