//go:build cudasim && cgo && linux && (amd64 || arm64)

package devices

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

// A profiler sees what pools have the driver do. A process looks for one once, so the test runs again in a process of its own.
func TestTrace(t *testing.T) {
	if os.Getenv("POOLGEN_TEST_HEARD") != "" {
		work(t)
		return
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a profiler with")
	}
	library, heard := filepath.Join(t.TempDir(), "listener.so"), filepath.Join(t.TempDir(), "heard")
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", library, "../../cuda/internal/nvtx/testdata/listener.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestTrace$")
	c.Env = append(os.Environ(), "NVTX_INJECTION64_PATH="+library, "POOLGEN_TEST_HEARD="+heard)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := `push devices.FlowRow grow 64 KiB
pop
push devices.FlowRow grow 98 KiB
pop
push devices.FlowRow zero 98 KiB
pop
push devices.FlowRow wait
pop
push devices.FlowRow wait
pop
push devices.FlowRow release 64 KiB
pop
push devices.FlowRow release 98 KiB
pop
push bodies grow 64 KiB
pop
push bodies grow 64 KiB
pop
push bodies release 64 KiB
pop
push devices.Stand grow 4 MiB
pop
push devices.Stand release 4 MiB
pop
`
	if got := must(os.ReadFile(heard)); string(got) != want {
		t.Errorf("the profiler heard\n%s", got)
	}
}

// work has one pool grow twice, clear a block, wait and end, another, which has a name of its own, grow in vain first, and one grow by pages.
func work(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // the stream stands still
	p, s := new(FlowRowPool), must(cuda.Device(0).NewStream())
	small, large := must(p.AllocOn(1000, s)), must(p.Alloc(98<<10))
	check(t, "work", cuda.MemsetAsync(small.Addr(), 1, small.Bytes(), s))
	check(t, "free", p.FreeOn(small, s))
	check(t, "free", p.Free(large))
	check(t, "close", p.Close())

	sim.Fail("cuMemAlloc", 1, 2)
	q := must(NewRowPool(runtime.WithName("bodies")))
	refused(t, "alloc", second(q.Alloc(1)), runtime.ErrOutOfMemory)
	_ = must(q.Alloc(1))
	check(t, "close", q.CloseForce())

	pages := new(StandPool)
	check(t, "free", pages.Free(must(pages.Alloc(3<<20))))
	check(t, "close", pages.Close())
}
