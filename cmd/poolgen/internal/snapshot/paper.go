package snapshot

import (
	"bufio"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Paper describes the medium of text.
type Paper struct {
	Width  int  // characters of a line
	Colour bool // by escape sequences
}

// sheet is text that is being written.
type sheet struct {
	Paper
	*bufio.Writer
}

// line writes a line, cut to the width.
func (s *sheet) line(format string, args ...any) {
	fmt.Fprintln(s, figure.Cut(fmt.Sprintf(format, args...), s.Width))
}

// wrapped writes a sentence in indented lines.
func (s *sheet) wrapped(in, text string) {
	line := in
	for _, word := range strings.Fields(text) {
		if line != in && len([]rune(line+" "+word)) > s.Width {
			s.line("%s", line)
			line = in
		}
		if line != in {
			line += " "
		}
		line += word
	}
	s.line("%s", line)
}

// pair writes two texts in a line or, if that is too long, the second below the first.
func (s *sheet) pair(first, second string) {
	if text := first + ": " + second; second == "" || len([]rune(text)) <= s.Width {
		s.line("%s", strings.TrimSuffix(text, ": "))
		return
	}
	s.line("%s:", first)
	s.line("%*s%s", below, "", second)
}

// below is the indentation of text below another text.
const below = 15

// heading writes an emphasised name, followed by plain words.
func (s *sheet) heading(name, about string) {
	name = figure.Cut(figure.Plain(name), s.Width)
	about = figure.Cut(about, s.Width-len([]rune(name)))
	if s.Colour {
		name = "\x1b[1m" + name + "\x1b[0m"
	}
	fmt.Fprintln(s, name+about)
}

// table writes rows of cells, names to the left and figures to the right. If that is too wide, names have a line of their own.
func (s *sheet) table(rows [][]string) {
	wide := make([]int, len(rows[0]))
	total := 0
	for c := range wide {
		for _, row := range rows {
			wide[c] = max(wide[c], len([]rune(row[c])))
		}
		if c > 0 {
			total += 2 + wide[c]
		}
	}
	name := min(wide[0], s.Width-total)
	apart := name < min(wide[0], leastName)
	for i, row := range rows {
		var b strings.Builder
		switch {
		case !apart:
			fmt.Fprintf(&b, "%-*s", name, figure.CutFront(row[0], name))
		case i > 0:
			s.line("%s", row[0])
		}
		for c, text := range row[1:] {
			fmt.Fprintf(&b, "  %*s", wide[c+1], text)
		}
		s.line("%s", b.String())
	}
}

// leastName is how many characters of a name must be visible beside figures.
const leastName = 16

// someCalls is the number of calls that are written.
const someCalls = 3

// called returns the calls that allocated blocks, the innermost first, beginning with the call of the pool.
func called(frames []poolrt.Frame) string {
	for len(frames) > 1 && frames[0].Generated {
		frames = frames[1:]
	}
	var parts []string
	for i, f := range frames {
		if i == someCalls || i > 0 && strings.HasPrefix(f.Function, "runtime.") {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s:%d)", figure.Plain(path.Base(f.Function)), figure.Plain(fileName(&f)), f.Line))
	}
	return strings.Join(parts, " < ")
}

// fileName returns the file of a call without its directory, for paths of any system.
func fileName(f *poolrt.Frame) string { return path.Base(strings.ReplaceAll(f.File, `\`, "/")) }

// age writes how long ago something was, in three digits. A time in the future is written as now.
func age(d time.Duration) string {
	d = max(d, 0)
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	if d >= time.Minute {
		unit = time.Second
	}
	return d.Round(unit).String()
}

// span writes the least and the largest of some ages.
func span(least, most time.Duration) string {
	a, b := age(least), age(most)
	if a == b {
		return a
	}
	return a + " to " + b
}
