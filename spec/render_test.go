package spec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

const duplicated = "version: 1\npools:\n  - {name: Foo, chunk_size: 1 kib, limit: 1MiB, limit: 2%}\n"

func TestFindingsInEachFormat(t *testing.T) {
	_, found := check(t, duplicated, "")
	for format, want := range map[string]string{
		"text": `poolgen.yaml:3:29: PG015: pool "Foo": chunk_size "1 kib" is not a size
    3 |   - {name: Foo, chunk_size: 1 kib, limit: 1MiB, limit: 2%}
      |                             ^~~~~
help: write 1KiB

poolgen.yaml:3:49: PG005: the key "limit" is set twice
    3 |   - {name: Foo, chunk_size: 1 kib, limit: 1MiB, limit: 2%}
      |                                                 ^~~~~
help: remove one of them
note: poolgen.yaml:3:36: first set here
    3 |   - {name: Foo, chunk_size: 1 kib, limit: 1MiB, limit: 2%}
      |                                    ^~~~~
`,
		"json": `{"code":"PG015","file":"poolgen.yaml","line":3,"column":29,"end_line":3,"end_column":34,"message":"pool \"Foo\": chunk_size \"1 kib\" is not a size","help":"write 1KiB"}
{"code":"PG005","file":"poolgen.yaml","line":3,"column":49,"end_line":3,"end_column":54,"message":"the key \"limit\" is set twice","help":"remove one of them","notes":[{"file":"poolgen.yaml","line":3,"column":36,"message":"first set here"}]}
`,
		"github": `::error file=poolgen.yaml,line=3,endLine=3,col=29,endColumn=34,title=PG015::pool "Foo": chunk_size "1 kib" is not a size%0Ahelp: write 1KiB
::error file=poolgen.yaml,line=3,endLine=3,col=49,endColumn=54,title=PG005::the key "limit" is set twice%0Ahelp: remove one of them%0Anote: poolgen.yaml:3:36: first set here
`,
	} {
		var out bytes.Buffer
		if err := found.Write(&out, format, false); err != nil || out.String() != want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", format, err, out.String(), want)
		}
	}
	if err := found.Write(&bytes.Buffer{}, "xml", false); err == nil || !strings.Contains(err.Error(), "sarif") {
		t.Errorf("unknown format: %v", err)
	}
}

// A SARIF log is valid JSON, has a rule for each result, and is written for no findings, too.
func TestSARIFHasARuleForEachResult(t *testing.T) {
	_, found := check(t, duplicated, "")
	for _, ds := range []Diagnostics{found, nil} {
		var log sarifLog
		fatal.If(t, json.Unmarshal([]byte(ds.SARIF()), &log))
		if run := log.Runs[0]; len(run.Results) != len(ds) || run.Results == nil || len(run.Tool.Driver.Rules) != len(Codes()) {
			t.Errorf("%d results, %d rules", len(run.Results), len(run.Tool.Driver.Rules))
		}
	}
}

// File names in a SARIF log are URIs.
func TestSARIFWritesFilesAsURIs(t *testing.T) {
	_, found := Load("my pools/50%.yaml", nil)
	var log sarifLog
	fatal.If(t, json.Unmarshal([]byte(found.SARIF()), &log))
	if got := log.Runs[0].Results[0].Locations[0].Physical.Artifact.URI; got != "my%20pools/50%25.yaml" {
		t.Errorf("got %s", got)
	}
}

// Colour adds only escape sequences, and no control character of a file reaches a terminal.
func TestColorAddsEscapesAndNoOthersPass(t *testing.T) {
	_, found := check(t, duplicated, "")
	text := found.Text(true)
	for _, code := range []string{"\x1b[1m", "\x1b[1;31m", "\x1b[34m", "\x1b[0m"} {
		if !strings.Contains(text, code) {
			t.Errorf("no %q", code)
		}
		text = strings.ReplaceAll(text, code, "")
	}
	if text != found.Text(false) {
		t.Errorf("got\n%s", text)
	}
	_, found = check(t, "a: \x1b]0;x\x07", "")
	_, named := Load("\x1b]0;x\x07.yaml", nil)
	for _, text := range []string{found.Text(false), named.Text(false)} {
		if strings.ContainsAny(text, "\x1b\x07") {
			t.Errorf("escape sequences get through: %q", text)
		}
	}
}

