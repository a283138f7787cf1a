package docs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cli"
)

func TestCommands(t *testing.T) {
	judgePages(t, 60, "commands", func(p *page) (int, []problem) {
		all, found := commands(p), judgeGenerated(p)
		for _, c := range all {
			if why := judgeCommand(c); why != "" {
				found = append(found, problem{p.path, c.line, why})
			}
		}
		return len(all), found
	})
}

// commands lists the commands of a page: those of its blocks, and those of more than one word in its text, except patterns of commands.
func commands(p *page) []command {
	var out []command
	for i := range p.blocks {
		if b := &p.blocks[i]; unjudged(b) == "" {
			out = append(out, commandsOf(b)...)
		}
	}
	for _, s := range p.spans {
		if strings.ContainsAny(s.text, "[…") || strings.Contains(s.text, " ...") {
			continue
		}
		for _, c := range parse(p, s.line, strings.ReplaceAll(s.text, `\|`, "|")) {
			if len(c.words) > 1 && (c.words[1] == "-C" || strings.ToUpper(c.words[1]) != c.words[1]) {
				out = append(out, c)
			}
		}
	}
	return out
}

// judgeGenerated looks for commands that need the pools of tests/pools, on a page that does not say how to generate these.
func judgeGenerated(p *page) (found []problem) {
	for _, c := range commands(p) {
		if len(c.words) < 4 || !slices.Equal(c.words[:3], []string{"go", "-C", "tests/pools"}) {
			continue
		}
		switch c.words[3] {
		case "generate":
			return nil
		case "run", "test", "build", "vet":
			found = append(found, problem{p.path, c.line, "the page does not say that go -C tests/pools generate ./... writes the pools first"})
		}
	}
	return found
}

// judgeCommand returns what is wrong with a command, or "".
func judgeCommand(c command) string {
	name, args := c.words[0], c.words[1:]
	switch {
	case programs[name] != "":
		return ""
	case name == "poolgen":
		return judgePoolgen(args)
	case name == "bench":
		return judgeFlags("tests/pools/bench", args)
	case name == ".ci/run":
		return judgeSteps(args)
	case len(args) == 0:
		return ""
	}
	return judgeGo(c.dir, args[0], args[1:])
}

// judgePoolgen makes the command line of poolgen parse the flags and show its help.
func judgePoolgen(args []string) string {
	var out, diag bytes.Buffer
	p := cli.Process{Args: append(slices.Clone(args), "--help"), Dir: os.TempDir(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &diag}
	if exit := cli.Main(context.Background(), p); exit != cli.ExitDone {
		return diag.String()
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.Contains(out.String(), "poolgen "+args[0]) {
		return fmt.Sprintf("poolgen has no command %s", args[0])
	}
	return ""
}

// judgeSteps looks for the steps of .ci/run.
func judgeSteps(steps []string) string {
	text, err := os.ReadFile(filepath.Join(root, ".ci/run"))
	if err != nil {
		return err.Error()
	}
	for _, s := range steps {
		if !bytes.Contains(text, []byte("\nstep_"+s+"()")) {
			return ".ci/run has no step " + s
		}
	}
	return ""
}

// judgeFlags looks for the flags of a program, or of tests, in its source.
func judgeFlags(dir string, args []string) string {
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "-") || name == "" {
			continue
		}
		if !inSource(dir, regexp.MustCompile(`flag\.\w+\((?:&\w+, )?"`+regexp.QuoteMeta(name)+`"`)) {
			return fmt.Sprintf("%s has no flag -%s", dir, name)
		}
	}
	return ""
}

// inSource reports whether the Go files of a directory, or for dir/... of all below it, have a match.
func inSource(dir string, e *regexp.Regexp) bool {
	dir, deep := strings.CutSuffix(dir, "...")
	found := false
	err := filepath.WalkDir(filepath.Join(root, dir), func(file string, d os.DirEntry, err error) error {
		switch {
		case err != nil || found:
			return err
		case d.IsDir():
			if rel, _ := filepath.Rel(filepath.Join(root, dir), file); rel != "." && (!deep || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
		case path.Ext(d.Name()) == ".go":
			text, err := os.ReadFile(file)
			found = err == nil && e.Match(text)
		}
		return nil
	})
	return err == nil && found
}
