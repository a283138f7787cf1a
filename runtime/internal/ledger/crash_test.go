package ledger

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

var kills = flag.Int("ledger.kills", 60, "how many processes TestKilled kills")

// crashLimit is the limit of the processes of TestKilled.
const crashLimit = 1000

// TestMain lets the test binary be one of the processes that TestKilled kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("POOLGEN_LEDGER_DIR"); dir != "" {
		if os.Getenv("POOLGEN_LEDGER_STARTS") != "" {
			startAndWait(dir)
		}
		go endWithParent()
		fmt.Fprintln(os.Stderr, takeAndGive(dir, os.Getenv("POOLGEN_LEDGER_STAYS") != ""))
		os.Exit(1)
	}
	flag.Parse()
	os.Exit(m.Run())
}

// endWithParent ends the process when the one that has started it has ended, however that was: the system closes its end of the pipe then.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

// process starts a process that takes and gives bytes, until this one ends or kills it.
func process(dir string, more ...string) (*exec.Cmd, error) {
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), "POOLGEN_LEDGER_DIR="+dir), more...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if _, err := c.StdinPipe(); err != nil {
		return nil, err
	}
	return c, c.Start()
}

// startAndWait starts such a process, and waits until it works, and to be killed.
func startAndWait(dir string) {
	c, err := process(dir, "POOLGEN_LEDGER_STARTS=")
	for err == nil {
		if _, err = os.Stat(filepath.Join(dir, strconv.Itoa(c.Process.Pid))); errors.Is(err, os.ErrNotExist) {
			err = nil
			time.Sleep(time.Millisecond)
		} else if err == nil {
			fmt.Println("started")
			select {}
		}
	}
	panic(err)
}

// A process of these tests ends when the one that has started it was killed: it would go on taking and giving.
func TestProcessEndsWithParent(t *testing.T) {
	dir := filepath.Dir(privateDir(t))
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "POOLGEN_LEDGER_DIR="+dir, "POOLGEN_LEDGER_STARTS=1")
	out, err := c.StdoutPipe() // also that of the process which this one starts
	fatal.If(t, err)
	c.Stderr = os.Stderr
	fatal.If(t, c.Start())
	if _, err := io.ReadFull(out, make([]byte, len("started\n"))); err != nil {
		t.Fatal(err)
	}
	fatal.If(t, c.Process.Kill())
	ended := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, out)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it has not ended")
	}
	_ = c.Wait() // killed
}

// takeAndGive takes and gives bytes until the process is killed. What it believes to hold stands in a file: more once it has them, less before they go back. Unless it
// stays, it closes the ledger and opens it again now and then.
func takeAndGive(dir string, stays bool) error {
	belief, err := os.Create(filepath.Join(dir, strconv.Itoa(os.Getpid())))
	if err != nil {
		return err
	}
	note := func(n int64) error {
		_, err := belief.WriteAt(native(n), 0)
		return err
	}
	for {
		l, err := Open(Options{Dir: filepath.Join(dir, "poolgen"), Name: "Gpu", Limit: crashLimit})
		if errors.Is(err, ErrBusy) {
			continue
		}
		if err != nil {
			return err
		}
		holds := int64(0)
		for turns := 1 + rand.IntN(200); stays || turns > 0; turns-- {
			got, err := int64(0), error(nil)
			switch n := rand.Int64N(crashLimit); rand.IntN(8) {
			case 0:
				err = l.Want(n, rand.IntN(100))
			case 1:
				_, err = l.Asked()
			case 2, 3:
				if holds > 0 {
					n = 1 + n%holds
					if err = note(holds - n); err == nil {
						n, err = l.Give(n)
						holds -= n
					}
				}
			default:
				got, _, err = l.Take(1+n/4, n)
			}
			holds += got
			if err == nil || errors.Is(err, ErrBusy) { // others decide all the time
				err = note(holds)
			}
			if err != nil {
				return err
			}
		}
		if err := note(0); err != nil {
			return err
		}
		if err := l.Close(); err != nil && !errors.Is(err, ErrBusy) {
			return err
		}
	}
}

// TestKilled kills one of three processes at a random moment, again and again. At each look, the entries hold no more than the limit, and no process holds more than its
// entry says; what a dead process held can be taken by others at once, also when the file was deleted before. At the end nothing is held.
//
// The file is deleted in the second half, when all processes stay: one that opens the ledger before any other has made it anew cannot know of them.
func TestKilled(t *testing.T) {
	n := *kills
	if testing.Short() {
		n = min(n, 15)
	}
	ledgers := privateDir(t)
	dir := filepath.Dir(ledgers)
	l := opened(t, ledgers, crashLimit)
	var running [3]*exec.Cmd
	end := func(i int) {
		fatal.If(t, running[i].Process.Kill())
		if _ = running[i].Wait(); running[i].ProcessState.Exited() {
			t.Fatal("a process has ended by itself")
		}
	}
	for k := range n + len(running) {
		if k%1000 == 999 {
			t.Log(k+1, "started")
		}
		i := k % len(running)
		if running[i] != nil {
			looks(t, l, dir, time.Duration(rand.Int64N(int64(10*time.Millisecond))))
			if k > n/2+len(running) && k%7 == 0 {
				for len(held(t, l)) <= len(running) {
					time.Sleep(time.Millisecond)
				}
				fatal.If(t, os.Remove(filepath.Join(ledgers, "Gpu.ledger")))
			}
			end(i)
			looks(t, l, dir, 0)
		}
		stays := ""
		if k > n/2 {
			stays = "1"
		}
		c, err := process(dir, "POOLGEN_LEDGER_STAYS="+stays)
		fatal.If(t, err)
		running[i] = c
	}
	for i := range running {
		end(i)
	}
	take(t, l, crashLimit, crashLimit, crashLimit)
}

// looks looks at the ledger for so long, at least once.
func looks(t *testing.T, l *Ledger, dir string, long time.Duration) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		err := l.decide(Patience, func(table *table) error {
			sum := int64(0)
			for i := range table.entries {
				e := &table.entries[i]
				sum += e.held
				alive, err := l.alive(l.file, i, e)
				if err != nil {
					return err
				}
				belief, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(e.pid)))
				if !alive || err != nil || len(belief) != 8 {
					continue // dead, or the test itself, or a process that has nothing yet
				}
				if n := int64(binary.NativeEndian.Uint64(belief)); n > e.held {
					return fmt.Errorf("process %d holds %d, and its entry says %d", e.pid, n, e.held)
				}
			}
			if sum > crashLimit {
				return fmt.Errorf("%d bytes are held of %d", sum, crashLimit)
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrBusy) { // others decide all the time
			t.Fatal(err)
		}
		if time.Since(begun) >= long {
			return
		}
	}
}
