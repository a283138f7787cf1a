//go:build cudasim && !pooldebug && cgo && linux && (amd64 || arm64)

package devices

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// A profiler shows the driver's work for pools. A process loads a profiler only once, so the test runs in a second process. A debug
// build makes other driver calls.
func TestProfilerSeesWhatPoolsDo(t *testing.T) {
	if os.Getenv("POOLGEN_TEST_HEARD") != "" {
		work(t)
		return
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a profiler with")
	}
	library, heard := filepath.Join(t.TempDir(), "listener.so"), filepath.Join(t.TempDir(), "heard")
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", library, "../../../cuda/internal/nvtx/testdata/listener.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestProfilerSeesWhatPoolsDo$")
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
	if got := rig.Must(os.ReadFile(heard)); string(got) != want {
		t.Errorf("the profiler recorded\n%s", got)
	}
}

// work makes one pool grow twice, clear a block, wait and end; another, with a name of its own, fail to grow first; and a third grow by pages.
func work(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // the stream does not advance
	p, s := new(FlowRowPool), rig.Must(cuda.Device(0).NewStream())
	small, large := rig.Must(p.AllocOn(1000, s)), rig.Must(p.Alloc(98<<10))
	rig.Check(t, "work", cuda.MemsetAsync(small.Addr(), 1, small.Bytes(), s))
	rig.Check(t, "free", p.FreeOn(small, s))
	rig.Check(t, "free", p.Free(large))
	rig.Check(t, "close", p.Close())

	sim.Fail("cuMemAlloc", 1, 999)
	q := rig.Must(NewRowPool(poolrt.WithName("bodies")))
	rig.Refused(t, "alloc", rig.Second(q.Alloc(1)), poolrt.ErrOutOfMemory)
	_ = rig.Must(q.Alloc(1))
	rig.Check(t, "close", q.CloseForce())

	pages := new(StandPool)
	rig.Check(t, "free", pages.Free(rig.Must(pages.Alloc(3<<20))))
	rig.Check(t, "close", pages.Close())
}
