package spec

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Findings about more than one pool, and about the file itself.
func TestFindingsAboutTheFile(t *testing.T) {
	for name, test := range map[string]struct{ src, want string }{
		"nothing":              {"version: 1\n", "1:1: PG013: the file has no pools"},
		"no version":           {"pools: [{name: A}]\n", "1:1: PG013: the file has no version"},
		"a list":               {"- version: 1\n", "1:1: PG011: the file is a block of keys, and this is a list"},
		"a word":               {"version\n", "1:1: PG011"},
		"quoted version":       {"version: \"1\"\npools: [{name: A}]\n", "1:10: PG017"},
		"directive":            {"# 1\n\n%YAML  1.2 # 2\n%TAG ! x:\n---\nversion: 1\npools: [{name: A, doc: \"a\\n%YAML 1.2\"}]\n", ""},
		"directive of 1.1":     {"%YAML 1.1\n---\nversion: 1\npools: [{name: A}]\n", ""},
		"directive twice":      {"%YAML 1.2\n%YAML 1.2\n---\nversion: 1\n", "1:1: PG003: this line is a directive of YAML, "},
		"directive of 1.3":     {"# 1\n%YAML 1.3\n---\nversion: 1\n", "2:1: PG003: this line is a directive of YAML, "},
		"directive unknown":    {"%FOO\n---\nversion: 1\n", "1:1: PG003: this line is a directive of YAML, "},
		"directive unended":    {"%YAML 1.2\nversion: 1\n", "1:1: PG003: this line is a directive of YAML, "},
		"directive below":      {"version: 1\n%YAML 1.2\npools: [{name: A}]\n", "2:1: PG003: this line is a directive of YAML, "},
		"no pools":             {"version: 1\npools: []\n", "2:8: PG013: the list of pools is empty"},
		"null pools":           {"version: 1\npools:\n", "2:1: PG011: pools has no value"},
		"not a pool":           {"version: 1\npools: [Vertex, {name: A}]\n", "2:9: PG011: pool 1 of the list: a pool is a block of keys"},
		"empty entry":          {"version: 1\npools:\n  -\n  - name: A\n", "3:3: PG011: pool 1 of the list: a pool has no value"},
		"no name":              {"version: 1\npools:\n  - item: int32\n  - doc: x\n", "3:5: PG013: pool 1 of the list: a pool needs a name|4:5: PG013: pool 2 of the list: a pool needs a name"},
		"list of one pool":     {"version: 1\npools: {name: A}\n", "2:8: PG011: pools is a list"},
		"package":              {"version: 1\npackage: func\npools: [{name: A}]\n", `2:10: PG018: package "func" is a keyword of Go`},
		"test package":         {"version: 1\npackage: a_test\npools: [{name: A}]\n", "2:10: PG018"},
		"blank package":        {"version: 1\npackage: _\npools: [{name: A}]\n", "2:10: PG018"},
		"absolute output":      {"version: 1\noutput: /tmp\npools: [{name: A}]\n", "2:9: PG019"},
		"drive output":         {"version: 1\noutput: 'C:/x'\npools: [{name: A}]\n", "2:9: PG019"},
		"climbing output":      {"version: 1\noutput: a/../../b\npools: [{name: A}]\n", "2:9: PG019"},
		"backslash output":     {"version: 1\noutput: a\\b\npools: [{name: A}]\n", "2:9: PG019"},
		"inner output":         {"version: 1\noutput: a/../b/\npools: [{name: A}]\n", ""},
		"defaults name":        {"version: 1\ndefaults: {name: A}\npools: [{name: B}]\n", "2:18: PG029: defaults: name is different for every pool"},
		"defaults unknown":     {"version: 1\ndefaults: {limt: 1, limit: x}\npools: [{name: B}, {name: C}]\n", "2:12: PG010: defaults: unknown key|2:28: PG015: defaults: limit \"x\""},
		"defaults empty":       {"version: 1\ndefaults: {}\npools: [{name: B}]\n", ""},
		"defaults rule":        {"version: 1\ndefaults: {chunk_size: 4MiB, limit: 1MiB}\npools: [{name: B}, {name: C}]\n", `2:37: PG033: pool "B": limit 1MiB`},
		"defaults item":        {"version: 1\nimports: {m: a/b}\ndefaults: {item: m.T}\npools: [{name: B}, {name: C, item: string}]\n", `4:36: PG027: pool "C": `},
		"defaults fallback":    {"version: 1\ndefaults: {fallback: [host]}\npools: [{name: B, allocator: pinned}, {name: C}]\n", ""},
		"defaults fallbacks":   {"version: 1\ndefaults: {fallback: [device]}\npools: [{name: B, allocator: device_async}, {name: C, allocator: pinned}]\n", `2:23: PG048: pool "C": fallback device hands out other Go types than allocator pinned`},
		"defaults driver_pool": {"version: 1\ndefaults: {driver_pool: {max_size: 1GiB}}\npools: [{name: B, allocator: device_pool}]\n", ""},
		"defaults driver":      {"version: 1\ndefaults: {driver_pool: {max_size: 1GiB, handles: x}}\npools: [{name: B}]\n", `2:51: PG012: defaults: handles "x" is not known`},
		"defaults no driver":   {"version: 1\ndefaults: {driver_pool: {}}\npools: [{name: B}]\n", "2:25: PG011: defaults: driver_pool is empty"},
		"defaults numbers":     {"version: 1\ndefaults: {soft_limit: 1MiB, min_split: 1KiB}\npools: [{name: B, allocator: none}]\n", ""},
		"lender alignment":     {"version: 1\npools: [{name: A, item: int32, alignment: 4, on_exhausted: [\"pool:B\"]}, {name: B, item: int32}]\n", ""},
		"lender aligned":       {"version: 1\npools: [{name: A, item: int32, alignment: 8, on_exhausted: [\"pool:B\"]}, {name: B, item: int32}]\n", `2:61: PG042: pool "A": on_exhausted cannot borrow from pool "B": its alignment is 4B, and this pool promises 8B`},
		"lender unknown":       {"version: 1\npools: [{name: A, item: T, alignment: 8, on_exhausted: [\"pool:B\"]}, {name: B, item: T}]\n", `2:57: PG042: pool "A": on_exhausted cannot borrow from pool "B": its alignment is that of the item, and this pool promises 8B`},
		"budget":               {"version: 1\nbudgets: [{name: X}, {limit: 1MiB}, {name: b_, limit: 1}, {name: X, limit: 1MiB}]\npools: [{name: B}]\n", `2:11: PG013: budget "X": limit is missing|2:22: PG013: budget: a budget needs a name|2:44: PG022: budget: name "b_" has an underscore|2:66: PG023: budget "X": another budget`},
		"budget sum":           {"version: 1\nbudgets: [{name: X, limit: 10MiB}]\ndefaults: {budget: X, prime: 8MiB}\npools: [{name: B}, {name: C}]\n", `2:28: PG034: budget "X": limit 10MiB is less than its pools reserve when they are created, 16MiB`},
		"budget none":          {"version: 1\nbudgets: [{name: X, limit: 10MiB}]\ndefaults: {budget: X, prime: 8MiB}\npools: [{name: B}, {name: C, budget: none}]\n", ""},
		"budget named none":    {"version: 1\nbudgets: [{name: none, limit: 10MiB}]\npools: [{name: B, budget: none}]\n", `2:18: PG022: budget: the name none stands for no budget`},
		"host budget":          {"version: 1\nbudgets: [{name: X, limit: 1GiB}]\ndefaults: {allocator: device_virtual, suballocator: heap, limit: 512MiB, sleep: {prime: true, budget: X}}\npools: [{name: B}, {name: C}]\n", ""},
		"host budget sum":      {"version: 1\nbudgets: [{name: X, limit: 1GiB}]\ndefaults: {allocator: device_virtual, suballocator: heap, limit: 512MiB, sleep: {backing: staged, prime: true, budget: X}}\npools: [{name: B}, {name: C}]\n", `2:28: PG034: budget "X": limit 1GiB is less than its pools reserve when they are created, 1280MiB`},
		"budget chunk":         {"version: 1\nbudgets: [{name: X, limit: 1MiB}]\npools: [{name: B, budget: X}]\n", ""},
		"budget tiny":          {"version: 1\nbudgets: [{name: X, limit: 1000}]\npools: [{name: B, budget: X}]\n", `2:28: PG036: budget "X": limit 1KB is below one chunk of pool "B", 4KiB`},
		"same name":            {"version: 1\npools: [{name: B}, {name: B}]\n", "2:27: PG023: pool \"B\": another pool has the same name"},
		"same file":            {"version: 1\npools: [{name: AbC}, {name: Ab_C}]\n", "2:29: PG023: pool \"Ab_C\": its files would have the same names as those of pool \"AbC\" (ab_c_pool.go)"},
		"generated names":      {"version: 1\npools: [{name: NodeRef}, {name: Node}, {name: NodeOn}]\n", "2:33: PG023: pool \"Node\": it collides with pool \"NodeRef\"|2:47: PG023: pool \"NodeOn\""},
		"name":                 {"version: 1\npools: [{name: foo-bar}, {name: 2D}, {name: Ünit}, {name: type}, {name: 5}, {name: [A]}]\n", "2:16: PG022|2:33: PG022|2:59: PG022|2:73: PG022|2:84: PG011"},
		"long name":            {"version: 1\npools: [{name: A" + strings.Repeat("b", 90) + "}]\n", "2:16: PG022"},
		"lender":               {"version: 1\npools: [{name: A, item: int8, on_exhausted: [\"pool:B\"]}, {name: B, item: int8, concurrency: none}]\n", "2:46: PG042: pool \"A\": on_exhausted cannot borrow from pool \"B\": it has concurrency none"},
		"lender memory":        {"version: 1\npools: [{name: A, on_exhausted: [\"pool:B\"]}, {name: B, allocator: device}]\n", "2:34: PG042: pool \"A\": on_exhausted cannot borrow from pool \"B\": its memory is of kind device"},
		"lender numbers":       {"version: 1\npools: [{name: A, allocator: none, on_exhausted: [\"pool:B\"]}, {name: B, allocator: none}]\n", "2:51: PG040: pool \"A\": the rung pool can do nothing here: numbers stay with the pool that tracks them"},
		"drain nothing":        {"version: 1\npools: [{name: A, on_exhausted: [drain]}]\n", "2:34: PG040: pool \"A\": the rung drain can do nothing here: ordering sync has no pending frees to wait for"},
		"drain for a time":     {"version: 1\npools: [{name: A, allocator: device, on_exhausted: [{drain: 1s}]}]\n", "2:53: PG011: pool \"A\": a rung is a single value, and this is a block of keys"},
		"lender form":          {"version: 1\npools: [{name: A, on_exhausted: [\"pool:B\"]}, {name: B, item: byte}]\n", "2:34: PG042"},
		"lender circle":        {"version: 1\ndefaults: {on_exhausted: [\"pool:A\", error]}\npools: [{name: A}, {name: B}]\n", "2:27: PG043: pool \"A\": pools borrow in a circle: A -> A"},
		"imports":              {"version: 1\nimports: {type: a/b, m: /x, n: ../x, o: 'a b', p: a/b, q: a/b, sync: my/sync, r: a//b, s: C}\npools: [{name: A}]\n", "2:11: PG020|2:25: PG020|2:32: PG020|2:41: PG020|2:51: PG020|2:59: PG020|2:64: PG020|2:82: PG020|2:91: PG020"},
		"imports kind":         {"version: 1\nimports: [a/b]\npools: [{name: A}]\n", "2:10: PG011"},
		"imports std":          {"version: 1\nimports: {time: time, atomic: sync/atomic}\npools: [{name: A, item: time.Duration}, {name: B, item: atomic.Int64}]\n", ""},
		"qualifier typo":       {"version: 1\nimports: {mesh: a/b}\npools: [{name: A, item: mseh.T}, {name: B, item: mesh.T}]\n", "3:25: PG028"},
	} {
		t.Run(name, func(t *testing.T) {
			_, found := check(t, test.src, "")
			want := strings.Split(test.want, "|")
			if test.want == "" {
				want = nil
			}
			if !compare(t, found, want) {
				t.Log("\n" + found.Text(false))
			}
		})
	}
}

