//go:build unix

package emit

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// dying kills the process before its nth call, or in the middle of it if that is a write.
type dying struct {
	disk
	n *int
}

func (d dying) due() bool { *d.n--; return *d.n == 0 }

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func (d dying) write(root *os.Root, name string, content []byte, permissions os.FileMode) error {
	if d.due() {
		_ = d.disk.write(root, name, content[:len(content)/2], permissions)
		die()
	}
	return d.disk.write(root, name, content, permissions)
}

func (d dying) rename(root *os.Root, from, to string) error {
	if d.due() {
		die()
	}
	return d.disk.rename(root, from, to)
}

func (d dying) remove(root *os.Root, name string) error {
	if d.due() {
		die()
	}
	return d.disk.remove(root, name)
}

// killIn and killAt tell a second run of the test's program in which directory to work and before which call to die.
const (
	killIn = "POOLGEN_TEST_KILL_IN"
	killAt = "POOLGEN_TEST_KILL_AT"
)

// TestKilledApply lets the process die before each of its operations on the disk, by a signal that leaves no time to clean up. Until
// all is written the old output is unchanged; later each file is the old or the new one, and the next run does the rest.
func TestKilledApply(t *testing.T) {
	if dir := os.Getenv(killIn); dir != "" {
		n, err := strconv.Atoi(os.Getenv(killAt))
		fatal.If(t, err)
		fatal.If(t, apply(t.Context(), []Changes{compare(t, dir, ".", wanted())}, dying{n: &n}))
		return
	}
	const writes = 5 // new contents of two files, old ones of three
	for n := 1; ; n++ {
		dir, _ := drifted(t)
		before := tree(t, dir)
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledApply$")
		cmd.Env = append(os.Environ(), killIn+"="+dir, killAt+"="+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		if err == nil {
			if n <= writes+4 {
				t.Fatalf("nothing died at %d", n)
			}
			return
		}
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("%v\n%s", err, out)
		}
		survived(t, dir, before, n <= writes+1)
		if t.Failed() {
			t.Fatalf("killed at %d", n)
		}
	}
}

// survived checks a directory in which a process died, and generates again. untouched: the old output must be unchanged.
func survived(t *testing.T, dir string, before map[string]string, untouched bool) {
	t.Helper()
	want, now := wanted(), tree(t, dir)
	for name, content := range before {
		switch got, there := now[name]; {
		case untouched && got != content, there && got != content && got != string(want[name]):
			t.Errorf("%s holds %q", name, got)
		}
	}
	for name, content := range now {
		past := time.Now().Add(-2 * abandoned)
		switch _, old := before[name]; {
		case strings.HasPrefix(name, tempPrefix):
			fatal.If(t, os.Chtimes(dir+"/"+name, past, past))
		case !old && (untouched || content != string(want[name])):
			t.Errorf("%s has come and holds %q", name, content)
		}
	}
	fatal.If(t, Apply(t.Context(), compare(t, dir, ".", want)))
	for name, content := range tree(t, dir) {
		if w, ours := want[name]; strings.HasPrefix(name, tempPrefix) || ours && content != string(w) {
			t.Errorf("after another run %s holds %q", name, content)
		}
	}
}
