package spec

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every key is complete, and every key of a pool has a place in the plan.
func TestEveryKeyHasItsTexts(t *testing.T) {
	for _, k := range Keys("") {
		if k.Doc == "" || k.Example == "" || k.Kind == "" {
			t.Errorf("%s.%s lacks a text", k.Section, k.Name)
		}
		if k.Section == PoolSection && (poolFields[k.Name].read == nil || poolFields[k.Name].text == nil) {
			t.Errorf("%s has no place in the plan", k.Name)
		}
		if k.Kind == ChoiceKind && len(k.Values) == 0 {
			t.Errorf("%s has no values", k.Name)
		}
		if k.Kind == BlockKind && len(Keys(Section(k.Name))) == 0 {
			t.Errorf("%s has no keys below", k.Name)
		}
	}
	if len(poolFields) != len(poolKeys) {
		t.Errorf("%d places for %d keys", len(poolFields), len(poolKeys))
	}
}

// fitting writes a pool to which a key applies.
func fitting(k Key, value string) string {
	keys := map[string]string{"allocator": "host", k.Name: value}
	if k.Allocators != nil {
		keys["allocator"] = string(k.Allocators[0])
	}
	if k.Suballocators != nil {
		keys["suballocator"] = string(k.Suballocators[0])
	}
	if k.Concurrency != nil {
		keys["concurrency"] = string(k.Concurrency[0])
	}
	switch k.Name {
	case "alloc", "free":
		keys["alloc"], keys["free"] = "a", "f"
	case "c_header":
		keys["item"] = "Foo"
	case "max_limit":
		keys["limit"] = "4096"
	case "guarantee":
		keys["budget"], keys["suballocator"] = "Scene", "heap"
	case "wait_timeout":
		keys["on_exhausted"] = "[wait, error]"
	case "prime", "soft_limit", "budget", "priority", "reclaim", "trim", "growth", "zero", "chunk_size", "arena_size", "min_split", "alignment", "ordering", "across_streams":
		if keys["suballocator"] == "fixed" {
			keys["suballocator"] = "heap"
		}
	}
	if k.Name == "on_exhausted" || k.Name == "ordering" {
		keys["allocator"] = "device"
	}
	if k.Name == "across_streams" {
		keys["ordering"] = "stream"
	}
	if k.Name == "capture" || k.Name == "registered" {
		keys["suballocator"] = "heap"
	}
	if k.Name == "magazine" || k.Name == "suballocator" || k.Name == "lookup" || k.Name == "guard" || k.Name == "device_view" || k.Name == "exports" {
		keys["item"] = "int32"
	}
	var out []string
	for _, table := range poolKeys {
		if v, ok := keys[table.Name]; ok && table.Name != "name" {
			out = append(out, table.Name+": "+v)
		}
	}
	return strings.Join(out, ", ")
}

// The example of each key is legal where the key applies, and the key is refused where it does not.
func TestKeysApplyWhereTheTableSays(t *testing.T) {
	const head = "version: 1\npackage: main\nimports: {mesh: a/b}\nbudgets: [{name: Scene, limit: 2GiB}]\npools: [{name: User, item: mesh.Vertex}, "
	for _, k := range Keys(PoolSection) {
		if k.Name == "name" {
			continue
		}
		src := head + "{name: Foo, " + fitting(k, k.Example) + "}]\n"
		if _, found := check(t, src, ""); len(found) > 0 {
			t.Errorf("%s:\n%s", k.Name, found.Text(false))
		}
		for _, a := range keyNamed(PoolSection, "allocator").Values {
			if k.Allocators == nil || slices.Contains(k.Allocators, Allocator(a)) {
				continue
			}
			_, found := check(t, fmt.Sprintf("%s{name: Foo, %s: %s, allocator: %s, alloc: a, free: f}]\n", head, k.Name, k.Example, a), "")
			if !reported(found, codeNotApplicable, k.Name+" does not apply to allocator "+a) {
				t.Errorf("%s is not refused for allocator %s:\n%s", k.Name, a, found.Text(false))
			}
		}
		for _, s := range keyNamed(PoolSection, "suballocator").Values {
			if k.Suballocators == nil || slices.Contains(k.Suballocators, Suballocator(s)) {
				continue
			}
			allocator := "host"
			if k.Allocators != nil {
				allocator = string(k.Allocators[0])
			}
			_, found := check(t, fmt.Sprintf("%s{name: Foo, %s: %s, allocator: %s, suballocator: %s}]\n", head, k.Name, k.Example, allocator, s), "")
			if !reported(found, codeNotApplicable, k.Name+" does not apply to suballocator "+s) {
				t.Errorf("%s is not refused for suballocator %s:\n%s", k.Name, s, found.Text(false))
			}
		}
	}
}

func reported(found Diagnostics, code Code, message string) bool {
	for _, d := range found {
		if d.Code == code && strings.Contains(d.Message, message) {
			return true
		}
	}
	return false
}

// The schema has every key and every legal word.
func TestSchemaKnowsEveryKey(t *testing.T) {
	out := string(Schema())
	if !json.Valid([]byte(out)) {
		t.Fatal("not JSON")
	}
	for _, k := range Keys("") {
		if !strings.Contains(out, `"`+k.Name+`": {`) {
			t.Errorf("key %s is missing", k.Name)
		}
		for _, v := range k.Values {
			if !strings.Contains(out, `"`+v+`"`) && !strings.HasPrefix(v, "pool:") {
				t.Errorf("%s: value %s is missing", k.Name, v)
			}
		}
	}
}

// Every legal word of a choice is explained, and no other: in the reference, and in the schema.
func TestEveryWordIsExplained(t *testing.T) {
	out := string(Schema())
	for _, k := range Keys("") {
		var explained []string
		for _, w := range k.Words() {
			explained = append(explained, w.Word)
			if text, _ := json.Marshal(plainText(w.Meaning)); k.Kind == ChoiceKind && !strings.Contains(out, string(text)) {
				t.Errorf("%s: %s is not in the schema", k.Name, text)
			}
		}
		values := slices.Clone(k.Values)
		slices.Sort(explained)
		slices.Sort(values)
		if (explained != nil || k.Kind == ChoiceKind) && !slices.Equal(explained, values) {
			t.Errorf("%s: explained are %v, legal %v", k.Name, explained, values)
		}
	}
}

// The pattern of durations and the reader of durations agree.
func TestSchemaAndReaderAgreeOnDurations(t *testing.T) {
	pattern := regexp.MustCompile(durationPattern)
	for _, text := range []string{"0", "10", "250ms", "1m30s", "1.5s", ".5s", "1.s", "1 s", "1sec", "1S", "", "s", "-1s", "+1s", "1h1us1µs1ns", "1d", "."} {
		d, err := time.ParseDuration(text)
		if legal := err == nil && d >= 0; pattern.MatchString(text) != legal {
			t.Errorf("%q: pattern %v, reader %v", text, !legal, err)
		}
	}
}

// The pattern of sizes and the reader of sizes agree.
func TestSchemaAndReaderAgreeOnSizes(t *testing.T) {
	pattern := regexp.MustCompile(sizePattern)
	for _, text := range []string{"0", "10", "010", "1KiB", "1.5KiB", "1.5", "01KiB", "1 KiB", "1kib", "1K", "", "B", "1.KiB", ".5KiB", "1TB", "-1", "1e3"} {
		_, bad := parseSize(text)
		if pattern.MatchString(text) != (bad == nil) {
			t.Errorf("%q: pattern %v, reader %+v", text, pattern.MatchString(text), bad)
		}
	}
}
