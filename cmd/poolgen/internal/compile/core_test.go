package compile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/large"
)

// generated returns the output for a pool file.
func generated(t *testing.T, text string) map[string][]byte {
	t.Helper()
	files, found := Files(t.Context(), planOf(t, text), "poolgen.yaml", "test", nil, nil)
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	return files
}

// coreFiles lists the files of suballocators.
func coreFiles(files map[string][]byte) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "_core.go") {
			names = append(names, name)
		}
	}
	return names
}

// TestChangesStayNear removes a pool, moves it to the end, or renames it. In the files of other pools nothing may change, except the name of a
// suballocator that they share with a pool that was the first to use it. In the file of the package, the list of its pools changes.
func TestChangesStayNear(t *testing.T) {
	const item = "  - name: "
	head, list, _ := strings.Cut(hundred(), item)
	pools := strings.Split(list, item)[:10]
	file := func(pools []string) map[string][]byte { return generated(t, head+item+strings.Join(pools, item)) }
	whole := file(pools)
	for _, i := range []int{0, 4, len(pools) - 1} {
		name, keys, _ := strings.Cut(pools[i], "\n")
		rest := slices.Delete(slices.Clone(pools), i, i+1)
		core := []byte(lower.NamesOf(&spec.Pool{Name: name}).Prefix + "Core")
		for change, after := range map[string]map[string][]byte{"goes": file(rest), "moves": file(append(rest, pools[i])), "is renamed": file(append(rest, "Other"+name+"\n"+keys))} {
			own := lower.FilesOf(&spec.Pool{Name: name, Tests: true})
			for name, text := range whole {
				if now, kept := after[name]; !own.Has(name) && name != lower.PackageFile && (!kept || !bytes.Equal(now, text) && !bytes.Contains(text, core)) {
					t.Errorf("%s changes when pool %s %s", name, own.Pool, change)
				}
			}
		}
	}
}

// TestCoresDiffer compares the suballocators of many pools with all kinds of settings. No two may have the same text under different names: such
// pools could share one.
func TestCoresDiffer(t *testing.T) {
	large.Only(t) // generates hundreds of pools
	var pools strings.Builder
	settings := []string{
		"", "stats: off", "trim: {keep: 0B}", "zero: always", "limit: 1GiB", "alignment: 64", "allocator: device", "allocator: device, ordering: sync",
		"allocator: device_pool, shareable: true", "allocator: device_virtual, limit: 1GiB", "allocator: pinned, ordering: deferred", "growth: double",
	}
	cores := []string{"heap, fit: first"}
	for _, s := range spec.Suballocators() {
		core := string(s)
		if s.Info().OneSize {
			core += ", item: '[3]uint64'"
		}
		cores = append(cores, core)
	}
	for i, core := range cores {
		for j, concurrency := range []string{"none", "mutex", "sharded"} {
			for k, setting := range settings {
				line := fmt.Sprintf("  - {name: P%c%c%c, suballocator: %s, concurrency: %s, %s}\n", 'a'+i, 'a'+j, 'a'+k, core, concurrency, setting)
				doc, _ := spec.Load("poolgen.yaml", []byte("version: 1\npools:\n"+line))
				if _, found := doc.Validate(spec.Env{Dir: "pools"}); len(found) == 0 {
					pools.WriteString(line)
				}
			}
		}
	}
	files := generated(t, "version: 1\npools:\n"+pools.String())
	texts := map[string]string{}
	for _, name := range coreFiles(files) {
		text := anonymous(t, name, files[name])
		if other := texts[text]; other != "" {
			t.Errorf("%s and %s are the same", other, name)
		}
		texts[text] = name
	}
	if len(texts) < 20 {
		t.Errorf("only %d suballocators", len(texts))
	}
}

// anonymous returns a text without the name of its suballocator, and without white space, which depends on the length of the name.
func anonymous(t *testing.T, file string, text []byte) string {
	t.Helper()
	for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '[' || r == '*' }) {
		if strings.HasSuffix(word, "Core") && spec.FileStem(word)+".go" == file {
			return strings.Join(strings.Fields(strings.ReplaceAll(string(text), word, "Core")), " ")
		}
	}
	t.Fatalf("%s does not say what it is called", file)
	return ""
}
