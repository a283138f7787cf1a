package simulator

import (
	"encoding/binary"
	"os"
	"syscall"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Two simulators stand for two processes: they share only file descriptors and bytes.
func TestPoolIsShared(t *testing.T) {
	for name, importer := range map[string]*rig{"process": nil, "other": newRig(t, Config{})} {
		from := newRig(t, Config{})
		to := importer
		if to == nil {
			to = from
		}
		p, s := from.pool(abi.PoolProps{Handles: abi.HandleFD}), from.stream()
		from.from(p, 5000, s)
		at := from.from(p, 100_000, s)
		from.set(at, 9, 100_000, s)
		from.ok(from.StreamSynchronize(from.ctx, s))
		fd, result := from.MemPoolExportFD(p)
		from.ok(result)
		data, result := from.MemPoolExportPointer(at)
		from.ok(result)
		q, result := to.MemPoolImportFD(fd)
		to.ok(result)
		to.ok(abi.Result(closeFD(fd)))
		here, result := to.MemPoolImportPointer(q, data)
		to.ok(result)
		to.holds(here, 9, 100_000)
		to.ok(to.MemsetD8(to.ctx, here, 5, 8))
		to.ok(to.CtxSynchronize(to.ctx))
		from.holds(at, 5, 8)
		_, result = to.MemAllocFromPoolAsync(to.ctx, 8, q, 0)
		to.want(result, abi.InvalidValue)
		if here == at && to == from {
			t.Errorf("%s: one address for two", name)
		}
		to.ok(to.MemFree(to.ctx, here))
		to.ok(to.MemPoolDestroy(q))
		from.ok(from.MemFreeAsync(from.ctx, at, s))
	}
}

func closeFD(fd int) int {
	if syscall.Close(fd) != nil {
		return int(abi.Unknown)
	}
	return 0
}

func TestPhysicalMemoryIsShared(t *testing.T) {
	from, to := newRig(t, Config{}), newRig(t, Config{})
	m := from.physical(grain, abi.HandleFD)
	at := from.reserve(grain)
	from.ok(from.MemMap(at, grain, 0, m))
	from.ok(from.MemSetAccess(at, grain, 0, abi.AccessReadWrite))
	from.ok(from.MemsetD8(from.ctx, at, 9, 8))
	from.ok(from.CtxSynchronize(from.ctx))
	fd, result := from.MemExportFD(m)
	from.ok(result)
	for _, r := range []*rig{to, from} {
		n, result := r.MemImportFD(fd)
		r.ok(result)
		there := r.reserve(grain)
		r.ok(r.MemMap(there, grain, 0, n))
		r.ok(r.MemSetAccess(there, grain, 0, abi.AccessRead))
		r.holds(there, 9, 8)
		r.ok(r.MemUnmap(there, grain))
		r.ok(r.MemRelease(n))
	}
	from.ok(abi.Result(closeFD(fd)))
	if free, total, _ := from.MemGetInfo(from.ctx); free != total-grain {
		t.Error("imported memory counts again")
	}
	from.holds(at, 9, 8)
	if _, result := from.MemExportFD(from.physical(grain, 0)); result != abi.InvalidValue {
		t.Error("export of what was not made for it")
	}
	if _, result := from.MemImportFD(int(os.Stdin.Fd())); result != abi.InvalidValue {
		t.Error("import of another file")
	}
}

// imported opens memory of a pool in another simulator, which has imported the pool.
func imported(t *testing.T) (from, to *rig, theirs abi.Pool, token [64]byte) {
	from, to = newRig(t, Config{}), newRig(t, Config{})
	p, s := from.pool(abi.PoolProps{Handles: abi.HandleFD}), from.stream()
	at := from.from(p, 100_000, s)
	from.set(at, 9, 100_000, s)
	from.ok(from.StreamSynchronize(from.ctx, s))
	fd, result := from.MemPoolExportFD(p)
	from.ok(result)
	token, result = from.MemPoolExportPointer(at)
	from.ok(result)
	theirs, result = to.MemPoolImportFD(fd)
	to.ok(result)
	to.ok(abi.Result(closeFD(fd)))
	return from, to, theirs, token
}

func TestImportedMemoryOutlivesItsPool(t *testing.T) {
	_, to, theirs, token := imported(t)
	at, result := to.MemPoolImportPointer(theirs, token)
	to.ok(result)
	to.ok(to.MemPoolDestroy(theirs))
	to.holds(at, 9, 100_000)
	s := to.stream()
	to.set(at, 1, 8, s)
	to.ok(to.MemFreeAsync(to.ctx, at, s))
	to.ok(to.StreamSynchronize(to.ctx, s))
	if n := len(to.all); n != 2 {
		t.Errorf("%d pools are kept, and two devices have one each", n)
	}
}

func TestImportedMemoryIsUnmappedWithItsFree(t *testing.T) {
	_, to, theirs, token := imported(t)
	s := to.stream()
	for i := range 6 {
		at, result := to.MemPoolImportPointer(theirs, token)
		to.ok(result)
		to.set(at, byte(i), 8, s)
		if i%2 == 0 {
			to.ok(to.MemFreeAsync(to.ctx, at, s))
			to.ok(to.StreamSynchronize(to.ctx, s))
		} else {
			to.ok(to.StreamSynchronize(to.ctx, s))
			to.ok(to.MemFree(to.ctx, at))
		}
	}
	if n := len(to.pools[theirs].shared.maps); n != 0 {
		t.Errorf("%d views of memory that nobody has", n)
	}
}

// Memory outside the pool's file is refused: using it would crash the program.
func TestForgedPointersAreRefused(t *testing.T) {
	_, to, theirs, token := imported(t)
	for name, change := range map[string][2]uint64{ // word and value
		"another pool":    {0, 1},
		"beyond the file": {1, 1 << 40},
		"far beyond":      {1, 1<<64 - 4096},
		"too long":        {2, 1 << 40},
		"far too long":    {2, 1<<64 - 4096},
		"nothing":         {2, 0},
	} {
		forged := token
		binary.LittleEndian.PutUint64(forged[8*change[0]:], change[1])
		if _, result := to.MemPoolImportPointer(theirs, forged); result != abi.InvalidValue {
			t.Errorf("%s: %d", name, result)
		}
	}
}
