//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipesEnd gives commands a pipe to which nobody writes, in place of a file, and ends them: while they open it and while they read it.
func TestPipesEnd(t *testing.T) {
	for _, args := range []string{"replay --trace pipe", "tune --trace pipe", "tune --trace t.csv --known pipe", "snapshot pipe"} {
		for _, opened := range []bool{false, true} {
			dir := exitDir(t)
			pipe := filepath.Join(dir, "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			ended(t, args, func(cancel func()) {
				if opened {
					writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the command
					if err != nil {
						t.Error(err)
					}
					t.Cleanup(func() { writer.Close() })
				}
				time.Sleep(50 * time.Millisecond)
				cancel()
			}, Process{Dir: dir})
		}
	}
}

func TestInputEnds(t *testing.T) {
	in, writer := io.Pipe()
	defer writer.Close()
	ended(t, "fmt -", func(cancel func()) { cancel() }, Process{Dir: t.TempDir(), Stdin: in})
}

// ended requires that a command ends when its context does.
func ended(t *testing.T, args string, end func(cancel func()), p Process) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr bytes.Buffer
	p.Args, p.Stdout, p.Stderr = strings.Fields(args), io.Discard, &stderr
	exit := make(chan int, 1)
	go func() { exit <- Main(ctx, p) }()
	end(cancel)
	select {
	case code := <-exit:
		if code != ExitUsage || stderr.String() != "poolgen: interrupted\n" {
			t.Errorf("%s: exit code %d: %s", args, code, &stderr)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not end", args)
	}
}
