package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// goFlags are the flags of the go command that pages use, and whether a value follows. Others must be flags of the program or the test.
var goFlags = map[string]bool{
	"run": true, "bench": true, "fuzz": true, "tags": true, "count": true, "timeout": true, "cpu": true, "benchtime": true, "fuzztime": true, "o": true, "buildmode": true,
	"modfile": true, "vettool": true, "v": false, "race": false, "short": false, "tool": false, "c": false, "trimpath": false, "ldflags": true, "buildvcs": true,
}

// sources maps a flag of go test to the functions that its pattern selects.
var sources = map[string]string{"run": `(?m)^func ((?:Test|Example|Fuzz)\w*)`, "bench": `(?m)^func (Benchmark\w*)`, "fuzz": `(?m)^func (Fuzz\w*)`}

// judgeGo checks a go command, which runs in dir.
func judgeGo(dir, verb string, args []string) string {
	if verb == "-C" && len(args) > 1 {
		return judgeGo(path.Join(dir, args[0]), args[1], args[2:])
	}
	var packages, own []string
	values := make(map[string]string)
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		valued, known := goFlags[name]
		switch {
		case !strings.HasPrefix(args[i], "-"):
			packages = append(packages, args[i])
			if verb == "run" || verb == "tool" {
				own, i = args[i+1:], len(args)
			}
		case known && valued && !joined && i+1 < len(args):
			i++
			values[name] = args[i]
		case known:
			values[name] = value
		case name == "pools" && i+1 < len(args): // of package tests: arguments of another go test
			i++
			if why := judgeGo("tests/pools", "test", strings.Fields(args[i])); why != "" {
				return why
			}
		case verb == "vet":
			// the rules of poolgen vet are flags of its own
		default:
			own = append(own, args[i])
			if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], ".") && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
		}
	}
	switch verb {
	case "run":
		return judgeRun(dir, packages, own)
	case "tool":
		if len(packages) > 0 && packages[0] == "poolgen" {
			return judgePoolgen(own)
		}
		return ""
	case "test", "build", "vet", "generate":
		return judgePackages(dir, packages, own, values)
	case "get", "install", "mod", "version", "work":
		return ""
	}
	return "go has no command " + verb
}

// tags are those of the module.
var tags = []string{"cudasim", "pooldebug", "poolgen_purego", "pooltrace", "torch"}

var packageClause = regexp.MustCompile(`(?m)^package \w`)

// ofReaders are packages that pages assume readers have.
var ofReaders = []string{"./cmd/server", "./pools"}

// judgeRun checks a program of the module that is built and run.
func judgeRun(dir string, packages, args []string) string {
	if len(packages) == 0 {
		return "nothing to run"
	}
	if why := judgePackages(dir, packages, nil, nil); why != "" {
		return why
	}
	pkg := path.Join(dir, packages[0])
	if pkg == "cmd/poolgen" {
		return judgePoolgen(args)
	}
	return judgeFlags(pkg, args)
}

// judgePackages checks that packages exist, have the tests and benchmarks that are named, and the flags.
func judgePackages(dir string, packages, flags []string, values map[string]string) string {
	for _, p := range packages {
		if !strings.HasPrefix(p, ".") || slices.Contains(ofReaders, p) || p == "." && dir == "" { // the reader's own directory
			continue
		}
		if !inSource(path.Join("./", dir, p), packageClause) {
			return fmt.Sprintf("there is no package %s", p)
		}
		if why := judgeFlags(path.Join(dir, p), flags); why != "" {
			return why
		}
	}
	for _, tag := range strings.FieldsFunc(values["tags"], func(r rune) bool { return r == ',' }) {
		if !slices.Contains(tags, tag) {
			return "there is no tag " + tag
		}
	}
	for name, source := range sources {
		pattern, _, _ := strings.Cut(values[name], "/")
		if pattern == "" || pattern == "^$" {
			continue
		}
		for _, alternative := range strings.Split(pattern, "|") {
			chosen, err := regexp.Compile(alternative)
			if err != nil {
				return err.Error()
			}
			if !anyMatch(dir, packages, regexp.MustCompile(source), chosen) {
				return fmt.Sprintf("-%s %s chooses nothing in %s", name, alternative, strings.Join(packages, " "))
			}
		}
	}
	return ""
}

// anyMatch reports whether a pattern matches a function of the tests of packages.
func anyMatch(dir string, packages []string, source, chosen *regexp.Regexp) bool {
	for _, p := range packages {
		pkg, deep := strings.CutSuffix(path.Join(dir, p), "...")
		pattern := filepath.Join(root, pkg, "*_test.go")
		files, _ := filepath.Glob(pattern)
		if deep || slices.Contains(ofReaders, p) {
			return true // the pattern matches in at least one package
		}
		for _, file := range files {
			text, _ := os.ReadFile(file)
			for _, m := range source.FindAllSubmatch(text, -1) {
				if chosen.Match(m[1]) {
					return true
				}
			}
		}
	}
	return len(packages) == 0
}
