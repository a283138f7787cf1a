package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolgen/poolgen/tests/fatal"
)

// each calls f with each picture, in a subtest.
func each(t *testing.T, f func(*testing.T, *picture)) {
	for i := range pictures {
		t.Run(pictures[i].name, func(t *testing.T) { f(t, &pictures[i]) })
	}
}

// read returns the text of a file of docs.
func read(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join("..", name))
	fatal.If(t, err)
	return string(text)
}

func TestPicturesAreDrawn(t *testing.T) {
	each(t, func(t *testing.T, p *picture) {
		if read(t, "pictures/"+p.name+".svg") != p.svg() {
			t.Error("the file is another picture: go run ./docs/pictures")
		}
		if !strings.Contains(read(t, p.page), "](pictures/"+p.name+".svg)") {
			t.Error("the page does not show it:", p.page)
		}
	})
}

// outside reports whether boxes have no place in common. Frames hold the others.
func outside(x, y box) bool {
	return x.look == "frame" || y.look == "frame" || x.x+x.w <= y.x || y.x+y.w <= x.x || x.y+x.h <= y.y || y.y+y.h <= x.y
}

// Lines fit into their boxes, boxes do not overlap, and arrows meet theirs.
func TestPicturesAreTidy(t *testing.T) {
	const pixels = 8 // of a character, hardly more than in the widest of common fonts
	each(t, func(t *testing.T, p *picture) {
		for i, x := range p.boxes {
			lines := strings.Split(x.text, "\n")
			for _, line := range lines {
				if pixels*utf8.RuneCountInString(line) > x.w || leading*len(lines) > x.h || x.x+x.w > width || x.y+x.h > p.height {
					t.Errorf("%q has no room", line)
				}
			}
			for _, y := range p.boxes[:i] {
				if !outside(x, y) {
					t.Errorf("%q overlaps %q", x.text, y.text)
				}
			}
		}
		for _, a := range p.arrows {
			x, y := p.find(a.from), p.find(a.to)
			level := x.y < y.y+y.h && y.y < x.y+x.h
			low, high := max(x.x, y.x), min(x.x+x.w, y.x+y.w)
			if level {
				low, high = max(x.y, y.y), min(x.y+x.h, y.y+y.h)
			}
			if a.at <= low || a.at >= high {
				t.Errorf("the arrow from %q to %q misses one of them", a.from, a.to)
			}
		}
	})
}

var (
	image = regexp.MustCompile(`!\[[^]]*\]\(pictures/\w+\.svg\)`)
	word  = regexp.MustCompile(`[A-Za-z]+`)
)

// Pictures have only words that pages have, too, outside of their descriptions.
func TestWordsAreThoseOfPages(t *testing.T) {
	names, err := filepath.Glob("../*.md")
	fatal.If(t, err)
	known := make(map[string]bool)
	for _, name := range names {
		for _, w := range word.FindAllString(image.ReplaceAllString(read(t, filepath.Base(name)), ""), -1) {
			known[strings.ToLower(w)] = true
		}
	}
	each(t, func(t *testing.T, p *picture) {
		var texts strings.Builder
		for _, x := range p.boxes {
			texts.WriteString(x.text + " ")
		}
		for _, a := range p.arrows {
			texts.WriteString(a.label + " ")
		}
		for _, w := range word.FindAllString(texts.String(), -1) {
			if !known[strings.ToLower(w)] {
				t.Errorf("no page has the word %s", w)
			}
		}
	})
}

// The rungs of the ladder are the values of on_exhausted, and those that need not be set are its default.
func TestRungsAreThoseOfTheLanguage(t *testing.T) {
	var all, unset []string
	for _, x := range pictures[2].boxes {
		if rung, _, several := strings.Cut(x.text, "\n"); several {
			all = append(all, "`"+rung+"`")
			if x.look == "box" {
				unset = append(unset, rung)
			}
		}
	}
	for _, want := range []string{"a list of " + strings.Join(all, " "), "[" + strings.Join(unset, ", ") + "] with streams"} {
		if !strings.Contains(read(t, "language.md"), want) {
			t.Errorf("the reference does not have %q", want)
		}
	}
}
