package grpc

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/mem"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

var (
	_ mem.BufferPool = (*FrameBuffers)(nil)
	_ mem.BufferPool = (*TightBuffers)(nil)
)

// random returns n bytes.
func random(n int, seed uint64) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// load makes calls and uses streams from several goroutines, and checks each answer.
func load(t *testing.T, r *rig, most int) {
	t.Helper()
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Go(func() {
			for i := range uint64(40) {
				sent := random(int(i*i*i)%most, g<<8+i)
				if got, err := r.call(sent); err != nil || !bytes.Equal(got, sent) {
					t.Errorf("a call of %d bytes: %d bytes, %v", len(sent), len(got), err)
					return
				}
			}
		})
		all.Go(func() {
			s, err := r.talk(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			for i := range uint64(40) {
				sent, got := random(int(i*i*i)%most, g<<8+i), new(message)
				if err := s.SendMsg(&message{sent}); err != nil {
					t.Error(err)
					return
				}
				if err := s.RecvMsg(got); err != nil || !bytes.Equal(got.data, sent) {
					t.Errorf("a message of %d bytes: %d bytes, %v", len(sent), len(got.data), err)
					return
				}
			}
			if err := s.CloseSend(); err != nil {
				t.Error(err)
			}
			if err := s.RecvMsg(new(message)); err != io.EOF {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Calls and streams get their buffers from the pool, and put all of them back.
func TestCallsAndStreams(t *testing.T) {
	pool := new(FramePool)
	buffers := NewFrameBuffers(pool)
	r := newRig(t, buffers)
	load(t, r, 60_000)
	r.close()
	if s := pool.Stats(); s.Allocs < 1000 {
		t.Errorf("gRPC has hardly used the pool: %v", s)
	}
	if s := buffers.Stats(); s != (poolrt.AdapterStats{}) {
		t.Errorf("%+v", s)
	}
	waitEmpty(t, pool)
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// waitEmpty waits for goroutines of gRPC that end after the connection is closed.
func waitEmpty(t *testing.T, pool interface{ Stats() poolrt.Stats }) {
	t.Helper()
	for range 100 {
		if pool.Stats().Live == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%v", pool.Stats())
}

// At its limit the pool stays within it, and the calls go on.
func TestCallsAtTheLimit(t *testing.T) {
	pool := new(TightPool)
	buffers := NewTightBuffers(pool)
	r := newRig(t, buffers)
	load(t, r, 300_000)
	r.close()
	waitEmpty(t, pool)
	counted, s := buffers.Stats(), pool.Stats()
	if counted.Fallbacks == 0 || counted.Foreign != counted.Fallbacks || counted.Refused != 0 {
		t.Errorf("%+v", counted)
	}
	if s.PeakReserved > s.Limit || s.Failures < counted.Fallbacks {
		t.Errorf("%v", s)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// gRPC does not put back what has arrived for a stream that is canceled before it was read. Those blocks stay live. When the pool has no others left, calls go on with
// memory of the Go heap.
func TestCanceledStreams(t *testing.T) {
	pool := new(TightPool)
	buffers := NewTightBuffers(pool)
	r := newRig(t, buffers)
	for range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := r.talk(ctx)
		fatal.If(t, err)
		for range 3 {
			fatal.If(t, s.SendMsg(&message{random(50_000, 1)}))
		}
		fatal.If(t, s.RecvMsg(new(message)))
		cancel()
	}
	load(t, r, 60_000)
	r.close()
	s, counted := pool.Stats(), buffers.Stats()
	if s.PeakReserved > s.Limit || counted.Refused != 0 || counted.Foreign > counted.Fallbacks {
		t.Errorf("%+v, %v", counted, s)
	}
	t.Logf("%d blocks stay live", s.Live)
	if err := pool.CloseForce(); err != nil {
		t.Error(err)
	}
}

// Buffers of package mem free the block with their last reference: after copies, slices and readers of it.
func TestBuffersOfMem(t *testing.T) {
	pool := new(FramePool)
	buffers := NewFrameBuffers(pool)
	content := random(5000, 1)
	b := mem.Copy(content, buffers)
	part := b.Slice(1000, 2000)
	left, right := mem.SplitUnsafe(b, 3000)
	left.Free()
	right.Free()
	if s := pool.Stats(); s.Live != 1 || !bytes.Equal(part.ReadOnlyData(), content[1000:2000]) {
		t.Errorf("a part is in use: %v", s)
	}
	part.Free()
	half := buffers.Get(8000)
	*half = (*half)[:copy(*half, content)]
	both := mem.BufferSlice{mem.NewBuffer(half, buffers), mem.Copy(content, buffers)}
	reader := both.Reader() // takes references of its own
	both.Free()
	all, err := mem.ReadAll(reader, buffers)
	if err != nil || !bytes.Equal(all.Materialize(), append(content[:5000:5000], content...)) {
		t.Errorf("%d bytes, %v", all.Len(), err)
	}
	all.Free()
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if s := buffers.Stats(); s != (poolrt.AdapterStats{}) || pool.Stats().Allocs < 4 {
		t.Errorf("%+v, %v", s, pool.Stats())
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}