// A condition is checked, and a file that no build has together with the output does not count.
func TestBuildTags(t *testing.T) {
	for text, want := range map[string]string{
		"cuda": "//go:build !generate && cuda", `"a || b"`: "//go:build !generate && (a || b)", `"!windows"`: "//go:build !generate && !windows", "go1.26 && (a||!b)": "//go:build !generate && go1.26 && (a || !b)",
		`""`: "PG055", "a b": "PG055", "a,b": "PG055", "a &&": "PG055", `"a\nb"`: "PG055", "a && !a": "PG055", "generate": "PG055", "[a]": "PG011", "!windows": "PG",
	} {
		plan, found := check(t, "version: 1\nbuild_tags: "+text+"\npools: [{name: A, item: int32}]\n", "")
		switch {
		case plan == nil:
			if found := found.Text(false); !strings.HasPrefix(found, "poolgen.yaml:2:13: "+want) {
				t.Errorf("%s: %s", text, found)
			}
		case plan.BuildLine() != want:
			t.Errorf("%s: %s, want %s", text, plan.BuildLine(), want)
		}
	}
	files := fstest.MapFS{}
	for name, condition := range map[string]string{"Never": "!cuda", "Windows": "windows && !linux", "Both": "cuda || linux", "Other": "other"} {
		files[name+".go"] = &fstest.MapFile{Data: []byte("//go:build " + condition + "\n\npackage scene\n\nfunc " + name + "() {}\n")}
	}
	doc, _ := Load("poolgen.yaml", []byte("version: 1\nbuild_tags: cuda && linux\npools: []\n"))
	env, err := ScanDir(files, doc.BuildTags(), nil)
	if err != nil || env.Package != "scene" || len(env.Decls) != 2 || env.Decls["Both"] == "" || env.Decls["Other"] == "" {
		t.Errorf("%+v, %v", env, err)
	}
}

