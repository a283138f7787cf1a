package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// mostAddresses bounds the addresses of a pool, as a multiple of the memory that it may have. An allocator that moves nothing needs at most
// 1 + log2(n)/2 times that memory, for n pages (J. M. Robson, Bounds for some functions concerning dynamic storage allocation, J. ACM 21, 1974): 9
// times for 141 GiB in pages of 2 MiB. Address-ordered first fit stays within about log2(n).
const mostAddresses = 32

// ranges are the addresses of a pool, in a few reservations. Addresses cost no device memory, but each range must fit into the address space of the
// process as well.
type ranges struct {
	mapped
	align  int64 // of ranges: the largest power of two that divides a page, so that pages have the alignment of their size
	memory int64 // the most that the pool may have, in whole pages
	usual  int64 // the most that it is likely to have: as much, or what its first limit allows
	most   int64 // bytes of one range
	whole  bool  // what is mapped at a time has one handle, however large it is

	mu   sync.Mutex
	list []*reservation // the first one first, then in order of address
	held int64          // bytes of addresses
}

// open reserves the first range: twice the memory that the pool is likely to have, or less if the driver refuses, but so many bytes.
func (v *ranges) open(least int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return lackOf(min(least, v.most), v.reserve(min(2*v.usual, v.most), min(least, v.most)))
}

// lackOf returns the error of a pool whose first range was to have so many bytes.
func lackOf(bytes int64, err error) error {
	if e, ok := err.(*Error); ok && fewer(abi.Result(e.Code)) {
		return &poolimpl.NoAddresses{Need: bytes, Cause: err, First: true}
	}
	return err
}

// fewer reports whether the driver, which refuses to reserve addresses, may reserve fewer.
func fewer(r abi.Result) bool { return r == abi.OutOfMemory || r == abi.InvalidValue }

// more reserves another range, of so many bytes or more.
func (v *ranges) more(bytes int64) (*reservation, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	left := mostAddresses*v.memory - v.held
	size := min(max(up(v.usual/2, v.page), up(v.held/4, v.page), 2*bytes), v.most, left)
	if bytes > size {
		return nil, fmt.Errorf("the pool has reserved %d bytes of addresses, of at most %d: %d times the %d bytes of memory that it may have",
			v.held, mostAddresses*v.memory, mostAddresses, v.memory)
	}
	n := len(v.list)
	if err := v.reserve(size, bytes); err != nil {
		return nil, fmt.Errorf("the pool has reserved %d bytes of addresses, and the driver refused more: %w", v.held, err)
	}
	r := v.list[n]
	slices.SortFunc(v.list[1:], func(a, b *reservation) int { return cmp.Compare(a.base, b.base) })
	return r, nil
}

// reserve reserves size bytes; if the driver refuses, half of that, and so on down to least.
func (v *ranges) reserve(size, least int64) error {
	for {
		base, r := v.drv.MemAddressReserve(uint64(size), uint64(v.align))
		if r == abi.Success {
			made := &reservation{mapped: v.mapped, base: base, size: size}
			if v.whole {
				made.page = size
			}
			v.list = append(v.list, made)
			v.held += size
			return nil
		}
		if size <= least || !fewer(r) {
			return check(r, "MemAddressReserve", v.dev, size)
		}
		size = max(up(size/2, v.page), least)
	}
}

// less frees the addresses of a range without memory.
func (v *ranges) less(r *reservation) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.drop(r)
}

// drop ends a range. If that fails, the range stays in the list.
func (v *ranges) drop(r *reservation) error {
	if err := r.end(); err != nil {
		return err
	}
	v.list = slices.DeleteFunc(v.list, func(x *reservation) bool { return x == r })
	v.held -= r.size
	return nil
}

// close ends all ranges.
func (v *ranges) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	for _, r := range slices.Clone(v.list) {
		errs = append(errs, v.drop(r))
	}
	return errors.Join(errs...)
}

// of returns the range that an address lies in.
func (v *ranges) of(addr uint64) *reservation {
	v.mu.Lock()
	defer v.mu.Unlock()
	at := slices.IndexFunc(v.list, func(r *reservation) bool { return addr-uint64(r.base) < uint64(r.size) })
	return v.list[at]
}

// first returns the range that stays until the pool is closed.
func (v *ranges) first() *reservation { return v.list[0] }

// all returns the addresses of a range.
func (v *reservation) all() poolimpl.Extent {
	return poolimpl.Extent{Addr: uint64(v.base), Size: uint64(v.size)}
}
