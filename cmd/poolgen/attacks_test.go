//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// attacks lists all attacks.
func attacks() []attack {
	var all []attack
	for _, list := range [][]attack{texts(), names(), poolFiles(), outputs(), neighbours()} {
		all = append(all, list...)
	}
	return all
}

// texts are pool files whose text is refused. Each finding names a place.
func texts() []attack {
	refused := func(name, text, says string) attack {
		return attack{name: "text/" + name, pools: text, code: 1, says: `^poolgen\.yaml:\d+:\d+: PG\d+: .*` + says}
	}
	var bomb strings.Builder
	bomb.WriteString("a: &a [x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'z'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8), c-1)
	}
	var stairs strings.Builder
	for i := range 1000 {
		stairs.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return []attack{
		refused("alias bomb", bomb.String(), "anchors"),
		refused("merge key", "version: 1\ndefaults: &d {limit: 1MiB}\npools:\n  - {name: A, <<: *d}\n", "merge keys"),
		refused("brackets", lines("a: ", "["), "nested deeper"),
		refused("braces", lines("", "{a: "), ""),
		refused("dashes", lines("", "- "), ""),
		refused("staircase", stairs.String(), "nested deeper"),
		refused("question marks", lines("", "? "), ""),
		refused("quotes", lines("[", "' "), ""),
		refused("NUL", "version: 1\npools:\n  - {name: \"A\x00\"}\n", "NUL"),
		refused("escaped NUL", "version: 1\npools:\n  - {name: \"A\\0\"}\n", "not a Go identifier"),
		refused("bad UTF-8", "version: 1\npools:\n  - {name: A, doc: \xff\xfe}\n", "not UTF-8"),
		refused("overlong UTF-8", "version: 1\npools:\n  - {name: A, doc: \xc0\xaf}\n", "not UTF-8"),
		refused("UTF-16", "\xff\xfev\x00e\x00r\x00", "the file holds UTF-16"),
		refused("text from right to left", "version: 1\npools:\n  - {name: A, doc: \u202egnp}\n", "reorders"),
		refused("line separator", "version: 1\npools:\n  - {name: A, doc: a\u2028b}\n", "line separator"),
		refused("carriage return and NUL", "version: 1\r\r\x00", "NUL"),
		refused("same keys", lines("", "a: b\n"), ""),
		refused("many pools", lines("version: 1\npools:\n", "- {name: A, fit: x, limit: 1e3}\n"), ""),
		refused("long item", "version: 1\npools: [{name: A, item: '"+strings.Repeat("[1]", 200_000)+"x'}]\n", ""),
		refused("empty", "\n", "empty"),
	}
}

// names are refused where Go would not accept them, and generated otherwise. tests/property compiles the generated ones.
func names() (all []attack) {
	for _, c := range []struct{ name, text, says string }{
		{"pool func", "pools:\n  - {name: func, item: uint32}\n", "not a Go identifier"},
		{"pool init", "pools:\n  - {name: _init, item: uint32}\n", "has an underscore"},
		{"pool with a path", "pools:\n  - {name: ../../Evil, item: uint32}\n", "not a Go identifier"},
		{"pool with code", "pools:\n  - {name: 'A; func init() { panic(1) }; type B', item: uint32}\n", "not a Go identifier"},
		{"pool with a line", "pools:\n  - {name: \"A\\n//go:linkname x y\", item: uint32}\n", "not a Go identifier"},
		{"package func", "package: func\npools:\n  - {name: A}\n", "package"},
		{"package _", "package: _\npools:\n  - {name: A}\n", "package"},
		{"package with a line", "package: \"p\\nimport `C`\"\npools:\n  - {name: A}\n", "package"},
		{"item with code", "pools:\n  - {name: A, item: 'int; func init() {}'}\n", "item"},
		{"item of a pointer", "pools:\n  - {name: A, item: '*int'}\n", "item"},
		{"import of C", "imports: {q: C}\npools:\n  - {name: A, item: q.T}\n", `"C"`},
		{"import out of the module", "imports: {q: ../../x}\npools:\n  - {name: A, item: q.T}\n", "import"},
		{"import with code", "imports: {q: \"a\\\"; import \\\"os\"}\npools:\n  - {name: A, item: q.T}\n", "import"},
		{"qualifier func", "imports: {func: a/b}\npools:\n  - {name: A, item: func.T}\n", ""},
		{"function with code", "pools:\n  - {name: A, allocator: custom, alloc: 'f(); func init()', free: g}\n", "alloc"},
	} {
		all = append(all, attack{name: "name/" + c.name, pools: "version: 1\n" + c.text, code: 1, says: `^poolgen\.yaml:\d+:\d+: PG\d+: .*` + c.says})
	}
	return all
}

// poolFiles are inputs that are not pool files at all.
func poolFiles() []attack {
	stdin := func(name string) func(world) *os.File {
		return func(w world) *os.File {
			f, err := os.Open(w.path(name))
			w.must(err)
			return f
		}
	}
	pipe := func(w world) *os.File { // which nobody writes to
		r, other, err := os.Pipe()
		w.must(err)
		w.Cleanup(func() { _ = other.Close() })
		return r
	}
	named := func(name string) []string { return []string{"generate", name} }
	return []attack{
		{name: "file/of 600 MiB", prepare: func(w world) { w.sparse("work/poolgen.yaml", good, 600<<20) }, code: 1, says: `^poolgen\.yaml:1:1: PG\d+: the file has more than 1MiB`},
		{name: "file/of 8 TiB", prepare: func(w world) { w.sparse("work/poolgen.yaml", good, 8<<40) }, code: 1, says: `^poolgen\.yaml:1:1: PG\d+: the file has more than 1MiB`},
		{name: "file/pipe", prepare: func(w world) { w.fifo("work/poolgen.yaml") }, code: 2, says: `poolgen\.yaml is not a regular file`},
		{name: "file/pipe explained", prepare: func(w world) { w.fifo("work/poolgen.yaml") }, args: []string{"explain"}, code: 2, says: `poolgen\.yaml is not a regular file`},
		{name: "file/pipe checked", prepare: func(w world) { w.fifo("work/poolgen.yaml") }, args: []string{"check"}, code: 2, says: `poolgen\.yaml is not a regular file`},
		{name: "file/pipe beside init", prepare: func(w world) { w.fifo("work/poolgen.yaml") }, args: []string{"init"}},
		{name: "file/device", args: named("/dev/zero"), code: 2, says: `not a regular file`},
		{name: "file/link to a device", prepare: func(w world) { w.link("/dev/zero", "work/poolgen.yaml") }, code: 2, says: `poolgen\.yaml is not a regular file`},
		{name: "file/directory", prepare: func(w world) { w.mkdir("work/poolgen.yaml") }, args: named("poolgen.yaml"), code: 2, says: `is a directory`},
		{name: "file/link to nothing", prepare: func(w world) { w.link("nothing", "work/poolgen.yaml") }, args: named("poolgen.yaml"), code: 2, says: `no such file`},
		{name: "file/link to itself", prepare: func(w world) { w.link("poolgen.yaml", "work/poolgen.yaml") }, args: named("poolgen.yaml"), code: 2, says: `poolgen\.yaml`},
		{name: "file/stdin that is a pipe", args: named("/dev/stdin"), stdin: pipe, code: 2, says: `not a regular file`},
		{name: "file/stdin that is a pool file", pools: good, args: named("/dev/stdin"), stdin: stdin("work/poolgen.yaml"), code: 2, says: `only stands for another file`},
		{name: "file/what is open", pools: good, args: named("/proc/self/fd/0"), stdin: stdin("work/poolgen.yaml"), code: 2, says: `only stands for another file`},
		{name: "file/twice", pools: good, args: []string{"generate", "poolgen.yaml", "./poolgen.yaml"}},
	}
}

// outputs are output directories that poolgen refuses to write to.
func outputs() []attack {
	to := func(output string) string {
		return "version: 1\npackage: p\noutput: " + output + "\npools:\n  - {name: Vertex, item: uint32}\n"
	}
	var all []attack
	for _, output := range []string{"../elsewhere", "a/../../elsewhere", "/tmp/hard", "'..'", "a/b/../../../elsewhere", "\"..\\u002felsewhere\"", "\"gen\\0/..\""} {
		all = append(all, attack{name: "output/" + strings.ReplaceAll(output, "/", "|"), pools: to(output), code: 1, says: `^poolgen\.yaml:3:9: PG\d+: .*output`})
	}
	return append(all,
		attack{name: "output/a file", pools: to("gen"), prepare: func(w world) { w.write("work/gen", "mine") }, code: 2, says: `gen`},
		attack{name: "output/below a file", pools: to("gen/deep"), prepare: func(w world) { w.write("work/gen", "mine") }, code: 2, says: `gen`},
		attack{name: "output/a pipe", pools: to("gen"), prepare: func(w world) { w.fifo("work/gen") }, code: 2, says: `gen`},
		attack{name: "output/link out", pools: to("gen"), prepare: func(w world) { w.link("../elsewhere", "work/gen") }, code: 2, says: `links that lead out of .* are not followed`},
		attack{name: "output/absolute link out", pools: to("gen"), prepare: func(w world) { w.link(w.path("elsewhere"), "work/gen") }, code: 2, says: `links that lead out of .* are not followed`},
		attack{name: "output/link out on the way", pools: to("gen/deep/er"), prepare: func(w world) { w.link(w.root, "work/gen") }, code: 2, says: `gen`},
		attack{name: "output/link to nothing outside", pools: to("gen"), prepare: func(w world) { w.link("../new", "work/gen") }, code: 2, says: `gen`},
		attack{name: "output/link to itself", pools: to("gen"), prepare: func(w world) { w.link("gen", "work/gen") }, code: 2, says: `gen`},
		attack{name: "output/link within", pools: to("gen"), prepare: func(w world) { w.mkdir("work/real"); w.link("real", "work/gen") }},
	)
}

// neighbours are files that lie in the output directory already.
func neighbours() []attack {
	const target = "work/vertex_pool.go"
	own := "// Code generated by poolgen from poolgen.yaml. DO NOT EDIT.\n"
	return []attack{
		{name: "target/link to a file outside", pools: good, prepare: func(w world) { w.link("../elsewhere/vertex_pool.go", target) }, code: 2, says: `vertex_pool\.go is not a regular file`},
		{name: "target/link to nothing outside", pools: good, prepare: func(w world) { w.link("../elsewhere/new.go", target) }, code: 2, says: `vertex_pool\.go is not a regular file`},
		{name: "target/pipe", pools: good, prepare: func(w world) { w.fifo(target) }, code: 2, says: `vertex_pool\.go is not a regular file`},
		{name: "target/directory", pools: good, prepare: func(w world) { w.mkdir(target) }, code: 2, says: `vertex_pool\.go is not a regular file`},
		{name: "target/of the user", pools: good, prepare: func(w world) { w.write(target, "package p\n") }, code: 1, says: `PG051: vertex_pool\.go would be generated, and was written by hand`},
		{name: "target/huge", pools: good, prepare: func(w world) { w.sparse(target, own, 8<<30) }, code: 2, says: `vertex_pool\.go has .* move it out`},
		{name: "beside/huge data", pools: good, prepare: func(w world) { w.sparse("work/data.bin", "", 8<<30) }},
		{name: "beside/huge data with our header", pools: good, prepare: func(w world) { w.sparse("work/data.bin", own, 8<<30) }},
		{name: "beside/huge data with our header and a name like ours", pools: good, prepare: func(w world) { w.sparse("work/data_pool.h", own, 8<<30) }, code: 2, says: `data_pool\.h has \d+ bytes`},
		{name: "beside/huge Go file", pools: good, prepare: func(w world) { w.sparse("work/big.go", "package p\n", 8<<30) }, code: 2, says: `big\.go has more than 64MiB`},
		{name: "beside/Go file that is a pipe", pools: good, prepare: func(w world) { w.fifo("work/pipe.go") }},
		{name: "beside/Go file that is a device", pools: good, prepare: func(w world) { w.link("/dev/zero", "work/zero.go") }},
		{name: "beside/lock of an editor", pools: good, prepare: func(w world) { w.link("me@host.1234", "work/lock.go") }},
		{name: "beside/deep directories", pools: good, prepare: func(w world) { w.mkdir("work/" + strings.Repeat("d/", 1500)) }},
		{name: "beside/links in a circle", pools: good, prepare: func(w world) { w.mkdir("work/a"); w.link("..", "work/a/b") }},
		{name: "beside/pipe in an old output directory", pools: good, prepare: func(w world) { w.mkdir("work/old"); w.fifo(filepath.ToSlash("work/old/vertex_pool.go")) }},
	}
}
