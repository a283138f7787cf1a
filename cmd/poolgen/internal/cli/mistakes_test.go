package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// mistakes is the directory of pool files with mistakes.
const mistakes = "testdata/mistakes"

// usual are the commands of a mistake that has none of its own.
const usual = `
poolgen generate
code 1
cmp stderr want
`

func mistakeFiles(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(mistakes, "*.txtar"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d mistakes, %v", len(files), err)
	}
	return files
}

// TestMistakes runs the mistakes of testdata/mistakes. The output is as recorded there, marks the right places, and is the same in all formats.
func TestMistakes(t *testing.T) {
	for _, file := range mistakeFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := newScript(t, file, "scene")
			comment := string(s.archive.Comment)
			if !strings.Contains(comment, "\npoolgen ") {
				comment += usual
			}
			s.run(comment)
			if s.code == ExitFindings {
				s.checkFindings()
			}
		})
	}
}

// finding is a finding as --format json writes it.
type finding struct {
	Code          spec.Code
	File          string
	Line, Column  int
	EndLine       int `json:"end_line"`
	EndColumn     int `json:"end_column"`
	Message, Help string
}

func (f finding) place() string { return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column) }

// checkFindings looks at the findings of the last command, in each format.
func (s *script) checkFindings() {
	text, command := s.stderr, s.command
	found := s.findings(command)
	if len(found) == 0 {
		s.t.Fatal("no findings")
	}
	if !slices.IsSortedFunc(found, func(a, b finding) int {
		return strings.Compare(fmt.Sprintf("%s %8d %8d", a.File, a.Line, a.Column), fmt.Sprintf("%s %8d %8d", b.File, b.Line, b.Column))
	}) {
		s.t.Error("not in file order")
	}
	github, sarif := s.formatted(command, "github"), s.formatted(command, "sarif")
	for i, f := range found {
		s.checkPlace(f, text)
		if f.Help == "" {
			s.t.Errorf("%s: no help", f.place())
		}
		want := fmt.Sprintf("::error file=%s,line=%d,endLine=%d,col=%d,endColumn=%d,title=%s::", f.File, f.Line, f.EndLine, f.Column, f.EndColumn, f.Code)
		if lines := strings.Split(github, "\n"); !strings.HasPrefix(lines[i], want) {
			s.t.Errorf("github: %s\nwant %s", lines[i], want)
		}
	}
	checkSARIF(s.t, sarif, found)
}

// findings runs a command again for its findings as JSON.
func (s *script) findings(command []string) (found []finding) {
	for line := range strings.Lines(s.formatted(command, "json")) {
		var f finding
		fatal.If(s.t, json.Unmarshal([]byte(line), &f))
		found = append(found, f)
	}
	return found
}

func (s *script) formatted(command []string, format string) string {
	if err := s.poolgen(append(slices.Clone(command), "--format", format)); err != nil || s.code != ExitFindings {
		s.t.Fatalf("--format %s: exit code %d, %v\n%s", format, s.code, err, s.stderr)
	}
	return s.stdout
}

// checkPlace compares a finding with its file: the place is inside the file, and the text there is what the finding marks.
func (s *script) checkPlace(f finding, text string) {
	raw, err := os.ReadFile(s.path(f.File))
	fatal.If(s.t, err)
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(raw), "\ufeff"), "\r", ""), "\n")
	if f.Line < 1 || f.Line > len(lines) || f.EndLine != f.Line || f.EndColumn <= f.Column {
		s.t.Fatalf("%s to %d:%d is no place in the file", f.place(), f.EndLine, f.EndColumn)
	}
	line := []rune(lines[f.Line-1])
	if strings.TrimSpace(string(line)) == "" || f.Code == "PG001" { // no excerpt, or one with characters that cannot be shown
		return
	}
	if f.EndColumn > len(line)+1 {
		s.t.Fatalf("%s to %d:%d is beyond the end of its line", f.place(), f.EndLine, f.EndColumn)
	}
	want := string(line[f.Column-1 : f.EndColumn-1])
	header := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(fmt.Sprintf("%s: %s: %s", f.place(), f.Code, f.Message)) + "\n +[0-9]+ [|] (.*)\n +[|] ([ \t]*)([\\^~]+)$")
	m := header.FindStringSubmatch(text)
	if m == nil {
		s.t.Fatalf("%s does not stand in the text", f.place())
	}
	shown, from := []rune(m[1]), len(m[2])
	if got := string(shown[from:min(from+len(m[3]), len(shown))]); got != want {
		s.t.Errorf("%s: marks %q, and the place is that of %q", f.place(), got, want)
	}
}

// checkSARIF compares the regions of a log with the findings.
func checkSARIF(t *testing.T, text string, found []finding) {
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    spec.Code
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
			}
		}
	}
	fatal.If(t, json.Unmarshal([]byte(text), &log))
	for i, f := range found {
		r := log.Runs[0].Results[i]
		at := r.Locations[0].PhysicalLocation
		got := finding{Code: r.RuleID, File: at.ArtifactLocation.URI, Line: at.Region.StartLine, Column: at.Region.StartColumn,
			EndLine: at.Region.EndLine, EndColumn: at.Region.EndColumn, Message: f.Message, Help: f.Help}
		if got != f {
			t.Errorf("sarif: %+v\nwant %+v", got, f)
		}
	}
}

// Each code that a pool file can cause occurs in a mistake.
func TestMistakesCoverFindings(t *testing.T) {
	told := map[string]bool{}
	for _, file := range mistakeFiles(t) {
		archive, err := txtar.ParseFile(file)
		fatal.If(t, err)
		want := archive.Files[len(archive.Files)-1]
		if want.Name != "want" {
			t.Errorf("%s: the last file is %s, and not what is printed", file, want.Name)
		}
		for _, m := range regexp.MustCompile(`(?m)^\S+:\d+:\d+: (PG\d+): `).FindAllStringSubmatch(string(want.Data), -1) {
			told[m[1]] = true
		}
	}
	for _, info := range spec.Codes() {
		if !info.Vet && info.Code != spec.CodeFault && !told[string(info.Code)] {
			t.Errorf("no mistake shows %s: %s", info.Code, info.Title)
		}
	}
}

// Examples of findings that generate reports: the pool file before has that finding alone, and the one after has none.
func TestExplainedExamples(t *testing.T) {
	for _, info := range spec.Codes() {
		if !info.Generator || info.Bad == "" {
			continue
		}
		for _, example := range []struct {
			text string
			code []spec.Code
		}{{info.Bad, []spec.Code{info.Code}}, {info.Good, nil}} {
			dir := filepath.Join(t.TempDir(), "senses")
			s := &script{t: t, root: dir, dir: dir}
			s.write(s.path(workspace.PoolFile), []byte(example.text))
			s.write(s.path("sound.yaml"), nil)
			if info.GoFile != "" {
				s.write(s.path("sight_pool.go"), []byte(info.GoFile))
			}
			fatal.If(t, s.poolgen([]string{"generate", "--format", "json"}))
			var codes []spec.Code
			for line := range strings.Lines(s.stdout) {
				var f finding
				fatal.If(t, json.Unmarshal([]byte(line), &f))
				codes = append(codes, f.Code)
			}
			if !slices.Equal(codes, example.code) {
				t.Errorf("%s: %v, want %v, for\n%s", info.Code, codes, example.code, example.text)
			}
		}
	}
}
