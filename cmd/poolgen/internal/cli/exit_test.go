package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exitFiles are the files in the directory of exits.
var exitFiles = map[string]string{
	"poolgen.yaml":     "version: 1\npackage: p\npools: [{name: Sound}]\n",
	"bad.yaml":         "version: 1\npackage: p\npools: [{name: Sound, limti: 1GiB}]\n",
	"typed.yaml":       "version: 1\npackage: r\noutput: r\npools: [{name: Sound, item: Tone}]\n",
	"messy.yaml":       "version:   1\npools:\n  - name: 'Sound'\n",
	"neat.yaml":        "version: 1\npools:\n  - name: Sound\n",
	"taken.yaml":       "version: 1\npackage: q\noutput: t.csv\npools: [{name: Sound}]\n",
	"t.csv":            "op,id,bytes,stream,time_us\na,0,16,0,0\nf,0,16,0,5\n",
	"bad.csv":          "op,id,bytes,stream,time_us\nx,0,16,0,0\n",
	"directory/go.mod": "module m\n\ngo 1.26.0\n",
}

// exits are command lines with their exit codes. They run one after the other, in the same directory.
var exits = []struct {
	args string
	code int
	says string // on standard error; on either stream, for findings
}{
	{"check", ExitFindings, "missing   poolgen.go"},
	{"check --diff", ExitFindings, "+package p"},
	{"check --format json", ExitFindings, `"code":"missing"`},
	{"generate bad.yaml", ExitFindings, "PG010"},
	{"generate poolgen.yaml bad.yaml", ExitFindings, "PG010"},
	{"generate bad.yaml --format sarif", ExitFindings, "PG010"},
	{"check bad.yaml --format github", ExitFindings, "PG010"},
	{"explain bad.yaml", ExitFindings, "PG010"},
	{"fmt --check neat.yaml messy.yaml", ExitFindings, "messy.yaml"},
	{"fmt --diff messy.yaml", ExitFindings, "+  - name: Sound"},
	{"fmt t.csv", ExitFindings, "PG"},
	{"replay bad.yaml --trace t.csv", ExitFindings, "PG010"},
	{"bench bad.yaml", ExitFindings, "PG010"},

	{"generate", ExitDone, ""},
	{"check", ExitDone, ""},
	{"check --format json", ExitDone, ""},
	{"fmt neat.yaml", ExitDone, ""},
	{"fmt --check neat.yaml", ExitDone, ""},
	{"explain", ExitDone, ""},
	{"explain Sound --types", ExitDone, ""}, // has none
	{"explain Sound --templates", ExitDone, ""},
	{"explain Sound --templates heap", ExitDone, ""},
	{"explain pg014", ExitDone, ""},
	{"schema", ExitDone, ""},
	{"doctor", ExitDone, ""},
	{"doctor --json", ExitDone, ""},
	{"version", ExitDone, ""},
	{"version --format json", ExitDone, ""},
	{"--version", ExitDone, ""},
	{"completion zsh", ExitDone, ""},
	{"help check", ExitDone, ""},
	{"check --help", ExitDone, ""},
	{"init", ExitDone, ""},

	{"generate e\x1bf.yaml", ExitUsage, `the name "e\x1bf.yaml" holds what is not text: rename it`},
	{"replay --trace e\x1bf.csv", ExitUsage, "e\ufffdf.csv"}, // no terminal gets the escape
	{"generat", ExitUsage, "unknown command"},
	{"build", ExitUsage, "\tgenerate"},
	{"new", ExitUsage, "\tinit"},
	{"lint", ExitUsage, "\tcheck"},
	{"lint", ExitUsage, "\tvet"},
	{"validate", ExitUsage, "\tcheck"},
	{"check --json --format json", ExitUsage, "[format json]"},
	{"help generat", ExitUsage, "unknown command"},
	{"help check more", ExitUsage, `no command "more"`},
	{"completion nosh", ExitUsage, `no command "nosh"`},
	{"check --dif", ExitUsage, "unknown flag"},
	{"check --format yaml", ExitUsage, "want one of text, json, github, sarif"},
	{"check --diff --format json", ExitUsage, "--diff is a format of its own"},
	{"version more", ExitUsage, "poolgen version takes no arguments, and got 1: more"},
	{"init more", ExitUsage, "poolgen init takes no arguments, and got 1: more"},
	{"generate none.yaml", ExitUsage, "none.yaml: no such file"},
	{"generate none.yaml --watch", ExitUsage, "none.yaml: no such file"},
	{"check directory", ExitUsage, "directory is a directory"},
	{"generate /dev/null", ExitUsage, "not a regular file"},
	{"generate taken.yaml", ExitUsage, "output: t.csv is not a directory"},
	{"fmt none.yaml", ExitUsage, "none.yaml: no such file"},
	{"fmt --check -", ExitUsage, "--check and --diff are for files"},
	{"explain None", ExitUsage, `no pool "None"`},
	{"explain poolgen.yaml None", ExitUsage, `no pool "None"`},
	{"explain PG999", ExitUsage, "no finding PG999"},
	{"explain PG014 --format sarif", ExitUsage, "explain PG014 writes text or json"},
	{"explain Sound Sound", ExitUsage, "poolgen explain takes 1 argument at most, and got 2: Sound Sound"},
	{"explain Sound --templates fixed", ExitUsage, `no template "fixed"`},
	{"replay a.yaml b.yaml", ExitUsage, "poolgen replay takes 1 argument at most, and got 2: a.yaml b.yaml"},
	{"replay", ExitUsage, "name a trace: --trace"},
	{"replay --trace none.csv", ExitUsage, "none.csv"},
	{"replay --trace bad.csv", ExitUsage, "bad.csv:2"},
	{"replay --trace t.csv --pool None", ExitUsage, `no pool "None"`},
	{"replay --trace t.csv --goroutines 0", ExitUsage, "--goroutines 0: name a number from 1"},
	{"replay --trace t.csv --busy -1", ExitUsage, "--busy must not be below 0"},
	{"replay --trace t.csv --busy 3 --goroutines 2", ExitUsage, "leave out one of --busy and --goroutines"},
	{"replay --trace t.csv --format sarif", ExitUsage, "want one of text, json"},
	{"tune", ExitUsage, "name a trace: --trace"},
	{"tune --trace none.csv", ExitUsage, "none.csv"},
	{"tune --trace t.csv --max-ratio 0.5", ExitUsage, "1 is the least"},
	{"tune --trace t.csv --allocator custom", ExitUsage, "--allocator custom cannot be tuned"},
	{"bench --pool None", ExitUsage, `no pool "None"`},
	{"bench --turns 0", ExitUsage, "--turns and --span must be above 0"},
	{"snapshot", ExitUsage, "name one file that Snapshot.Write"},
	{"snapshot none.snapshot", ExitUsage, "none.snapshot"},
	{"snapshot t.csv", ExitUsage, "t.csv"},
	{"snapshot directory", ExitUsage, "directory is a directory"},
	{"demo --dir directory", ExitUsage, "directory is not empty"},
	{"demo --dir t.csv", ExitUsage, "t.csv"},

	// The rest needs the go command, which is not there.
	{"explain --code", ExitDone, ""}, // the rest is reported
	{"explain --types typed.yaml", ExitUsage, "go command is not in PATH"},
	{"replay --trace t.csv", ExitUsage, "go command is not in PATH"},
	{"tune --trace t.csv", ExitUsage, "go command is not in PATH"},
	{"bench", ExitUsage, "go command is not in PATH"},
	{"vet", ExitUsage, "go command is not in PATH"},
	{"demo", ExitUsage, "PATH"},
}

