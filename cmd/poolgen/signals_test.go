//go:build linux

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// TestSignalsEndCommands sends signals to a command that runs until a signal, and to others. Each exits by itself; the others remove their temporary
// files and end the programs that they have started.
func TestSignalsEndCommands(t *testing.T) {
	dir := t.TempDir()
	fatal.If(t, os.WriteFile(filepath.Join(dir, "poolgen.yaml"), fmt.Appendf(nil, pools, "1GiB"), 0o644))
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, diag := command(dir, "generate", "--watch")
		out, err := cmd.StdoutPipe()
		fatal.If(t, err)
		fatal.If(t, cmd.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "poolgen.yaml: ") {
			t.Errorf("it says %q, %v", line, err)
		}
		if err := cmd.Process.Signal(sent); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", sent, err, diag)
		}
	}
}
