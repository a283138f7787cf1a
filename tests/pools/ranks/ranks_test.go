//go:build !cudasim

package ranks

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

// worker is one of two ranks.
type worker struct {
	testing.TB
	*nccl.Comm
	pool *pools.RankPool
	s    cuda.Stream
}

// ok reports an error; the other rank would wait for ever for one that stopped, so it ends the process.
func (w *worker) ok(what string, err error) {
	w.Helper()
	if err != nil {
		w.Errorf("%s: %v", what, err)
		_ = w.Abort()
		panic(what + ": " + err.Error())
	}
}

// twoGPUs skips a test where there are not two GPUs and NCCL.
func twoGPUs(t testing.TB) {
	t.Helper()
	if list, err := cuda.Devices(); err != nil || len(list) < 2 {
		t.Skipf("there is %d device, and this wants two: %v", len(list), err)
	}
	if _, err := nccl.Version(); err != nil {
		t.Skip(err)
	}
}

// join makes a rank, and calls f with it.
func join(t testing.TB, id nccl.UniqueID, rank int, f func(w *worker)) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d := cuda.Device(rank)
	c, err := nccl.New(ctx, id, 2, rank, d)
	fatal.If(t, err)
	w := &worker{TB: t, Comm: c}
	w.s, err = d.NewStream(cuda.NonBlocking)
	w.ok("stream", err)
	w.pool, err = pools.NewRankPool(poolrt.OnDevice(rank))
	w.ok("pool", err)
	f(w)
	w.ok("synchronize", w.s.Synchronize())
	w.ok("close", errors.Join(c.Close(), w.s.Close(), w.pool.Close()))
}

// The variable that makes a process the second rank, with the identity of the communicator.
const secondRank = "POOLGEN_TEST_RANK"

// processes calls f for two ranks, in this process and in another, which runs the same test.
func processes(t testing.TB, f func(w *worker), environment ...string) {
	t.Helper()
	if text := os.Getenv(secondRank); text != "" {
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != 128 {
			t.Fatal(text, err)
		}
		join(t, nccl.UniqueID(b), 1, f)
		return
	}
	id, err := nccl.NewUniqueID()
	fatal.If(t, err)
	c := again(t)
	c.Env = append(append(os.Environ(), secondRank+"="+hex.EncodeToString(id[:])), environment...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		t.Fatal("the other process does not start", err)
	}
	text := make(chan []byte, 1)
	go func() { b := make([]byte, 1<<16); n, _ := out.Read(b); text <- b[:n] }()
	join(t, id, 0, f)
	if err := c.Wait(); err != nil {
		t.Errorf("the other rank: %v\n%s", err, <-text)
	}
}

// again is this program with the same arguments, but for this test alone.
func again(t testing.TB) *exec.Cmd {
	args := os.Args[1:]
	if _, ok := t.(*testing.T); ok {
		args = append(slices.Clone(args), "-test.v", "-test.run=^"+t.Name()+"$")
	}
	return exec.Command(os.Args[0], args...)
}

// threads calls f for two ranks in this process.
func threads(t testing.TB, f func(w *worker)) {
	t.Helper()
	id, err := nccl.NewUniqueID()
	fatal.If(t, err)
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() { join(t, id, rank, f) })
	}
	both.Wait()
}

// give fills a span with numbers that depend on rank and place.
func (w *worker) give(n int) (span pools.RankSpan, in [2][]float32) {
	span, err := w.pool.Alloc(n)
	w.ok("alloc", err)
	for r := range in {
		in[r] = make([]float32, n)
		for i := range in[r] {
			in[r][i] = float32((7*i + 13*r) % 256)
		}
	}
	w.ok("copy", w.pool.CopyToDevice(span, in[w.Rank()], w.s))
	return span, in
}

// has compares a span.
func (w *worker) has(what string, span pools.RankSpan, want []float32) {
	w.Helper()
	got := make([]float32, span.Len())
	w.ok("copy", w.pool.CopyToHost(got, span, w.s))
	if !slices.Equal(got[:len(want)], want) {
		w.Errorf("%s of %d items: rank %d has other numbers", what, span.Len(), w.Rank())
	}
}

// collectives runs each transfer with blocks of the pool.
func (w *worker) collectives(n int) {
	a, in := w.give(n)
	b, err := w.pool.Alloc(2 * n)
	w.ok("alloc", err)
	sum := make([]float32, n)
	for i := range sum {
		sum[i] = in[0][i] + in[1][i]
	}
	src, dst, r := a.Addr(), b.Addr(), w.Rank()
	w.ok("AllReduce", w.AllReduce(dst, src, n, nccl.Float32, nccl.Sum, w.s))
	w.has("AllReduce", b, sum)
	w.ok("AllGather", w.AllGather(dst, src, n, nccl.Float32, w.s))
	w.has("AllGather", b, slices.Concat(in[0], in[1]))
	if half := n / 2; half > 0 {
		w.ok("ReduceScatter", w.ReduceScatter(dst, src, half, nccl.Float32, nccl.Sum, w.s))
		w.has("ReduceScatter", b, sum[r*half:][:half])
	}
	w.ok("Broadcast", w.Broadcast(dst, src, n, nccl.Float32, 1, w.s))
	w.has("Broadcast", b, in[1])
	w.ok("Send and Recv", nccl.Group(func() error {
		return errors.Join(w.Send(src, n, nccl.Float32, 1-r, w.s), w.Recv(dst, n, nccl.Float32, 1-r, w.s))
	}))
	w.has("Send and Recv", b, in[1-r])
	w.ok("free", errors.Join(w.pool.Free(a), w.pool.Free(b)))
}

// everything is what both ranks do: transfers, before and while the pool is attached, and growth and trim.
func everything(w *worker) {
	w.collectives(1000)
	w.ok("attach", nccl.Attach(w.pool, w.Comm))
	for _, n := range []int{1, 1000, 1 << 20, 16<<20 + 1} {
		w.collectives(n)
	}
	cycles := 1000
	if testing.Short() {
		cycles = 100
	}
	for range cycles {
		x, err := w.pool.Alloc(5 << 20)
		w.ok("alloc", err)
		w.ok("free", w.pool.Free(x))
		w.pool.Trim(0)
	}
	w.collectives(4 << 20)
	w.ok("detach", nccl.Detach(w.pool, w.Comm))
	w.ok("async error", w.AsyncError())
}

// Two ranks exchange blocks of pools, whose chunks come and go.
func TestNCCLThreads(t *testing.T) {
	twoGPUs(t)
	threads(t, everything)
}

// The same in two processes.
func TestNCCLProcesses(t *testing.T) {
	twoGPUs(t)
	processes(t, everything)
}

// The same in two processes that NCCL takes for two machines, which are connected by sockets. NCCL reads its settings once, so both are new processes.
func TestNCCLHosts(t *testing.T) {
	twoGPUs(t)
	if os.Getenv("NCCL_HOSTID") != "" {
		processes(t, everything, "NCCL_HOSTID=second")
		return
	}
	c := again(t)
	c.Env = append(os.Environ(), "NCCL_HOSTID=first", "NCCL_NET=Socket")
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