// The demo leaves nothing behind, also when it fails.
func TestDemoLeavesNothing(t *testing.T) {
	dir := exitDir(t)
	before, _ := os.ReadDir(dir)
	if code := exitRun(t, dir, "demo", new(bytes.Buffer), new(bytes.Buffer)); code != ExitUsage {
		t.Errorf("exit code %d", code)
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("%v, before %v, %v", after, before, err)
	}
}

// exitRun runs a command line without a go command.
func exitRun(t *testing.T, dir, args string, stdout, stderr *bytes.Buffer) int {
	t.Setenv("PATH", "") // package exec reads PATH of this process, not that of a Process
	t.Setenv("TMPDIR", dir)
	return Main(context.Background(), Process{Args: strings.Fields(args), Dir: dir, Stdout: stdout, Stderr: stderr})
}

func exitDir(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range exitFiles {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExitCodes checks the exit codes of each command. Wrong usage is one message, never the whole help, standard output has nothing that could be
// mistaken for a result, and findings are printed.
func TestExitCodes(t *testing.T) {
	dir := exitDir(t)
	covered := map[string]bool{}
	for _, test := range exits {
		name, _, _ := strings.Cut(test.args, " ")
		covered[name] = true
		var stdout, stderr bytes.Buffer
		code := exitRun(t, dir, test.args, &stdout, &stderr)
		said := stderr.String()
		if test.code == ExitFindings {
			said += stdout.String()
		}
		if code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("poolgen %s: exit code %d, want %d with %q\nstdout: %s\nstderr: %s", test.args, code, test.code, test.says, &stdout, &stderr)
		}
		results := stdout.Len() > 0 && name != "demo" // which shows its steps
		if code == ExitUsage && (results || !strings.HasPrefix(said, "poolgen: ") || strings.Contains(said, "Usage:")) {
			t.Errorf("poolgen %s: wrong usage says\nstdout: %s\nstderr: %s", test.args, &stdout, &stderr)
		}
	}
	for _, cmd := range (&Process{}).root().Commands() {
		if !covered[cmd.Name()] {
			t.Errorf("no case for poolgen %s", cmd.Name())
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk runs every command line that prints something. None may exit as if it had succeeded, and the exit code of a fault of poolgen does not
// change.
func TestFullDisk(t *testing.T) {
	dir := exitDir(t)
	for _, test := range exits {
		var stdout, stderr bytes.Buffer
		if code := exitRun(t, dir, test.args, &stdout, &stderr); stdout.Len() == 0 || code == ExitUsage {
			continue
		}
		stderr.Reset()
		p := Process{Args: strings.Fields(test.args), Dir: dir, Stdout: full{}, Stderr: &stderr}
		if code := Main(context.Background(), p); code != ExitUsage || strings.Count(stderr.String(), "no space left") != 1 {
			t.Errorf("poolgen %s: exit code %d\n%s", test.args, code, &stderr)
		}
	}
}

func TestTemporaryDirectory(t *testing.T) {
	dir := exitDir(t)
	for name, want := range map[string]string{"nowhere": "no such file or directory", "t.csv": "not a directory"} {
		t.Setenv("TMPDIR", filepath.Join(dir, name))
		var stderr bytes.Buffer
		code := Main(context.Background(), Process{Args: []string{"replay", "--trace", "t.csv"}, Dir: dir, Stdout: io.Discard, Stderr: &stderr})
		if got := stderr.String(); code != ExitUsage || !strings.Contains(got, want+": temporary files go to "+filepath.Join(dir, name)+": set TMPDIR") {
			t.Errorf("exit code %d: %s", code, got)
		}
	}
}
