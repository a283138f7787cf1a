package cuda

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
)

// StreamOf returns the stream of a device that another binding made and owns, by its handle (CUstream or cudaStream_t): [AdoptStream] for programs that get a
// handle with each call. It keeps what it returns, so the next call with the handle takes 10 to 40 nanoseconds and does not call the driver. 0 and 1 are the
// legacy default stream of the device, whichever context is current. The per-thread default stream (2) is refused, as by AdoptStream: work of two threads
// on it is not ordered, and pools would hand the memory of one thread to the other.
//
// The owner may destroy the stream, and the driver may then use the handle for another one. [Stream.ID] tells the two apart, but asking for it is a call of the
// driver. StreamOf asks at each 64th call with a handle, after [Stream.Close], and after a pool has found the earlier stream gone: pools ask before each fence,
// behind at most 64 frees. Until then the new stream counts as the earlier one, and pools may hand it what was freed on that. So wait for the work of a
// stream before you destroy it, or end it by Close.
func StreamOf(d Device, handle uintptr) (Stream, error) {
	if handle <= uintptr(abi.LegacyStream) {
		_, _, err := d.table()
		return d.legacyStream(), err
	}
	if k := keptStreams.find(handle); k != nil && k.device == d && k.lookups.Add(1)%lookupsPerQuestion != 0 && k.simulated() == k.machine {
		return k.Stream, nil
	}
	return streamOf(d, handle)
}

// lookupsPerQuestion makes the calls of the driver cost a few nanoseconds for each lookup.
const lookupsPerQuestion = 64

func streamOf(d Device, handle uintptr) (Stream, error) {
	s, err := AdoptStream(handle)
	if err == nil && s.device != d {
		err = failure(abi.InvalidHandle, "StreamGetCtx", d, 0, "the stream is of "+s.device.String())
	}
	if err != nil {
		keptStreams.forget(handle)
		return Stream{}, err
	}
	keptStreams.keep(s)
	return s, nil
}

// keptStream is a stream of StreamOf. It does not change.
type keptStream struct {
	Stream
	site
	machine uint64 // simulated machine of the stream
	lookups atomic.Uint32
}

// streamTable finds streams by their handles. Lookups take no lock.
type streamTable struct {
	mu      sync.Mutex // held while a bucket is replaced
	buckets [256]atomic.Pointer[[]*keptStream]
}

var keptStreams streamTable

// mostInBucket bounds what is kept of streams that no longer exist.
const mostInBucket = 16

// bucket returns the place of a handle, which is the address of an object of the driver.
func (t *streamTable) bucket(handle uintptr) *atomic.Pointer[[]*keptStream] {
	return &t.buckets[uint64(handle)*0x9E3779B97F4A7C15>>56]
}

// find returns what is kept of a handle, or nil.
func (t *streamTable) find(handle uintptr) *keptStream {
	if list := t.bucket(handle).Load(); list != nil {
		for _, k := range *list {
			if k.handle == handle {
				return k
			}
		}
	}
	return nil
}

// keep keeps a stream, in place of an earlier one with the handle.
func (t *streamTable) keep(s Stream) {
	k := &keptStream{Stream: s, site: site{drv: driver.Table(), dev: s.device}}
	k.machine = k.simulated()
	t.replace(s.handle, k)
}

// forget makes the next lookup of a handle ask the driver.
func (t *streamTable) forget(handle uintptr) {
	if t.find(handle) != nil {
		t.replace(handle)
	}
}

func (t *streamTable) replace(handle uintptr, by ...*keptStream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.bucket(handle)
	list := by
	if old := b.Load(); old != nil {
		for _, k := range *old {
			if k.handle != handle && len(list) < mostInBucket {
				list = append(slices.Clip(list), k)
			}
		}
	}
	b.Store(&list)
}
