package docs

import (
	"slices"
	"strings"
	"testing"
)

// Each kind of mistake that a page can have is found, at its line.
func TestMistakesAreFound(t *testing.T) {
	w := newWorld(t)
	tests := []struct {
		name, page string
		line       int
		want       string
	}{
		{"key", "```yaml\nversion: 1\npools:\n  - name: Vertex\n    itm: float32\n```", 5, "PG010"},
		{"value in a part", "Text\n\n```yaml\n    allocator: pined\n```", 4, "PG012"},
		{"part of a pool", "```yaml\nallocator: device\nsuballocator: bump\nalignment: 3\n```", 4, "PG032"},
		{"function", "```go\nv, err := AllocVertx()\n```", 2, "undefined: AllocVertx"},
		{"type", "```go\nimport \"fmt\"\n\nvar old Vertex\n\nfunc Show() { fmt.Println(FreeVertex(&old, 1)) }\n```", 6, "too many arguments"},
		{"syntax", "```go\nif err != nil {\n```", 2, "expected"},
		{"import", "```go\nimport \"github.com/poolgen/poolgen/pool\"\n```", 2, "could not import"},
		{"command", "```\npoolgen genrate\n```", 2, "unknown command"},
		{"flag", "Run `poolgen replay poolgen.yaml --tracefile x`.", 1, "unknown flag"},
		{"value of a flag", "```sh\ngo tool poolgen tune --rounds many --trace x\n```", 2, "invalid argument"},
		{"program", "```\ngo -C tests/pools run ./bnch\n```", 2, "no package"},
		{"flag of a program", "`go -C tests/pools run ./bench -thread`", 1, "no flag -thread"},
		{"flag of a program that was built", "`taskset -c 7 ./bench -turn 15`", 1, "no flag -turn"},
		{"benchmark", "`go test -run '^$' -bench Quisce ./runtime/poolimpl`", 1, "chooses nothing"},
		{"flag of a test", "`go test ./tests/residual -residual.most`", 1, "no flag -residual.most"},
		{"flag of a test in another directory", "`go -C tests/pools test ./sharded -soaked 9`", 1, "no flag -soaked"},
		{"package of generated pools", "`go test ./tests -pools '-tags cudasim ./stream'`", 1, "no package ./stream"},
		{"command behind another", "```\ngo build ./cmd/poolgen && poolgen chek\n```", 2, "unknown command"},
		{"step", "`.ci/run vett`", 1, "no step"},
		{"file", "See [it](docs/none.md).", 1, "does not exist"},
		{"text of a link", "See\n[`cmd/docs`](cmd/poolgen/internal/docs).", 2, "is not the target's path"},
		{"file in the text of a link", "# Drei Wörter\n\n`ä` and [gone.md](README.md#drei-wörter).", 3, "is not the target's path"},
		{"pools that nothing generates", "Run `go -C tests/pools run ./bench -threads`.", 1, "writes the pools first"},
		{"heading", "# One\n\nSee [it](#two).", 3, "no heading #two"},
		{"name", "Call `poolrt.Explane(err)`.", 1, "no poolrt.Explane"},
		{"method", "Call `cuda.Device.MemoryInfo`.", 1, "no cuda.Device.MemoryInfo"},
		{"generated name", "Call\n`AllocFooIn(n, s)`.", 2, "no pool Foo has AllocFooIn"},
		{"path", "a key: `spec/keys_pools.go`", 1, "no file"},
		{"name of package runtime", "Call\n`runtime.Explane`.", 2, "no runtime.Explane"},
		{"method of package runtime", "See `runtime.Stats.Lived`.", 1, "no runtime.Stats.Lived"},
		{"test", "Held by `FuzzNothing`.", 1, "no FuzzNothing"},
		{"tag", "`go test -tags pooldebug,cudasmi ./cuda`", 1, "no tag cudasmi"},
		{"one of two tests", "`go test -run 'Levels|Nothing' ./cmd/poolgen/internal/docs`", 1, "chooses nothing"},
		{"package without code", "`go test ./docs`", 1, "no package"},
		{"diagnostic", "Text\n\nThis is PG999.", 3, "no diagnostic PG999"},
		{"diagnostic in a block", "```\npoolgen explain PG999\n```", 2, "no diagnostic PG999"},
		{"block without an end", "Text\n\n```\npoolgen check\n", 3, "has no end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPage("README.md", tt.page+"\n")
			found := judge(t, w, p)
			if len(found) == 0 {
				t.Fatal("nothing was found")
			}
			if f := found[0]; f.line != tt.line || !strings.Contains(f.text, tt.want) {
				t.Errorf("found %v, want line %d and %q", f, tt.line, tt.want)
			}
		})
	}
}

// judge checks a page in all ways.
func judge(t *testing.T, w *world, p *page) []problem {
	var found []problem
	var code []*block
	for i := range p.blocks {
		switch b := &p.blocks[i]; b.language {
		case "yaml":
			found = append(found, judgeYAML(b)...)
		case "go":
			code = append(code, b)
		}
	}
	if code != nil {
		found = append(found, w.judgeGoBlocks(p.example(), code)...)
	}
	for _, c := range commands(p) {
		if why := judgeCommand(c); why != "" {
			found = append(found, problem{p.path, c.line, why})
		}
	}
	_, paths := judgePaths(p)
	_, names := w.judgeNames(p)
	_, tests := judgeTests(t, p)
	return slices.Concat(found, judgeGenerated(p), judgeFences(p), judgeLinks(p, nil), paths, names, tests, judgeCodes(p))
}
