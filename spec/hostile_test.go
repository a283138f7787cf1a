package spec

import (
	"strings"
	"testing"
	"time"
)

// Hostile files are refused, or validated, in bounded time. The bound is generous: it catches work that grows with the square of the file.
func TestHostileFiles(t *testing.T) {
	const size = MaxFileBytes / 2
	fill := func(head, repeated, tail string) string {
		return head + strings.Repeat(repeated, (size-len(head)-len(tail))/len(repeated)) + tail
	}
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+", ", 8) + "*" + prev + "]\n"
	}
	var staircase strings.Builder
	for i := 0; i < 1000; i++ {
		staircase.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for name, src := range map[string]string{
		"alias bomb":      bomb,
		"brackets":        fill("", "[", ""),
		"braces":          fill("", "{a: ", ""),
		"dashes":          fill("", "- ", ""),
		"questions":       fill("", "? ", ""),
		"staircase":       staircase.String(),
		"large":           strings.Repeat("# comment\n", 5<<20),
		"comments":        fill("", "#\n", ""),
		"blank lines":     fill("", "\n", ""),
		"one key":         fill("", "k", ": v"),
		"same keys":       fill("", "a: b\n", ""),
		"keys on a line":  fill("{", "a: b, ", "}"),
		"items on a line": fill("pools: [", "a,", "]"),
		"wide characters": fill("pools: [", "é,", "]"),
		"pools on a line": fill("version: 1\npools: [", "{name: A}, ", "]"),
		"pools":           fill("version: 1\npools:\n", "- {name: A, fit: x, limit: 1e3}\n", ""),
		"defaults":        fill("version: 1\ndefaults: {fit: x, limit: 1kb, item: '*'}\npools:\n", "- name: A\n", ""),
		"imports":         fill("version: 1\nimports: {", "a: b, ", "}"),
		"item":            fill("version: 1\npools: [{name: A, item: '", "[1]", "x'}]"),
		"unclosed quote":  fill("version: 1\npools: [{name: A, item: '", "x ", ""),
		"unclosed quotes": fill("version: 1\n", "a: 'x\n", ""),
		"lone quotes":     fill("[", "' ", ""),
		"deep item":       fill("version: 1\npools:\n - name: A\n   item: ", "[]", ""),
		"ladder":          fill("version: 1\npools: [{name: A, on_exhausted: [", "'pool:A',", "]}]"),
		"bins":            fill("version: 1\npools: [{name: A, suballocator: binned, bins: [", "1,", "]}]"),
		"doc":             fill("version: 1\npools:\n - name: A\n   doc: |\n", "    x\n", ""),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, found := check(t, src, "")
			if text := found.Text(true); len(text) > 1<<20 {
				t.Errorf("%d bytes of text", len(text))
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}