// The mark is under the value, also in long lines, after tabs and beside wide characters.
func TestMarkStandsUnderTheValue(t *testing.T) {
	long := "version: 1\npools: [{name: Foo, doc: '" + strings.Repeat("é", 300) + "', limit: 1kb, tests:\ttrue, stats: on}]\n"
	_, found := check(t, long, "")
	if len(found) != 2 {
		t.Fatal(found.Text(false))
	}
	for i, value := range []string{"1kb", "on"} {
		lines := strings.Split(found[i].Text(false), "\n")
		excerpt, mark := []rune(lines[1]), []rune(lines[2])
		at := strings.Index(string(mark), "^")
		if len(excerpt) > 140 || string(excerpt[at:at+len(value)]) != value || strings.Count(string(mark), "~") != len(value)-1 {
			t.Errorf("%s is not marked:\n%s\n%s", value, string(excerpt), string(mark))
		}
	}
}

func TestExplainTellsValuesAndFacts(t *testing.T) {
	src := "version: 1\nbudgets: [{name: All, limit: 1MiB}]\ndefaults: {growth: double, fit: best, cache: {bytes: 1MiB, per_bin: 2}, bins: [64, 128]}\npools:\n  - {name: Foo, item: \"[3]float32\", alignment: 64, chunk_size: 10000, budget: All}\n"
	plan, found := check(t, src, "")
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	rows, ok := Explain(plan, "Foo")
	if _, none := Explain(plan, "Bar"); !ok || none {
		t.Fatal("wrong pool")
	}
	got := make(map[string]Row)
	for _, r := range rows {
		got[r.Key] = r
	}
	got["chunks at the limit"] = cmp.Or(got["chunks at the limit"], Row{Key: "chunks at the limit"})
	for _, want := range []Row{
		{"item", "[3]float32", "poolgen.yaml:5:23", ""},
		{"chunk_size", "12KiB", "poolgen.yaml:5:64", "10KB rounded up to a multiple of 4KiB"},
		{"growth", "double", "defaults poolgen.yaml:3:20", ""},
		{"fit", "best", "skipped poolgen.yaml:3:33", "does not apply to suballocator fixed"},
		{"cache", "{bytes: 1MiB, per_bin: 2}", "skipped poolgen.yaml:3:46", "does not apply to suballocator fixed"},
		{"bins", "[64, 128]", "skipped poolgen.yaml:3:79", "does not apply to suballocator fixed"},
		{"concurrency", "mutex", "default", ""},
		{"form", "*[3]float32", "derived", ""},
		{"stride", "64B", "derived", "distance of blocks"},
		{"waste per block", "52B", "derived", "12B of 64B hold the item"},
		{"blocks per chunk", "192", "derived", ""},
		{"chunks at the limit", "", "", ""}, // they double
		{"capacity at the limit", "16384 blocks", "derived", "budget All 1MiB, at most"},
	} {
		if got[want.Key] != want {
			t.Errorf("got  %+v\nwant %+v", got[want.Key], want)
		}
	}
}

