package specialize

import (
	"fmt"
	"sort"
	"strings"
)

// edit replaces the bytes [from, to) of a text by repl. All passes report edits of the text of the template on disk, so they are independent of each
// other.
type edit struct {
	from, to int
	repl     string
}

// apply performs edits on text[from:to] and returns the new text of that range. An edit inside a larger one is ignored: deleted text needs no other
// edit. Deletions may overlap; other edits must not.
//
// A deletion that leaves only white space on a line deletes the line.
func apply(text string, from, to int, edits []edit) (string, error) {
	list := make([]edit, 0, len(edits))
	for _, e := range edits {
		if e.from < from || e.to > to {
			continue
		}
		if e.repl == "" {
			e.from, e.to = wholeLines(text, from, to, e.from, e.to)
		}
		list = append(list, e)
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].from != list[j].from {
			return list[i].from < list[j].from
		}
		return list[i].to > list[j].to
	})
	var b strings.Builder
	b.Grow(to - from)
	at, deleting := from, false
	for _, e := range list {
		if e.to <= at && e.from < at {
			continue
		}
		if e.from < at && deleting && e.repl == "" {
			at = e.to
			continue
		}
		if e.from < at {
			return "", fmt.Errorf("edits overlap at offset %d: %q", e.from, text[e.from:e.to])
		}
		b.WriteString(text[at:e.from])
		b.WriteString(e.repl)
		at, deleting = e.to, e.repl == ""
	}
	b.WriteString(text[at:to])
	return b.String(), nil
}

// wholeLines widens the deletion [a, b) to full lines if only white space would be left of them, and
// stays within [from, to).
func wholeLines(text string, from, to, a, b int) (int, int) {
	start := a
	for start > from && isBlank(text[start-1]) {
		start--
	}
	end := b
	for end < to && isBlank(text[end]) {
		end++
	}
	if (start > from && text[start-1] != '\n') || end >= to || text[end] != '\n' {
		return a, b
	}
	return start, end + 1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// lineStart returns the offset of the first byte of the line that off is on.
func lineStart(text string, off int) int {
	return strings.LastIndexByte(text[:off], '\n') + 1
}

// lineEnd returns the offset of the newline that ends the line of off.
func lineEnd(text string, off int) int {
	if i := strings.IndexByte(text[off:], '\n'); i >= 0 {
		return off + i
	}
	return len(text)
}

// lead returns where the comment lines directly above the line of off begin; they belong to the
// statement there. With sameIndent, only lines indented as that line count.
func lead(text string, off int, sameIndent bool) int {
	start := lineStart(text, off)
	indent := text[start:off]
	if strings.TrimLeft(indent, " \t") != "" {
		return off
	}
	first := off
	for start > 0 {
		prev := lineStart(text, start-1)
		line := text[prev : start-1]
		body := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(body, "//") || sameIndent && line[:len(line)-len(body)] != indent {
			break
		}
		start, first = prev, prev+len(line)-len(body)
	}
	return first
}

// trail returns where the line comment after off, on the same line, ends; off itself if there is none.
func trail(text string, off int) int {
	end := lineEnd(text, off)
	if strings.HasPrefix(strings.TrimLeft(text[off:end], " \t"), "//") {
		return end
	}
	return off
}
