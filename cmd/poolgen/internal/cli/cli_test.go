package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/tests/fatal"
)

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	p := &Process{Stdout: new(bytes.Buffer)}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Long == "" || cmd.HasParent() && cmd.Example == "" {
			t.Errorf("%s has no short text, long text or example", cmd.CommandPath())
		}
		if word, _, _ := strings.Cut(cmd.Long, " "); strings.ToUpper(word[:1]) != word[:1] || strings.HasSuffix(word, "s") {
			t.Errorf("%s: the help begins with %q, which is no imperative", cmd.CommandPath(), word)
		}
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			if line != "" && !strings.HasPrefix(line, "  "+cmd.CommandPath()) {
				t.Errorf("%s: the example %q shows something else", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(p.root())
}

// panicking is a stream that panics when it is used.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("the wheel is broken") }

func TestFaultsAreReportedAsOurs(t *testing.T) {
	var stderr bytes.Buffer
	code := Main(context.Background(), Process{Args: []string{"version"}, Dir: t.TempDir(), Stdout: panicking{}, Stderr: &stderr})
	if code != ExitBug {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"the wheel is broken", "Please report", "cli_test.go"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, stderr.String())
		}
	}
}

func TestVersionStamp(t *testing.T) {
	tests := []struct {
		version, revision, stamp string
	}{
		{"v1.2.3", "", "v1.2.3"},
		{"(devel)", "", "devel"},
		{"", "", "devel"},
		{"v0.0.0-20260102030405-0123456789ab", "0123456789ab", "devel"},
		{"v1.2.4-0.20260102030405-0123456789ab+dirty", "", "devel"},
	}
	for _, test := range tests {
		build := &debug.BuildInfo{Main: debug.Module{Version: test.version}}
		if test.revision != "" {
			build.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: test.revision}}
		}
		if got := versionOf(build).stamp(); got != test.stamp {
			t.Errorf("version %s of revision %q is stamped %s, want %s", test.version, test.revision, got, test.stamp)
		}
	}
	if got := versionOf(nil).stamp(); got != devel {
		t.Errorf("without build information: %s", got)
	}
}

func TestColourIsForTerminals(t *testing.T) {
	terminal, err := os.Open(os.DevNull) // a device of characters as terminals are
	fatal.If(t, err)
	defer terminal.Close()
	for _, test := range []struct {
		environ []string
		stream  any
		want    bool
	}{
		{nil, terminal, true},
		{[]string{"NO_COLOR=1"}, terminal, false},
		{[]string{"TERM=dumb"}, terminal, false},
		{[]string{"TERM=xterm"}, new(bytes.Buffer), false},
	} {
		p := Process{Environ: test.environ}
		if got := p.coloured(test.stream); got != test.want {
			t.Errorf("%v, %T: %v", test.environ, test.stream, got)
		}
	}
}

// log is a stream that may be read while it is written.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) await(t *testing.T, want string) {
	t.Helper()
	for range 300 {
		l.mu.Lock()
		found := strings.Contains(l.text.String(), want)
		l.mu.Unlock()
		if found {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("waited for %q, got:\n%s", want, l.text.String())
}

// The pool file that init writes names the schema of the version that wrote it.
func TestInitNamesTheSchemaOfItsVersion(t *testing.T) {
	setting := func(changed string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: changed}}
	}
	for want, build := range map[string]*debug.BuildInfo{
		"v0.1.0":       {Main: debug.Module{Version: "v0.1.0"}},
		"v0.2.0-rc.1":  {Main: debug.Module{Version: "v0.2.0-rc.1"}},
		"0123456789ab": {Main: debug.Module{Version: "v0.1.1-0.20260131010203-0123456789ab"}},
		"abc":          {Settings: setting("false")},
		"main":         {Settings: setting("true")},
	} {
		p := &Process{Build: build}
		if line, _, _ := strings.Cut(string(p.initText()), "\n"); line != "# yaml-language-server: $schema=https://raw.githubusercontent.com/poolgen/poolgen/"+want+"/docs/poolgen.schema.json" {
			t.Errorf("%s: %s", want, line)
		}
	}
	for _, build := range []*debug.BuildInfo{nil, {Main: debug.Module{Version: "(devel)"}}, {Main: debug.Module{Version: "v0.0.0-20260131010203-0123456789ab+dirty"}}} {
		if got := versionOf(build).ref(); got != "main" {
			t.Errorf("%+v: %s", build, got)
		}
	}
}

func TestWatchGeneratesAfterChanges(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		fatal.If(t, os.WriteFile(filepath.Join(dir, workspace.PoolFile), []byte(text), 0o644))
	}
	const text = "version: 1\npackage: p\npools:\n  - name: Sound\n"
	write(text)
	ctx, cancel := context.WithCancel(context.Background())
	out, exit := new(log), make(chan int)
	go func() {
		exit <- Main(ctx, Process{Args: []string{"generate", "--watch"}, Dir: dir, Stdout: out, Stderr: out})
	}()
	out.await(t, "watching poolgen.yaml; interrupt to end\n")
	out.await(t, "4 written, 0 unchanged")
	write(text + "    limti: 1GiB\n")
	out.await(t, "poolgen.yaml:5:5: PG010")
	write(text + "    limit: 1GiB\n")
	out.await(t, "2 written, 2 unchanged")
	cancel()
	if code := <-exit; code != ExitDone {
		t.Errorf("exit code %d", code)
	}
}

// TestWatchKeepsToItsFile takes the watched file away for a while. The pool file of the directory above is not generated meanwhile.
func TestWatchKeepsToItsFile(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	fatal.If(t, os.Mkdir(sub, 0o755))
	const text = "version: 1\npackage: p\npools: [{name: Sound}]\n"
	file, away := filepath.Join(sub, workspace.PoolFile), filepath.Join(sub, "away")
	for name, content := range map[string]string{"go.mod": "module m\n", workspace.PoolFile: text, "sub/" + workspace.PoolFile: text} {
		fatal.If(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, exit := new(log), make(chan int)
	go func() {
		exit <- Main(ctx, Process{Args: []string{"generate", "--watch"}, Dir: sub, Stdout: out, Stderr: out})
	}()
	out.await(t, "poolgen.yaml: 4 written, 0 unchanged")
	fatal.If(t, os.Rename(file, away))
	out.await(t, "poolgen: poolgen.yaml: no such file\n")
	fatal.If(t, os.Rename(away, file))
	out.await(t, "poolgen.yaml: 0 written, 4 unchanged")
	cancel()
	<-exit
	if _, err := os.Stat(filepath.Join(dir, "poolgen.go")); err == nil {
		t.Error("the pool file above was generated, too")
	}
}