// The capacity at the limit includes the last chunk, which gets the rest of the limit if a block fits in it.
func TestExplainCountsTheLastChunk(t *testing.T) {
	for keys, want := range map[string]string{
		"item: uint64; limit: 16MiB":                                            "8MiB with the first chunk, 16MiB at most; 2; 2097152 blocks",
		"item: uint64; limit: 10MiB; chunk_size: 8MiB":                          "8MiB with the first chunk, 10MiB at most; 2; 1310720 blocks",
		"item: uint64; limit: 10MiB; chunk_size: 8MiB; prime: 9MiB":             "10MiB from the start, 10MiB at most; 2; 1310720 blocks",
		"item: uint64; limit: 8389000; chunk_size: 8MiB":                        "8MiB with the first chunk, 8389KB at most; 1; 1048576 blocks",
		"suballocator: fixed; block_size: 3MiB; limit: 10MiB; chunk_size: 4MiB": "4MiB with the first chunk, 10MiB at most; 2; 2 blocks",
		"limit: 10MiB; chunk_size: 8MiB":                                        "8MiB with the first chunk, 10MiB at most; 2; ",
		"item: uint64; limit: 10MiB; chunk_size: 1MiB; growth: double":          "1MiB with the first chunk, 10MiB at most; ; 1310720 blocks",
		"allocator: device_virtual; limit: 16MiB; chunk_size: 2MiB":             "2MiB with the first chunk, 16MiB at most; ; ",
	} {
		plan, found := check(t, poolFile(keys), "")
		if plan == nil {
			t.Fatal(found.Text(false))
		}
		rows, _ := Explain(plan, "Foo")
		got := map[string]string{}
		for _, r := range rows {
			got[r.Key] = r.Text
		}
		if text := strings.Join([]string{got["footprint"], got["chunks at the limit"], got["capacity at the limit"]}, "; "); text != want {
			t.Errorf("{%s}:\n got %s\nwant %s", keys, text, want)
		}
	}
}

// Every value names its origin; a value that the file does not set names the keys that it was computed from.
func TestExplainNamesWhatValuesComeFrom(t *testing.T) {
	src := `version: 1
imports: {mesh: a/mesh}
budgets: [{name: All, limit: 1MiB}]
pools:
  - {name: Local, item: mesh.V, budget: All}
  - {name: Block, item: uint64, alignment: 64}
  - {name: Limited, limit: 100KiB}
  - {name: Usual, suballocator: classes}
  - {name: Number, allocator: none, suballocator: heap}
`
	plan, found := check(t, src, "")
	if plan == nil {
		t.Fatal(found.Text(false))
	}
	for name, want := range map[string][]Row{
		"Local": {
			{"suballocator", "fixed", "derived from item", ""},
			{"block_size", "the size of mesh.V", "derived from item", ""},
			{"chunk_size", "1MiB", "derived from budget All", "all of 1MiB, in whole units of 4KiB"},
			{"waste per block", "stride - size of mesh.V", "derived", "known to the Go compiler only"},
			{"footprint", "1MiB with the first chunk, 1MiB at most", "derived", "budget All"},
			{"driver calls", "none", "derived", "an anonymous mapping (the Go heap under the race detector, and where there is no mmap)"},
		},
		"Block":   {{"block_size", "64B", "derived from item", ""}, {"chunk_size", "8MiB", "default", "the usual size"}},
		"Limited": {{"chunk_size", "100KiB", "derived from limit", "all of 100KiB, in whole units of 4KiB"}, {"min_split", "16B", "derived from alignment", ""}},
		"Usual": {
			{"granule", "16B", "derived", "blocks are rounded up to a multiple of it"},
			{"waste per block", "less than 16B", "derived", "blocks are also rounded up to the next of the bins"},
			{"footprint", "8MiB with the first chunk, without bound after that", "derived", ""},
		},
		"Number": {{"min_split", "1", "default", ""}, {"driver calls", "none", "derived", "numbers are given by Track"}},
	} {
		rows, _ := Explain(plan, name)
		got := make(map[string]Row)
		for _, r := range rows {
			got[r.Key] = r
		}
		for _, w := range want {
			if got[w.Key] != w {
				t.Errorf("%s: got  %+v\nwant %+v", name, got[w.Key], w)
			}
		}
	}
}
