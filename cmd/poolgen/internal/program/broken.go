package program

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/spec"
)

// broken returns why the go command, run in dir, did not compile the pools of a plan. If a value of the pool file is the cause, the error is about
// the pool file: the generated files name the pool and the key whose value they check against the user's types. Each message occurs once.
func (b *builder) broken(err error, dir string, plan *spec.Plan) error {
	var failed *gomod.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("compile the pools: %w", err)
	}
	var values, others []string
	told := map[string]bool{}
	for line := range strings.Lines(failed.Stderr) {
		line = strings.TrimSpace(line)
		m := compilerForm.FindStringSubmatch(line)
		switch {
		case m == nil && !strings.HasPrefix(line, "# "):
			others = append(others, line)
		case m == nil || m[4] == "too many errors" || strings.Contains(m[4], "(constant unknown "):
			continue // follows from the others
		default:
			path, message := m[1], m[4]
			at, _ := strconv.Atoi(m[2])
			pool, rule := b.assertion(path, at, plan)
			if pool == nil {
				others = append(others, b.shown(path, dir)+":"+m[2]+":"+m[3]+": "+message)
				continue
			}
			key := "item"
			if lengthForm.MatchString(message) {
				message = rule
				key, _, _ = strings.Cut(rule, " ")
			}
			pos := pool.Place(key)
			values = append(values, fmt.Sprintf("%s:%d:%d: %s", plan.File, pos.Line, pos.Column, message))
			told[message] = true
		}
	}
	all := slices.DeleteFunc(append(values, others...), func(line string) bool {
		if m := compilerForm.FindStringSubmatch(line); m != nil {
			line = m[4]
		}
		again := told[line]
		told[line] = true
		return again
	})
	if len(all) == 0 {
		return fmt.Errorf("compile the pools: %w", err)
	}
	return errors.New("the pools do not compile:\n" + strings.Join(all, "\n"))
}

// compilerForm is a message of the compiler: file, line, column, text.
var compilerForm = regexp.MustCompile(`^(.+\.go):([0-9]+):([0-9]+): (.*)$`)

// lengthForm is the message that an assertion causes.
var lengthForm = regexp.MustCompile(`^invalid array length \w+ \(constant -[0-9]+ of type int64\)$`)

// assertion returns the pool whose value a line of a generated file checks against a type, and the rule, which begins with the key. Both are in the
// comment on a constant that is the length of an array. They are nil and empty for other lines.
func (b *builder) assertion(path string, at int, plan *spec.Plan) (pool *spec.Pool, rule string) {
	lines := bytes.Split(b.generated(path), []byte("\n"))
	if at < 1 || at > len(lines) {
		return nil, ""
	}
	name := assertedForm.FindSubmatch(lines[at-1])
	if name == nil {
		return nil, ""
	}
	constant := append([]byte("const "), append(name[1], " = "...)...)
	i := slices.IndexFunc(lines, func(line []byte) bool { return bytes.HasPrefix(line, constant) })
	if i < 1 {
		return nil, ""
	}
	comment := ruleForm.FindStringSubmatch(string(lines[i-1]))
	for i := range plan.Pools {
		if comment != nil && plan.Pools[i].Name == comment[1] {
			return &plan.Pools[i], comment[2]
		}
	}
	return nil, ""
}

// assertedForm is a line of an assertion, with the name of its constant; ruleForm is the comment on that, with the
// pool and the rule.
var (
	assertedForm = regexp.MustCompile(`^(?:const |type _ \[)([\pL\pN_]+Rule)\b`)
	ruleForm     = regexp.MustCompile(`^// Pool (\S+): (.*)\.$`)
)

// generated returns the source at a path of the compiler's; nil if the file is not generated.
func (b *builder) generated(path string) []byte {
	if path = filepath.ToSlash(path); strings.HasPrefix(path, "./") || strings.Contains(path, "/"+filepath.Base(b.temp)+"/") {
		return b.sources[filepath.Base(path)]
	}
	return nil
}

// shown writes a path of the compiler's, which was run in dir, relative to the current directory where that reads best. Overlaid files are shown in
// the output directory.
func (b *builder) shown(path, dir string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if strings.HasPrefix(path, b.temp+string(filepath.Separator)) {
		path = filepath.Join(b.output, filepath.Base(path))
	}
	if rel, err := filepath.Rel(b.cwd, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}