// Hand-written declarations are found by parsing, also in files that do not compile.
func TestDeclarationsAreFoundByParsing(t *testing.T) {
	files := fstest.MapFS{
		"a.go":        {Data: []byte("package scene\n\ntype (\n\tA struct{}\n\tB = int\n)\n\nvar c, _ = 1, 2\nconst D = 1\nfunc E() {}\nfunc (A) F() {}\nfunc init() {}\n")},
		"broken.go":   {Data: []byte("package scene\n\ntype G int\nfunc H( {\n")},
		"gen.go":      {Data: []byte("//go:build ignore\n\npackage main\n\nfunc main() {}\n")},
		"linux.go":    {Data: []byte("//go:build linux\n\npackage scene\n\nfunc I() {}\n")},
		"a_test.go":   {Data: []byte("package scene_test\n\nfunc J() {}\n")},
		"b_test.go":   {Data: []byte("package scene\n\nfunc K() {}\n")},
		"ours.go":     {Data: []byte("// mark\npackage scene\n\nfunc L() {}\n")},
		"_x.go":       {Data: []byte("package x\n\nfunc M() {}\n")},
		"l_tools.go":  {Data: []byte("//go:build tools\n\npackage tools\n\nfunc O() {}\n")},
		"0_tools.go":  {Data: []byte("//go:build tools\n\npackage tools\n\nfunc P() {}\n")},
		"tag.go":      {Data: []byte("//go:build mine\n\npackage scene\n\nfunc Q() {}\n")},
		"text.txt":    {Data: []byte("package x")},
		"sub/deep.go": {Data: []byte("package sub\n\nfunc N() {}\n")},
	}
	env, err := ScanDir(files, nil, func(name string, src []byte) bool { return strings.HasPrefix(string(src), "// mark") })
	if err != nil {
		t.Fatal(err)
	}
	if env.Package != "scene" || env.PackageAt != "a.go:1:9" {
		t.Errorf("package %s at %s", env.Package, env.PackageAt)
	}
	want := map[string]string{"A": "a.go:4:2", "B": "a.go:5:2", "c": "a.go:8:5", "D": "a.go:9:7", "E": "a.go:10:6", "G": "broken.go:3:6", "H": "broken.go:4:6", "I": "linux.go:5:6", "K": "b_test.go:3:6", "Q": "tag.go:5:6"}
	for name, at := range want {
		if env.Decls[name] != at {
			t.Errorf("%s: got %q, want %q", name, env.Decls[name], at)
		}
	}
	if len(env.Decls) != len(want) {
		t.Errorf("got %v", env.Decls)
	}
	// An external test names its package, if no file of the package does.
	test, tools := &fstest.MapFile{Data: []byte("package scene_test\n\nfunc A() {}\n")}, &fstest.MapFile{Data: []byte("//go:build tools\n\npackage tools\n")}
	for want, files := range map[string]fstest.MapFS{
		"":                {},
		"scene a_test.go": {"a_test.go": test}, "scene z_test.go": {"a.go": tools, "z_test.go": test}, "tools a.go": {"a.go": tools},
		"scene b.go": {"a_test.go": test, "b.go": {Data: []byte("package scene\n")}},
	} {
		env, err := ScanDir(files, nil, nil)
		at, _, _ := strings.Cut(env.PackageAt, ":")
		if got := strings.TrimSpace(env.Package + " " + at); err != nil || got != want || len(env.Decls) > 0 {
			t.Errorf("got %s, want %s: %+v, %v", got, want, env, err)
		}
	}
}

