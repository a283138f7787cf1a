package program

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A program for another system does not start, and the error names the variables that chose the system.
func TestProgramOfAnotherSystem(t *testing.T) {
	temp := t.TempDir()
	path := filepath.Join(temp, "pools.exe")
	if err := os.WriteFile(path, []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	here := []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}
	for _, c := range []struct {
		vars  []string
		wants bool
	}{{[]string{"GOOS=plan9", "GOARCH=386"}, true}, {here, false}} {
		p := &Program{Temp: temp, path: path, environ: append(os.Environ(), c.vars...)}
		err := p.Run(context.Background())
		if err == nil || strings.Contains(err.Error(), "built for plan9/386, as GOOS and GOARCH") != c.wants {
			t.Errorf("%v: %v", c.vars, err)
		}
	}
}
