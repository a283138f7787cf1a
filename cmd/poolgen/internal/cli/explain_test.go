package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/tests/fatal"
)

// TestCodeWithoutGo explains a pool where there is no go command.
func TestCodeWithoutGo(t *testing.T) {
	dir := t.TempDir()
	fatal.If(t, os.WriteFile(filepath.Join(dir, workspace.PoolFile), []byte("version: 1\npackage: senses\npools: [{name: Sound}]\n"), 0o644))
	t.Setenv("PATH", t.TempDir())
	for format, want := range map[string]string{
		"text": "\nmachine code: not measured\n    the go command is not in PATH",
		"json": `{"pool":"Sound","key":"code","value":"not measured","from":"","note":"the go command is not in PATH`,
	} {
		var stdout, stderr bytes.Buffer
		p := Process{Args: []string{"explain", "--code", "--format", format}, Dir: dir, Environ: os.Environ(), Stdout: &stdout, Stderr: &stderr}
		if exit := Main(t.Context(), p); exit != ExitDone || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d\n%s%s", format, exit, &stdout, &stderr)
		}
	}
}
