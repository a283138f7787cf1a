package cli

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/snapshot"
	"github.com/poolgen/poolgen/internal/memorymap"
	"github.com/poolgen/poolgen/internal/poolpage"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// snapshotKind is a format in which snapshots are shown.
type snapshotKind struct {
	ending string
	format string // of --format; "": files only
	two    bool   // it can show what changed
	write  func(w io.Writer, s showing) error
}

// showing is the input of a snapshotKind: one snapshot, or two to compare.
type showing struct {
	list  []*poolrt.Snapshot
	paper snapshot.Paper
}

// snapshotKinds lists all kinds.
var snapshotKinds = []snapshotKind{
	{".html", "", true, func(w io.Writer, s showing) error { return poolpage.Write(w, s.list...) }},
	{".svg", "", false, func(w io.Writer, s showing) error { return memorymap.SVG(w, s.list[0]) }},
	{".json", jsonFormat, true, snapshotJSON},
	{".txt", textFormat, true, snapshotText},
}

func endings() (list []string) {
	for _, k := range snapshotKinds {
		list = append(list, k.ending)
	}
	return list
}

// kind returns the kind that the flags select for one or two files: by --format, if it is given, and by the ending of --output.
func (o *snapshotOptions) kind(files int) (*snapshotKind, error) {
	ending := strings.ToLower(filepath.Ext(o.output))
	for i := range snapshotKinds {
		k := &snapshotKinds[i]
		switch {
		case o.output == "" && k.format != o.format.value || o.output != "" && k.ending != ending:
		case o.output != "" && o.format.asked && k.format != o.format.value:
			return nil, fmt.Errorf("--format %s and a file that ends in %s are two things: leave out --format, or name another file", o.format.value, ending)
		case files > 1 && !k.two:
			return nil, fmt.Errorf("%s shows one snapshot: draw each by itself, or write what changed between them to a file that ends in %s", k.ending, endingsOfTwo())
		default:
			return k, nil
		}
	}
	return nil, fmt.Errorf("%s: the ending says what is written, and has to be one of %s", o.output, strings.Join(endings(), ", "))
}

func endingsOfTwo() string {
	var list []string
	for _, k := range snapshotKinds {
		if k.two {
			list = append(list, k.ending)
		}
	}
	return strings.Join(list, ", ")
}

// paper describes the medium of text for w: its width and colours.
func (p *Process) paper(w io.Writer) snapshot.Paper {
	return snapshot.Paper{Width: width(w), Colour: p.coloured(w)}
}

func snapshotText(w io.Writer, s showing) error {
	if len(s.list) == 2 {
		return snapshot.TextBetween(w, s.list[0], s.list[1], s.paper)
	}
	return snapshot.Text(w, s.list[0], s.paper)
}

func snapshotJSON(w io.Writer, s showing) error {
	if err := snapshot.Bounded(s.list...); err != nil {
		return err
	}
	if len(s.list) == 2 {
		return json.NewEncoder(w).Encode(snapshot.Between(s.list[0], s.list[1]))
	}
	return json.NewEncoder(w).Encode(snapshot.Of(s.list[0]))
}

// snapshotHelp says what to do about a file that is not a snapshot.
func snapshotHelp(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "\nits end is missing: have the program write it again, and look at the errors of Snapshot.Write and Close"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, io.EOF):
		return "\nname a file that Snapshot.Write of package runtime has written"
	}
	return ""
}
