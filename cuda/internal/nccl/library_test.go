//go:build !cudasim && linux && (amd64 || arm64) && (cgo || poolgen_purego)

package nccl

import (
	"os"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/driver"
	"github.com/poolgen/poolgen/cuda/internal/fake"
)

// hasNCCL reports whether this machine has the library itself, which comes before the one of the test.
func hasNCCL() bool {
	t, _ := Table()
	return t != nil && os.Getenv("POOLGEN_NCCL_LIBRARY") == ""
}

// Arguments come to the library as NCCL declares them, and results come back.
func TestCalls(t *testing.T) {
	if !fake.Inside(t) {
		if hasNCCL() {
			t.Skip("there is an NCCL on this machine")
		}
		fake.Again(t, "POOLGEN_NCCL_LIBRARY="+fake.Library(t, "testdata/nccl.c"), "POOLGEN_CUDA_LIBRARY="+fake.Library(t, "../native/testdata/fake.c"))
		return
	}
	n, missing := Table()
	if missing != nil {
		t.Fatal(missing.Detail)
	}
	if n.Path() != os.Getenv("POOLGEN_NCCL_LIBRARY") {
		t.Errorf("the path is %q", n.Path())
	}
	if a, b := n.GetErrorString(4), n.GetLastError(); a != "invalid argument" || b != "last" {
		t.Errorf("texts %q and %q", a, b)
	}
	id, r := n.GetUniqueID()
	c, r2 := n.CommInitRank(3, id, 2)
	if r != 0 || r2 != 0 || c != 0x1234567890 {
		t.Errorf("a communicator %#x, %d, %d", c, r, r2)
	}
	numbers := func() {
		if c, r := n.CommInitRank(3, id, 2); r != 0 || c != 0x1234567890 {
			t.Errorf("a communicator %#x, %d", c, r)
		}
		for name, got := range numbersOf(n, c) {
			if got[0] != got[1] || got[2] != 0 {
				t.Errorf("%s returns %d with result %d, want %d", name, got[0], got[2], got[1])
			}
		}
	}
	numbers()
	for depth := range 200 { // the stack grows before a call, or in it: then it moves
		if done := make(chan bool); !t.Failed() {
			go func() { defer close(done); below(depth, numbers) }()
			<-done
		}
	}
	for name, r := range resultsOf(n, c) {
		if r != abi.NCCLSuccess {
			t.Errorf("%s has other arguments", name)
		}
	}
}

// below calls f so many calls further down the stack.
func below(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	below(depth-1, f)
}

// numbersOf has what functions return, what they should, and the result.
func numbersOf(n abi.NCCL, c abi.Comm) map[string][3]int {
	all := map[string][3]int{}
	note := func(name string, got, want int, r abi.NCCLResult) { all[name] = [3]int{got, want, int(r)} }
	v, r := n.GetVersion()
	note("GetVersion", v, 22809, r)
	v, r = n.CommCount(c)
	note("CommCount", v, 3, r)
	v, r = n.CommUserRank(c)
	note("CommUserRank", v, 2, r)
	v, r = n.CommCuDevice(c)
	note("CommCuDevice", v, 1, r)
	e, r := n.CommGetAsyncError(c)
	note("CommGetAsyncError", int(e), 6, r)
	h, r := n.CommRegister(c, 0x2000000020, 5000000000)
	note("CommRegister", int(h), 0x77, r)
	return all
}

func resultsOf(n abi.NCCL, c abi.Comm) map[string]abi.NCCLResult {
	all := map[string]abi.NCCLResult{
		"CommDeregister": n.CommDeregister(c, 0x77), "GroupStart": n.GroupStart(), "GroupEnd": n.GroupEnd(),
		"CommAbort": n.CommAbort(c), "CommDestroy": n.CommDestroy(c),
	}
	ctx, _ := driver.Table().DevicePrimaryCtxRetain(0)
	for kind, name := range abi.TransferNames {
		all[name] = n.Transfer(ctx, &abi.Transfer{Kind: abi.TransferKind(kind), Send: 0x1000000010, Recv: 0x2000000020,
			Count: 5000000000, Type: 7, Op: 4, Peer: 1, Comm: c, Stream: 0x77})
	}
	return all
}

// Without a library, or with one that is too old, it says what was tried.
func TestMissing(t *testing.T) {
	if hasNCCL() {
		t.Skip("there is an NCCL on this machine")
	}
	for name, want := range map[string]struct {
		result abi.NCCLResult
		texts  []string
	}{"nowhere": {abi.NCCLNoLibrary, []string{soname, "nowhere.so"}}, "old": {abi.NCCLNoFunction, []string{"libfake.so has no ncclCommInitRankScalable"}}} {
		t.Run(name, func(t *testing.T) {
			if !fake.Inside(t) {
				path := "nowhere.so"
				if name == "old" {
					path = fake.Library(t, "testdata/nccl.c", "-DOLD")
				}
				fake.Again(t, "POOLGEN_NCCL_LIBRARY="+path)
				return
			}
			n, missing := Table()
			if n != nil || missing.Result != want.result {
				t.Fatalf("%v, %+v", n, missing)
			}
			for _, text := range want.texts {
				if !strings.Contains(missing.Detail, text) {
					t.Errorf("%q does not name %q", missing.Detail, text)
				}
			}
		})
	}
}
