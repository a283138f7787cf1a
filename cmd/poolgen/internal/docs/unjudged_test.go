package docs

import (
	"strings"
	"testing"
)

// notJudged lists the blocks that no test checks, by page and the beginning of their first line.
var notJudged = []struct{ page, begins, reason string }{
	{"docs/diagnostics.md", "# sqlc.yaml", "the configuration of another generator"},
	{"docs/diagnostics.md", "# gqlgen.yml", "the configuration of another generator"},
	{"docs/diagnostics.md", "# buf.yaml", "the configuration of another generator"},
	{"docs/diagnostics.md", "poolgen.yaml:5:12: PG015", shownDiagnostic},
	{"docs/behaviour.md", "Pool scene.Text", "the text of an error, which the tests of package runtime look at"},
	{"docs/behaviour.md", "./vertex_pool.go:20:9", "what the Go compiler prints"},
	{"docs/debugging.md", "poolgen: scene.Vertex: free", "the text of an error, which tests/pools/debugging looks at"},
	{"docs/guards.md", "panic: runtime error", "what a program prints that ends with a fault, which tests/pools/guards looks at"},
	{"docs/internals.md", "poolgen.yaml", "a drawing"},
	{"tests/schedules/README.md", "{Name: \"three threads", "a line of a table in Go, which tests/schedules explores"},
	{"docs/vet.md", "subject         right", "a table, which the tests of vet compare with their golden file"},
	{"docs/kernels.md", "// mesh.Vertex of example.com", "C, as the tests of cheader compile it"},
	{"docs/kernels.md", "#include \"hit_pool.h\"", "CUDA C++, as tests/pools/gpu/testdata has it"},
	{"docs/kernels.md", "#include \"leaf_pool.h\"", "CUDA C++, as tests/pools/gpu/testdata has it"},
	{"docs/ci.md", "name: pools", "a workflow of GitHub"},
	{"docs/cluster.md", "apiVersion", "a job of Kubernetes, which the tests of tests/cluster look at"},
	{"docs/cluster.md", "mkdir -p out", "a script for Slurm, which the tests of tests/cluster run"},
	{"README.md", "package main", "a program, which tests/newcomer builds and runs"},
	{"docs/install.md", "tool github.com/poolgen", "a part of go.mod, at which tests/newcomer looks"},
	{"docs/tutorial.md", "", "tests/newcomer does what the whole page says"},
	{"docs/observing.md", "import poolprom", "a module of its own, which this one does not require; its example is the same"},
	{"docs/adapters.md", "buffers := NewTextBuffers", onlyInModule},
	{"docs/adapters.md", "allocator := NewTextAllocator", onlyInModule},
	{"docs/other-languages.md", "allocator = torch", inPython},
	{"docs/other-languages.md", "import cupy", "a library that there is no test with"},
	{"docs/other-languages.md", "rmm::mr", "a library that there is no test with"},
	{"docs/other-languages.md", "#include \"poolgen.h\"", inC},
	{"generated_examples/torch/README.md", "allocator = torch", inPython},
	{"generated_examples/torch/README.md", "char *buffer", inC},
	{"generated_examples/grpcserver/README.md", "var buffers = ", onlyInModule},
	{"generated_examples/sqlite/README.md", "func malloc(", onlyInModule},
}

const onlyInModule = "calls of a module that this one does not require; the tests of tests/adapters and of the example make them"

const (
	inC      = "C, as testdata/client.c of the example calls it in its tests"
	inPython = "Python, as train.py of the example has it"
)

const shownDiagnostic = "a diagnostic, of which cmd/poolgen/internal/cli/testdata/mistakes has one for each rule"

// unjudged returns why a block is not judged, or "" if it must be.
func unjudged(b *block) string {
	for _, n := range notJudged {
		if n.page == b.page.path && strings.HasPrefix(b.first(), n.begins) {
			return n.reason
		}
	}
	return ""
}

// Every block is either in a language that a test judges, or in the table. The table has no unused entry.
func TestEveryBlockIsJudged(t *testing.T) {
	used := make(map[string]bool)
	for _, p := range pages(t) {
		report(t, judgeFences(p))
		for i := range p.blocks {
			b := &p.blocks[i]
			if why := unjudged(b); why != "" {
				used[b.page.path+b.first()] = true
				continue
			}
			if b.language != "yaml" && b.language != "go" && len(commandsOf(b)) == 0 {
				t.Error(b.at(0, "no test judges this block, and the table notJudged does not say why: %q", b.first()))
			}
		}
	}
	for _, n := range notJudged {
		there := false
		for key := range used {
			there = there || strings.HasPrefix(key, n.page+n.begins)
		}
		if !there {
			t.Errorf("%s has no block that begins with %q", n.page, n.begins)
		}
	}
}

// judgeFences looks for a block without an end.
func judgeFences(p *page) []problem {
	if p.open == 0 {
		return nil
	}
	return []problem{{p.path, p.open, "the block has no end"}}
}