// Only names that the pool's settings generate collide with hand-written ones.
func TestOnlyGeneratedNamesCollide(t *testing.T) {
	hand := "package scene\n\ntype NodeID uint64\nfunc AllocNode() {}\n"
	if _, found := check(t, "version: 1\npools: [{name: Node, package_functions: false, item: int32}]\n", hand); len(found) > 0 {
		t.Error(found.Text(false))
	}
	_, found := check(t, "version: 1\npools: [{name: Node, allocator: none}]\n", hand)
	compare(t, found, []string{"2:16: PG024: pool \"Node\": AllocNode and NodeID would be generated, and the output directory declares them already"})
	if notes := found[0].Notes; len(notes) != 2 || notes[1].Message != "NodeID is declared here: hand.go:3:6" {
		t.Errorf("%+v", notes)
	}
	_, found = check(t, "version: 1\nimports: {NodeID: a/b, NodePool: a/c}\npools: [{name: Node, item: NodePool.T}, {name: X, item: NodeID.T}]\n", hand)
	compare(t, found, []string{"2:11: PG024: qualifier \"NodeID\"", "3:16: PG023: pool \"Node\": NodePool would be generated, and it is the name of an import"})
	plan, found := check(t, "version: 1\npools: [{name: Node}]\n", "package main\n")
	if plan == nil || plan.Package != "main" {
		t.Error(plan, found.Text(false))
	}
}

func TestFileStem(t *testing.T) {
	for name, want := range map[string]string{
		"Vertex": "vertex", "VertexBuffer": "vertex_buffer", "URLTable": "url_table", "HTTPServer2": "http_server2", "Vec3f": "vec3f",
		"Ab_C": "ab_c", "ÄrgerÜber": "ärger_über", "A": "a", "AB": "ab", "IDs": "i_ds",
	} {
		if got := FileStem(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
