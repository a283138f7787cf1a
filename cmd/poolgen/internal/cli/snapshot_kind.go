package cli

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/memoryviz"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/snapshot"
	"github.com/poolgen/poolgen/internal/memorymap"
	"github.com/poolgen/poolgen/internal/poolpage"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// snapshotKind is a way to show snapshots.
type snapshotKind struct {
	ending string
	format string // of --format; "": files only
	two    bool   // it can show what changed
	write  func(w io.Writer, list []*poolrt.Snapshot, paper snapshot.Paper) error
	left   func(*poolrt.Snapshot) []string // what it cannot show; nil: it shows all
}

// snapshotKinds are all of them.
var snapshotKinds = []snapshotKind{
	{".html", "", true, func(w io.Writer, list []*poolrt.Snapshot, _ snapshot.Paper) error { return poolpage.Write(w, list...) }, nil},
	{".svg", "", false, func(w io.Writer, list []*poolrt.Snapshot, _ snapshot.Paper) error { return memorymap.SVG(w, list[0]) }, nil},
	{".png", "", false, func(w io.Writer, list []*poolrt.Snapshot, _ snapshot.Paper) error { return memorymap.PNG(w, list[0]) }, nil},
	{".pickle", "", false, snapshotPickle, memoryviz.Left},
	{".json", jsonFormat, true, snapshotJSON, nil},
	{".txt", textFormat, true, snapshotText, nil},
}

func endings() (list []string) {
	for _, k := range snapshotKinds {
		list = append(list, k.ending)
	}
	return list
}

// kind is what was asked for, of so many files: by --format, if that was given, and by the ending.
func (o *snapshotOptions) kind(files int, asked bool) (*snapshotKind, error) {
	ending := strings.ToLower(filepath.Ext(o.output))
	for i := range snapshotKinds {
		k := &snapshotKinds[i]
		switch {
		case o.output == "" && k.format != o.format.value || o.output != "" && k.ending != ending:
		case o.output != "" && asked && k.format != o.format.value:
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

// writer writes to a file.
func (k *snapshotKind) writer(list []*poolrt.Snapshot) func(io.Writer) error {
	return func(w io.Writer) error { return k.write(w, list, snapshot.Paper{Width: usualWidth}) }
}

// paper is what text for w is written on.
func (p *Process) paper(w io.Writer) snapshot.Paper {
	return snapshot.Paper{Width: width(w), Colour: p.coloured(w)}
}

func snapshotText(w io.Writer, list []*poolrt.Snapshot, paper snapshot.Paper) error {
	if len(list) == 2 {
		return snapshot.TextBetween(w, list[0], list[1], paper)
	}
	return snapshot.Text(w, list[0], paper)
}

func snapshotJSON(w io.Writer, list []*poolrt.Snapshot, _ snapshot.Paper) error {
	if err := snapshot.Bounded(list...); err != nil {
		return err
	}
	if len(list) == 2 {
		return json.NewEncoder(w).Encode(snapshot.Between(list[0], list[1]))
	}
	return json.NewEncoder(w).Encode(snapshot.Of(list[0]))
}

func snapshotPickle(w io.Writer, list []*poolrt.Snapshot, _ snapshot.Paper) error {
	if err := snapshot.Bounded(list...); err != nil {
		return err
	}
	return memoryviz.Write(w, list[0])
}

// snapshotHelp is what to do about a file that is no snapshot.
func snapshotHelp(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "\nits end is missing: have the program write it again, and look at the errors of Snapshot.Write and Close"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, io.EOF):
		return "\nname a file that Snapshot.Write of package runtime has written"
	}
	return ""
}
