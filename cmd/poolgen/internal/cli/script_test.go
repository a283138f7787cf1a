package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/vet"
	"github.com/poolgen/poolgen/tests/fatal"
)

var update = flag.Bool("update", false, "write what commands print into the scripts' files")

// self is this test, which go vet runs as its tool.
var self string

func TestMain(m *testing.M) {
	if vet.IsTool(os.Args[1:]) {
		vet.Tool()
	}
	var err error
	if self, err = os.Executable(); err != nil {
		panic(err)
	}
	os.Exit(outsideModules(m.Run))
}

// outsideModules runs tests whose directories lie in no module: a go.mod in the directory of temporary files hides those above, and the go command ignores it.
func outsideModules(run func() int) int {
	dir, err := os.MkdirTemp("", "poolgen-cli-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"TMPDIR", "TMP"} { // the second on Windows
		os.Setenv(name, dir)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module hidden\n"), 0o644); err != nil {
		panic(err)
	}
	return run()
}

// ignoresModule is what the go command says of that go.mod, where it wants one.
func ignoresModule() string {
	return "go: warning: ignoring go.mod in system temp root " + os.TempDir() + " "
}

// scripts is the directory of the scripts.
const scripts = "testdata/scripts"

// TestScripts runs the scripts of testdata/scripts. Each is a txtar archive: a comment that says what it shows, commands,
// and the files to begin with. The commands are described in the README of that directory.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := newScript(t, file, ".")
			s.run(string(s.archive.Comment))
		})
	}
}

// script is one run of a script.
type script struct {
	t       *testing.T
	file    string
	archive *txtar.Archive
	root    string // directory of the script's files
	dir     string // current directory
	environ []string
	stdin   string // of the next command
	stdout  string // of the last command
	stderr  string
	code    int
	command []string // arguments of the last run of poolgen
	pending string   // the last command, until its exit code is checked
	mtimes  map[string]time.Time
}

// newScript unpacks a script into a new directory, or into a directory below it.
func newScript(t *testing.T, file, sub string) *script {
	archive, err := txtar.ParseFile(file)
	fatal.If(t, err)
	root, err := filepath.EvalSymlinks(t.TempDir())
	fatal.If(t, err)
	root = filepath.Join(root, sub)
	s := &script{t: t, file: file, archive: archive, root: root, dir: root, mtimes: map[string]time.Time{},
		environ: append(os.Environ(), "NO_COLOR=1")}
	for _, f := range archive.Files {
		s.write(filepath.Join(root, f.Name), f.Data)
	}
	return s
}

func (s *script) write(path string, content []byte) {
	s.t.Helper()
	fatal.If(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	fatal.If(s.t, os.WriteFile(path, content, 0o644))
}

// run runs the lines of a script.
func (s *script) run(comment string) {
	if !strings.HasPrefix(comment, "# ") {
		s.t.Errorf("%s: the first line does not say what the script shows", s.file)
	}
	for i, line := range strings.Split(comment, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.step(line); err != nil {
			if err == errSkip {
				return
			}
			s.t.Fatalf("%s:%d: %s: %v\nstdout:\n%s\nstderr:\n%s", s.file, i+1, line, err, s.stdout, s.stderr)
		}
	}
	if err := s.checkExit(); err != nil {
		s.t.Fatalf("%s: %v\nstdout:\n%s\nstderr:\n%s", s.file, err, s.stdout, s.stderr)
	}
	s.save()
}

var errSkip = fmt.Errorf("skip the rest")

// checkExit requires that the last command succeeded, unless the script has checked its exit code.
func (s *script) checkExit() error {
	if s.pending != "" && s.code != 0 {
		return fmt.Errorf("%s: exit code %d", s.pending, s.code)
	}
	s.pending = ""
	return nil
}

// step runs one line.
func (s *script) step(line string) error {
	not := strings.HasPrefix(line, "! ")
	words, err := split(strings.TrimPrefix(line, "! "))
	if err != nil {
		return err
	}
	command, args := words[0], words[1:]
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$WORK", s.root)
	}
	if run := s.commands()[command]; run != nil {
		if command != "code" {
			if err := s.checkExit(); err != nil {
				return err
			}
		}
		return run(args)
	}
	check := s.checks()[command]
	if check == nil {
		return fmt.Errorf("unknown command")
	}
	ok, err := check(args)
	if err == nil && ok == not {
		err = fmt.Errorf("does not hold")
	}
	return err
}

// split splits a line into words. Single quotes surround a word with spaces.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '\'' {
			var closed bool
			if word, rest, closed = strings.Cut(line[1:], "'"); !closed {
				return nil, fmt.Errorf("quote without end")
			}
		}
		words, line = append(words, word), rest
	}
	return words, nil
}

// poolgen runs the command line in this process.
func (s *script) poolgen(args []string) error {
	var stdout, stderr bytes.Buffer
	s.command = args
	s.code = Main(context.Background(), Process{
		Args: args, Environ: s.environ, Dir: s.dir, Stdin: strings.NewReader(s.stdin), Stdout: &stdout, Stderr: &stderr,
		Build: &debug.BuildInfo{Main: debug.Module{Path: gomod.Path, Version: "v1.2.3"}}, Self: self,
	})
	s.stdout, s.stderr, s.pending = stdout.String(), stderr.String(), "poolgen "+strings.Join(args, " ")
	return nil
}

// external runs another program.
func (s *script) external(name string, args []string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return errSkip
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = s.dir, append(s.environ, "PWD="+s.dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	s.code = cmd.ProcessState.ExitCode()
	s.stdout, s.stderr, s.pending = stdout.String(), stderr.String(), name
	if s.code < 0 {
		return err
	}
	return nil
}

// save, with -update, writes the output of the script's commands into the script.
func (s *script) save() {
	if !*update {
		return
	}
	fatal.If(s.t, os.WriteFile(s.file, txtar.Format(s.archive), 0o644))
}

func matches(pattern, text string) (bool, error) {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return false, err
	}
	return re.MatchString(text), nil
}
