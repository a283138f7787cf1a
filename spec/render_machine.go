package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// formats are the values of --format.
var formats = []string{"text", "json", "github", "sarif"}

// Formats lists the formats that [Diagnostics.Write] knows.
func Formats() []string { return append([]string(nil), formats...) }

// Write prints findings in one of the [Formats]. color concerns text only.
func (ds Diagnostics) Write(w io.Writer, format string, color bool) error {
	var out string
	switch format {
	case "text":
		out = ds.Text(color)
	case "json":
		out = ds.JSON()
	case "github":
		out = ds.GitHub()
	case "sarif":
		out = ds.SARIF()
	default:
		return fmt.Errorf("unknown format %q: %s", format, didYouMean(format, formats))
	}
	_, err := io.WriteString(w, out)
	return err
}

// jsonFinding is one line of JSON output. Columns count characters; the end column is just past the value.
type jsonFinding struct {
	Code      Code       `json:"code"`
	File      string     `json:"file"`
	Line      int        `json:"line"`
	Column    int        `json:"column"`
	EndLine   int        `json:"end_line"`
	EndColumn int        `json:"end_column"`
	Message   string     `json:"message"`
	Help      string     `json:"help,omitempty"`
	Notes     []jsonNote `json:"notes,omitempty"`
}

type jsonNote struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// JSON prints each finding as one JSON object on a line of its own.
func (ds Diagnostics) JSON() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, d := range ds {
		f := jsonFinding{Code: d.Code, File: d.File, Line: d.Pos.Line, Column: d.Pos.Column,
			EndLine: d.End.Line, EndColumn: d.End.Column, Message: d.Message, Help: d.Help}
		for _, n := range d.Notes {
			f.Notes = append(f.Notes, jsonNote{n.File, n.Pos.Line, n.Pos.Column, n.Message})
		}
		if err := e.Encode(f); err != nil {
			panic(err) // strings and numbers always encode
		}
	}
	return b.String()
}

// GitHub prints workflow commands, which GitHub shows beside the lines of a change.
func (ds Diagnostics) GitHub() string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, d := range ds {
		text := d.Message
		if d.Help != "" {
			text += "\nhelp: " + d.Help
		}
		for _, n := range d.Notes {
			text += "\nnote: "
			if n.Pos.Line > 0 {
				text += place(n.File, n.Pos) + ": "
			}
			text += n.Message
		}
		fmt.Fprintf(&b, "::error file=%s,line=%d,endLine=%d,col=%d,endColumn=%d,title=%s::%s\n",
			property.Replace(d.File), d.Pos.Line, d.End.Line, d.Pos.Column, d.End.Column, property.Replace(string(d.Code)), data.Replace(text))
	}
	return b.String()
}
