package memorylimit

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var survive = flag.Duration("survive", 0, "how long TestSurvive has to survive; 0: it is skipped, as it needs a control group that it may make")

// survivorLimit is the memory limit of the program that TestSurvive runs. Six tenths of it are in a pool.
const survivorLimit = 512 << 20

// TestMain lets the test binary be the program that TestSurvive runs.
func TestMain(m *testing.M) {
	if until := os.Getenv("MEMORYLIMIT_SURVIVE"); until != "" {
		d, err := time.ParseDuration(until)
		if err == nil {
			err = enter(os.Getenv("MEMORYLIMIT_GROUP"))
		}
		run := Run
		if os.Getenv("MEMORYLIMIT_ALONE") != "" {
			run = func(_ fs.FS, program func() error) error { return program() }
		}
		if err == nil {
			err = run(nil, func() error { return work(d) })
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// enter puts the process into a control group.
func enter(group string) error {
	return write(filepath.Join(group, "cgroup.procs"), os.Getpid())
}

// write writes a number into a file that the system has made.
func write(name string, n int) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(f, n)
	return errors.Join(err, f.Close())
}

// live is the Go heap of work that is in use.
var live [][]byte

// work holds six tenths of the limit in pages and has a Go heap that grows to a quarter of the limit, and much garbage.
func work(long time.Duration) error {
	c, err := NewCache()
	if err != nil {
		return err
	}
	pages := int64(survivorLimit / 10 * 6)
	for c.Bytes() < pages {
		page, err := c.Add(256 << 10)
		if err != nil {
			return err
		}
		clear(page) // touched
	}
	live = make([][]byte, 0, survivorLimit/4>>16)
	for begun := time.Now(); time.Since(begun) < long; {
		fresh := make([]byte, 64<<10)
		for i := range fresh {
			fresh[i] = byte(i)
		}
		if len(live) < cap(live) {
			live = append(live, fresh)
		} else {
			live[rand.IntN(len(live))] = fresh
		}
		if rand.IntN(4) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if n := c.Bytes(); n < pages*9/10 {
		return fmt.Errorf("of %d bytes of pages %d are left: the pool should not pay for garbage", pages, n)
	}
	return c.Close()
}

// TestSurvive runs a program in a control group: without poolrt.GovernMemory the system ends it, and with it, it lives and keeps its pages.
func TestSurvive(t *testing.T) {
	if *survive == 0 {
		t.Skip("without -survive")
	}
	for _, alone := range []bool{true, false} {
		group, err := newGroup(t)
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "MEMORYLIMIT_SURVIVE="+survive.String(), "MEMORYLIMIT_GROUP="+group)
		if alone {
			c.Env = append(c.Env, "MEMORYLIMIT_ALONE=1")
		}
		begun := time.Now()
		out, err := c.CombinedOutput()
		t.Logf("alone %v: %v after %v\n%s", alone, err, time.Since(begun).Round(time.Millisecond), out)
		if killed := err != nil && strings.Contains(err.Error(), "killed"); killed != alone || !killed && err != nil {
			t.Errorf("alone %v: %v", alone, err)
		}
	}
}

// newGroup makes a control group with a memory limit, of version 2 or 1, which is removed when the test ends.
func newGroup(t *testing.T) (dir string, err error) {
	for _, v := range []struct{ root, limit string }{{"/sys/fs/cgroup", "memory.max"}, {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}} {
		made, failed := os.MkdirTemp(v.root, "memorylimit")
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		failed = write(filepath.Join(made, v.limit), survivorLimit)
		if failed == nil {
			t.Cleanup(func() { _ = os.Remove(made) }) // it may still have a process that ends
			return made, nil
		}
		err = errors.Join(err, failed, os.Remove(made))
	}
	return "", err
}
