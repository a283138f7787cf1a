package spec

import (
	"fmt"
	"sort"
	"strings"
)

// Diagnostic is one finding about a pool file. Every finding is an error: nothing is generated from a
// file that has one.
type Diagnostic struct {
	Code    Code
	File    string
	Pos     Position // start of the value that breaks the rule
	End     Position // just past the marked text, on the line of Pos
	Message string   // one line, lower case, no full stop
	Excerpt string   // the line of Pos; empty if the file has no such line
	Help    string   // what to write instead; may be empty
	Notes   []Note   // further places that matter
}

// Note is a second place of a finding, such as the first of two duplicates. File may be another file.
// A note without a place carries its message alone.
type Note struct {
	File    string
	Pos     Position
	End     Position
	Message string
	Excerpt string
}

// Diagnostics are the findings of one run, in the order of the file.
type Diagnostics []Diagnostic

// Finding makes a finding of a stage after [Document.Validate]: pos is the start of the wrong value in the plan's pool file; the zero Position stands
// for the whole file. [Document.Mark] adds the line and the end of the value. Notes name their files themselves, because they may be about other
// files.
func (p *Plan) Finding(code Code, pos Position, help, message string, notes ...Note) Diagnostic {
	return Diagnostic{Code: code, File: p.File, Pos: pos, Message: message, Help: help, Notes: notes}
}

// Error returns the finding on one line: file:line:column: code: message.
func (d Diagnostic) Error() string {
	return fmt.Sprintf("%s: %s: %s", place(d.File, d.Pos), d.Code, d.Message)
}

// place prints a position as compilers do, which lets editors jump to it.
func place(file string, pos Position) string {
	if pos.Line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d:%d", file, pos.Line, pos.Column)
}

// before orders positions by their places in a file.
func (p Position) before(q Position) bool {
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Column < q.Column
}

// maxFindings bounds the output for a file that is not a pool file at all.
const maxFindings = 200

// inOrder sorts findings by place and removes repetitions. If a value of defaults breaks the same rule
// in several pools, it is one finding, with notes about the other pools.
func inOrder(found []*Diagnostic) Diagnostics {
	sort.SliceStable(found, func(i, j int) bool { return found[i].Pos.before(found[j].Pos) })
	var kept []*Diagnostic
	for _, d := range found {
		if !joins(d, kept) {
			kept = append(kept, d)
		}
	}
	if len(kept) > maxFindings {
		last := kept[maxFindings-1]
		last.Notes = append(last.Notes, Note{
			Message: fmt.Sprintf("%d findings and more are not shown; correct these first", len(kept)-maxFindings)})
		kept = kept[:maxFindings]
	}
	out := make(Diagnostics, len(kept))
	for i, d := range kept {
		out[i] = d.shortened()
	}
	return out
}

// maxText bounds a message and a help, which may quote the user's text.
const maxText = 400

// shortened truncates texts that are too long for a sentence.
func (d *Diagnostic) shortened() Diagnostic {
	out := *d
	for _, text := range []*string{&out.Message, &out.Help} {
		if len(*text) > maxText {
			*text = (*text)[:byteOffset(*text, maxText)] + "…"
		}
	}
	return out
}

// joins reports whether d repeats one of the findings at the same place, which are at the end of the
// list. If d is about another pool, joins adds a note.
func joins(d *Diagnostic, kept []*Diagnostic) bool {
	for i := len(kept) - 1; i >= 0 && kept[i].Pos == d.Pos; i-- {
		old := kept[i]
		switch {
		case old.Code != d.Code:
		case old.Message == d.Message:
			return true
		case subject(old) != subject(d):
			if len(old.Notes) < maxNotes {
				old.Notes = append(old.Notes, Note{Message: "also: " + d.Message})
			}
			return true
		}
	}
	return false
}

// subject returns the beginning of a message, which names what the message is about.
func subject(d *Diagnostic) string {
	before, _, _ := strings.Cut(d.Message, ": ")
	return before
}

// maxNotes bounds the notes of one finding.
const maxNotes = 8
