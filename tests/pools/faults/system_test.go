//go:build linux && !race

package faults

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// inTight is the environment variable of the process that runs in a small address space.
const inTight = "POOLGEN_TEST_TIGHT"

// TestAddressSpaceEnds runs out of address space: the pool returns an error, keeps working with its memory, and grows once there is space again.
func TestAddressSpaceEnds(t *testing.T) {
	if os.Getenv(inTight) == "" { // in a process of its own, because the limit applies to the whole process
		cmd := exec.Command(os.Args[0], "-test.run=^TestAddressSpaceEnds$", "-test.v")
		cmd.Env = append(os.Environ(), inTight+"=1", "GOGC=off")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "blocks fitted") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	const size, limitOfSpace, room = 32 << 20, 9, 512 << 20 // RLIMIT_AS
	var was syscall.Rlimit
	fatal.If(t, syscall.Getrlimit(limitOfSpace, &was))
	tight := was
	tight.Cur = uint64(os.Getpagesize())*pages(t) + room
	fatal.If(t, syscall.Setrlimit(limitOfSpace, &tight))
	p := new(MappedPool)
	var blocks [][]byte
	var err error
	for err == nil && len(blocks) <= room/size {
		var b []byte
		if b, err = p.Alloc(size); err == nil {
			b[0] = 1
			blocks = append(blocks, b)
		}
	}
	if !errors.Is(err, poolrt.ErrOutOfMemory) || !errors.Is(err, syscall.ENOMEM) {
		t.Fatalf("after %d blocks: %v", len(blocks), err)
	}
	if s := p.Stats(); s.Live != int64(len(blocks)) || s.Reserved != size*s.Live || s.Failures != 1 {
		t.Errorf("%d blocks are live: %+v", len(blocks), s)
	}
	fatal.If(t, p.Free(blocks[0]))
	blocks[0], err = p.Alloc(size) // the freed memory serves it
	fatal.If(t, err)
	fatal.If(t, syscall.Setrlimit(limitOfSpace, &was))
	more, err := p.Alloc(size)
	fatal.If(t, err)
	for _, b := range append(blocks, more) {
		fatal.If(t, p.Free(b))
	}
	fatal.If(t, p.Close())
	t.Logf("%d blocks fitted", len(blocks))
}

// pages is how many pages of address space the process has.
func pages(t *testing.T) (n uint64) {
	text, err := os.ReadFile("/proc/self/statm")
	fatal.If(t, err)
	for _, digit := range strings.Fields(string(text))[0] {
		n = n*10 + uint64(digit-'0')
	}
	return n
}
