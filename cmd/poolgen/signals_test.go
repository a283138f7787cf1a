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
)

// TestSignalsEndCommands sends signals to a command that runs until a signal, and to others. Each exits by itself; the others remove their temporary
// files and end the programs that they have started.
func TestSignalsEndCommands(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "poolgen.yaml"), fmt.Appendf(nil, pools, "1GiB"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, diag := command(dir, "generate", "--watch")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
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
