package findings

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"slices"
)

// edit replaces a part of a file.
type edit struct {
	File  string `json:"filename"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Fix applies the first correction of each finding that has one, and returns the files it changed. write replaces a file by a text, or leaves it as
// it was. A correction that overlaps another is left for the next run. A file that would not parse afterwards is left as it was, with an error.
func (l List) Fix(write func(name, text string) error) (changed []string, err error) {
	files := map[string][]edit{}
	for _, x := range l.all {
		if len(x.Fixes) > 0 && fits(files, x.Fixes[0].Edits) {
			for _, e := range x.Fixes[0].Edits {
				files[e.File] = append(files[e.File], e)
			}
		}
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := l.corrected(name, files[name])
		if err == nil {
			err = write(name, text)
		}
		if err != nil {
			return changed, err
		}
		changed = append(changed, name)
	}
	return changed, nil
}

// fits reports whether edits overlap none of those chosen before.
func fits(files map[string][]edit, edits []edit) bool {
	for _, e := range edits {
		for _, old := range files[e.File] {
			if e.Start < old.End && old.Start < e.End || e.Start == old.Start {
				return false
			}
		}
	}
	return true
}

// corrected returns the text of a file with the edits.
func (l List) corrected(name string, edits []edit) (string, error) {
	text, err := l.read(name)
	if err != nil {
		return "", err
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.Start, b.Start) })
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End > len(text) {
			return "", fmt.Errorf("%s has changed meanwhile", name)
		}
		b.Write(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.Write(text[at:])
	out, err := format.Source(b.Bytes())
	if err != nil {
		return "", fmt.Errorf("%s: the correction does not parse: %w", name, err)
	}
	return string(out), nil
}
