package hostbudget

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

const mib = 1 << 20

// TestMain lets the test binary be one of the processes of the tests, each with a ledger of its own directory.
func TestMain(m *testing.M) {
	if videos := os.Getenv("HOSTBUDGET_VIDEOS"); videos != "" {
		go func() { // ends when the test has ended that started it, however that was: then the system closes the other end of the pipe
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
		n, err := strconv.Atoi(videos)
		if err == nil {
			err = decode(n)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dir, err := os.MkdirTemp("", "hostbudget")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_RUNTIME_DIR", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// needsLinux skips a test elsewhere, where pools of the budget have to say so.
func needsLinux(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "linux" {
		return
	}
	if _, err := NewDecoder(); !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
	t.Skip("budgets of several processes need Linux")
}

// decode decodes videos of 40 MiB, which is more than half of the limit.
func decode(videos int) error {
	d, err := NewDecoder()
	if err != nil {
		return err
	}
	for range videos {
		err = errors.Join(err, d.Decode(context.Background(), 40, mib, func(frame []byte) { frame[0]++ }))
	}
	return errors.Join(err, d.Close())
}

// process starts one that decodes videos.
func process(t *testing.T, videos int) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "HOSTBUDGET_VIDEOS="+strconv.Itoa(videos))
	c.Stderr = os.Stderr
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// decoder makes a decoder until the test ends.
func decoder(t *testing.T) *Decoder {
	t.Helper()
	needsLinux(t)
	d, err := NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Three processes, each of which needs 40 of 64 MiB at times: all are served, one after the other. A third of the limit for each would not do. What they take together
// is never more than the limit.
func TestProcesses(t *testing.T) {
	d := decoder(t)
	var all []*exec.Cmd
	for range 3 {
		all = append(all, process(t, 5))
	}
	ended := make(chan error)
	for _, c := range all {
		go func() { ended <- c.Wait() }()
	}
	for left := len(all); left > 0; {
		list, err := d.frames.Budget().Processes()
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, p := range list {
			sum += p.Leased
		}
		if sum > 64*mib {
			t.Fatalf("the processes have %d together", sum)
		}
		select {
		case err := <-ended:
			if left--; err != nil {
				t.Error(err)
			}
		case <-time.After(time.Millisecond):
		}
	}
}

// What a process held that was killed is there for others.
func TestKilledProcess(t *testing.T) {
	d := decoder(t)
	c := process(t, 1e9)
	for {
		list, err := d.frames.Budget().Processes()
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 2 && list[1].Leased > 20*mib {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	if err := d.Decode(t.Context(), 60, mib, func([]byte) {}); err != nil {
		t.Error(err)
	}
	if list, err := d.frames.Budget().Processes(); err != nil || len(list) != 1 {
		t.Errorf("the ledger has %+v, %v", list, err)
	}
}

// A pool that is refused memory says who has it, and one below its guarantee is not refused.
func TestRefused(t *testing.T) {
	d := decoder(t)
	b, err := poolrt.OpenBudget("Frames", poolrt.BudgetOptions{Limit: 64 * mib, Lease: mib}) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewFramePool(poolrt.WithBudget(b, 0, 50), poolrt.WithName("other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.CloseForce()
	for range 60 {
		if _, err := other.Alloc(mib); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		f, err := d.frames.Alloc(mib)
		if err != nil {
			t.Fatal("below the guarantee: ", err)
		}
		defer d.frames.Free(f)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = d.frames.AllocContext(ctx, mib)
	if !errors.Is(err, poolrt.ErrLimit) || !strings.Contains(err.Error(), "other processes hold "+strconv.Itoa(60*mib)) {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := b.SetLimit(mib); !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("SetLimit: %v", err)
	}
	if _, err := poolrt.OpenBudget("Frames", poolrt.BudgetOptions{Limit: mib}); !errors.Is(err, poolrt.ErrBadFile) {
		t.Errorf("another limit: %v", err)
	}
	if _, err := poolrt.OpenBudget("Frames", poolrt.BudgetOptions{Limit: 64 * mib, Lease: 65 * mib}); !errors.Is(err, poolrt.ErrBadSize) {
		t.Errorf("a lease above the limit: %v", err)
	}
}

func Example() {
	d, err := NewDecoder()
	if errors.Is(err, poolrt.ErrUnsupported) { // not on Linux
		fmt.Println("12 frames")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	n := 0
	if err := d.Decode(context.Background(), 12, 512<<10, func([]byte) { n++ }); err != nil {
		fmt.Println(err)
	}
	fmt.Println(n, "frames")
	// Output: 12 frames
}
