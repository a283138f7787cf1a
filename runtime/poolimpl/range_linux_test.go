package poolimpl_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/fatal"
)

// TestRangeGoes: a pool that is closed leaves no addresses behind.
func TestRangeGoes(t *testing.T) {
	if !poolimpl.RangesReserved() {
		t.Skip("reads the mappings of the process")
	}
	p := newRangedPool(t)
	addr := p.alloc()
	mapped := func() bool {
		text, err := os.ReadFile("/proc/self/maps")
		fatal.If(t, err)
		return coveredBy(t, string(text), addr)
	}
	if !mapped() {
		t.Fatal("the block is in no mapping")
	}
	fatal.If(t, errors.Join(p.Free(addr, rangedBlock), p.Close(p.core.Close)))
	if mapped() {
		t.Error("the addresses are still reserved")
	}
}

// coveredBy reports whether one of the mappings, of /proc/self/maps, has an address.
func coveredBy(t *testing.T, maps string, addr uint64) bool {
	for line := range strings.Lines(maps) {
		var low, high uint64
		if _, err := fmt.Sscanf(line, "%x-%x", &low, &high); err != nil {
			t.Fatal(err)
		}
		if low <= addr && addr < high {
			return true
		}
	}
	return false
}

// TestFewAddressesForRanges: where the addresses of the process are limited, pools reserve none, so that as many pools as before have chunks.
func TestFewAddressesForRanges(t *testing.T) {
	const again = "POOLGEN_FEW_ADDRESSES=1"
	if !slices.Contains(os.Environ(), again) {
		if !poolimpl.RangesReserved() {
			t.Skip("no addresses are reserved in any process")
		}
		cmd := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), again)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if poolimpl.RangesReserved() {
		t.Error("addresses are reserved in a process that has few")
	}
	for range 1000 { // ranges of 16 MiB would be 16 GiB
		newRangedPool(t).alloc()
	}
	p := newRangedPool(t)
	p.fill()
}

// TestPagesGoBack: of chunks that stay, Trim gives back the pages without a block. What is live is as it was, and what is handed out again is zero.
func TestPagesGoBack(t *testing.T) {
	if !poolimpl.RangesReserved() {
		t.Skip("chunks are no mappings")
	}
	p := newRangedPool(t)
	live := p.fill()
	resident := func() (n uint64) {
		for _, c := range p.Snapshot().Pools[0].Chunks {
			n += c.Resident
		}
		return n
	}
	if n := resident(); n != rangedLimit {
		t.Fatalf("%d bytes are resident in a full pool", n)
	}
	var kept []uint64
	for i, addr := range live {
		if i%(rangedChunk/rangedBlock) == 777 {
			kept = append(kept, addr)
		} else if err := p.Free(addr, rangedBlock); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := p.Trim(1); n != 0 || err != nil || resident() != rangedLimit {
		t.Errorf("Trim(1) = %d, %v; %d bytes are resident", n, err, resident())
	}
	if n, err := p.Trim(0); n != 0 || err != nil {
		t.Errorf("Trim(0) = %d, %v", n, err)
	}
	if n := resident(); n != uint64(len(kept)*os.Getpagesize()) {
		t.Errorf("%d bytes are resident for %d blocks", n, len(kept))
	}
	for _, addr := range kept {
		if got := word(addr); got != addr {
			t.Errorf("block at %#x has %#x", addr, got)
		}
	}
	for range 10000 {
		b, err := p.Alloc(1, rangedBlock, 1)
		fatal.If(t, err)
		if got := word(b.Addr); got != 0 && got != b.Addr {
			t.Fatalf("block at %#x has %#x", b.Addr, got)
		}
	}
	fatal.If(t, p.CloseForce(p.core.Close))
}

// word returns the first word of a block.
func word(addr uint64) uint64 {
	at := uintptr(addr)
	return **(**uint64)(unsafe.Pointer(&at))
}

// TestLockedMemory: memory that is locked goes back like any other.
func TestLockedMemory(t *testing.T) {
	if !poolimpl.RangesReserved() {
		t.Skip("no addresses are reserved here")
	}
	p := newRangedPool(t)
	addr := p.alloc()
	start := uintptr(addr)
	if err := unix.Mlock(unsafe.Slice(*(**byte)(unsafe.Pointer(&start)), os.Getpagesize())); err != nil {
		t.Skip(err)
	}
	fatal.If(t, p.Free(addr, rangedBlock))
	if n, err := p.Trim(0); n != rangedChunk || err != nil {
		t.Errorf("Trim = %d, %v", n, err)
	}
	if again := p.alloc(); again != addr {
		t.Errorf("block at %#x, then at %#x", addr, again)
	}
}
