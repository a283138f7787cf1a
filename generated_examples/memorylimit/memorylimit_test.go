package memorylimit

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// container makes the files of a system in whose container a program has a memory limit, and uses so much of it.
func container(limit, used int64) fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"proc/self/mountinfo":          file("31 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"),
		"proc/self/cgroup":             file("0::/"),
		"sys/fs/cgroup/memory.max":     file(strconv.FormatInt(limit, 10)),
		"sys/fs/cgroup/memory.current": file(strconv.FormatInt(used, 10)),
	}
}

// fill adds 100 pages of 64 KiB.
func fill(c *Cache) error {
	for range 100 {
		if _, err := c.Add(64 << 10); err != nil {
			return err
		}
	}
	return nil
}

// A cache drops pages when hardly any memory is left, and keeps them while there is some.
func Example() {
	c, err := NewCache()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if err := fill(c); err != nil {
		fmt.Println(err)
		return
	}
	err = Run(container(100<<30, 99<<30), func() error {
		for c.Bytes() == 100*64<<10 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println("pages were dropped")
		return nil
	})
	fmt.Println(err)
	// Output:
	// pages were dropped
	// <nil>
}

// The pages stay while there is memory, and the program runs without a limit as it does with one. Its error is returned.
func TestRun(t *testing.T) {
	c, err := NewCache()
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(c); err != nil {
		t.Fatal(err)
	}
	for _, files := range []fstest.MapFS{container(100<<30, 50<<30), {}} {
		failed := errors.New("failed")
		if err := Run(files, func() error { time.Sleep(300 * time.Millisecond); return failed }); err != failed {
			t.Errorf("got %v", err)
		}
	}
	if c.Bytes() != 100*64<<10 {
		t.Errorf("%d bytes are left", c.Bytes())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Add(1); !errors.Is(err, poolrt.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
