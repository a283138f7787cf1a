package poolimpl

import (
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"
)

// A reader that loaded the table before a slot was reused still finds the slot's old chunk there.
func TestChunksOfReaders(t *testing.T) {
	table := chunks{shared: true}
	const count = 100
	for i := range uint64(count) {
		table.put(Chunk{Addr: i * 10, Size: 10})
	}
	before := table.first.Load()
	table.drop(0)
	if before.Addr != 0 {
		t.Error("a reader does not find the chunk that was dropped")
	}
	table.drop(5)
	first := table.first.Load()
	if slot := table.put(Chunk{Addr: 50, Size: 4}); slot != 5 || table.first.Load() != first || table.at(5).Size != 4 {
		t.Error("a chunk at the address of the slot's old chunk made another table")
	}
	table.put(Chunk{Addr: 10_000, Size: 10, Origin: 7})
	table.put(Chunk{Addr: 20_000, Size: 10})
	if before.Addr != 0 || before.Origin != 0 || table.at(0).Addr != 10_000 || table.at(0).Origin != 7 {
		t.Errorf("slot 0 is at %d for the reader of the old table, and at %d for others", before.Addr, table.at(0).Addr)
	}
	for i := uint32(1); i < count; i++ {
		if table.at(i).Addr != uint64(i)*10 {
			t.Errorf("slot %d is at %d", i, table.at(i).Addr)
		}
	}
	if table.at(count).Addr != 20_000 {
		t.Errorf("the last slot is at %d", table.at(count).Addr)
	}
}

// Readers run while chunks are added to and removed from other slots. The race detector checks the accesses.
func TestChunksWhileRead(t *testing.T) {
	table := chunks{shared: true}
	mine := table.put(Chunk{Ptr: unsafe.Pointer(t), Addr: 1 << 40, Size: 10, Origin: 3})
	var stop atomic.Bool
	done := make(chan bool)
	go func() {
		defer close(done)
		for !stop.Load() {
			if c := table.at(mine); c.Ptr != unsafe.Pointer(t) || c.Addr != 1<<40 || c.Origin != 3 {
				t.Error("another chunk is in the slot")
				return
			}
		}
	}()
	for i := range uint64(1000) {
		a, b := table.put(Chunk{Addr: i * 100, Size: 50}), table.put(Chunk{Addr: i*100 + 50, Size: 50})
		table.drop(a)
		table.drop(b)
		table.cold[mine].shares++
	}
	stop.Store(true)
	<-done
}

// A table that is read only with the lock does not keep removed memory alive.
func TestChunksForgetMemory(t *testing.T) {
	var table chunks
	table.drop(table.put(Chunk{Ptr: unsafe.Pointer(t), Addr: 10, Size: 10}))
	if table.hot[0].Ptr != nil {
		t.Error("the table still points to the chunk")
	}
}

// Each address is found in its chunk and in no other, whatever chunks were added and removed.
func TestChunksFind(t *testing.T) {
	table := chunks{sized: true}
	var slots []uint32
	for _, i := range []uint64{5, 1, 8, 3, 0, 9} {
		slots = append(slots, table.put(Chunk{Addr: i * 100, Size: int64(50 + i%3*20)}))
	}
	table.drop(slots[3])
	table.drop(slots[0])
	last := table.put(Chunk{Addr: ^uint64(0) - 9, Size: 10})
	for slot, c := range table.all() {
		for _, addr := range []uint64{c.Addr, c.Addr + 1, c.Addr + uint64(c.Size) - 1} {
			if got, ok := table.find(addr); !ok || got != slot {
				t.Errorf("%d is in slot %d, found in %d, %v", addr, slot, got, ok)
			}
		}
		if _, ok := table.find(c.Addr + uint64(c.Size)); ok && slot != last {
			t.Errorf("the address past the chunk at %d is found", c.Addr)
		}
	}
	for _, addr := range []uint64{300, 349, 500, 99, ^uint64(0) - 10} {
		if got, ok := table.find(addr); ok {
			t.Errorf("%d is found in slot %d", addr, got)
		}
	}
	if got := slices.Collect(table.overlapping(^uint64(0)-100, 101)); !slices.Equal(got, []uint32{last}) {
		t.Errorf("the last addresses lie in %v", got)
	}
	var none chunks
	if _, ok := none.find(0); ok {
		t.Error("an empty table has an address")
	}
}

// overlapping yields the same chunks as a loop over all of them.
func TestChunksOverlapping(t *testing.T) {
	var table chunks
	for _, addr := range []uint64{30, 10, 20, 60} { // the first three touch
		table.put(Chunk{Addr: addr, Size: 10})
	}
	for addr := range uint64(75) {
		for n := uint64(1); n < 75; n++ {
			var want []uint64
			for _, start := range []uint64{10, 20, 30, 60} {
				if addr < start+10 && start < addr+n {
					want = append(want, start)
				}
			}
			var got []uint64
			for slot := range table.overlapping(addr, n) {
				got = append(got, table.hot[slot].Addr)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d addresses from %d on lie in %v, want %v", n, addr, got, want)
			}
		}
	}
}

// The order by size has all slots in use, and no others.
func TestChunksBySize(t *testing.T) {
	table := chunks{sized: true}
	for i, size := range []int64{30, 10, 30, 20} {
		table.put(Chunk{Addr: uint64(i) * 100, Size: size})
	}
	table.drop(0)
	if table.put(Chunk{Addr: 700, Size: 20}); !slices.Equal(table.bySize, []uint32{1, 0, 3, 2}) {
		t.Errorf("the slots by size: %v", table.bySize)
	}
	if unsized := new(chunks); unsized.put(Chunk{Size: 1}) != 0 || unsized.bySize != nil {
		t.Error("a table without the order by size has one")
	}
}

// A block is found by its offset from the start of another chunk, also where the compiler checks pointers: with the race detector.
func TestBlockByOffsetFromOtherChunk(t *testing.T) {
	var e Engine
	for range 2 {
		e.chunks.put(heapMemory(4096, 1))
	}
	first := e.chunks.byAddr.all()[0]
	for slot := range uint32(2) {
		for _, off := range []uint64{0, 4095} {
			want := unsafe.Add(e.Base(slot), off)
			if got := e.At(first, uint64(uintptr(want)-uintptr(e.Base(first)))/Spacing); got != want && !Debug {
				t.Errorf("block at %p is found at %p", want, got)
			}
		}
	}
}
