// Package poolpage makes the page that shows pools: one self-contained HTML document. It shows the snapshots that it contains or, served by package
// poolz, fetches the state of the pools from the program.
//
// All text of a snapshot may be hostile. It is in the document only as JSON that cannot end the surrounding element, and the script shows it only as
// text. The document's content security policy allows no script, style or address but its own.
package poolpage

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
)

//go:embed page.html css js
var files embed.FS

// styles and scripts are the parts of the document, in order.
var (
	styles  = []string{"page", "table", "map", "live"}
	scripts = []string{"dom", "text", "model", "diff", "paint", "map", "keys", "piece", "pools", "lists", "series", "limits", "address", "live", "start"}
)

// Write writes a page of one snapshot, or of two, before and after, with the changes between them that package difference finds. It refuses any other
// number of snapshots. A page has about as many bytes as the JSON of its snapshots, plus 72 kB.
func Write(w io.Writer, snapshots ...*poolrt.Snapshot) error {
	if len(snapshots) != 1 && len(snapshots) != 2 {
		return fmt.Errorf("a page shows one snapshot or two, not %d", len(snapshots))
	}
	data := document{}
	for i, s := range snapshots {
		if s == nil {
			return fmt.Errorf("snapshot %d is nil", i+1)
		}
		data.Snapshots = append(data.Snapshots, viewOf(s))
	}
	if len(snapshots) == 2 {
		match(snapshots[0], snapshots[1], data.Snapshots)
	}
	return write(w, data, "")
}

// WriteLive writes the page that fetches the addresses "figures" and "snapshot" beside its own.
func WriteLive(w io.Writer) error {
	return write(w, document{Live: true}, "connect-src 'self'; ")
}

// document is the data of the page.
type document struct {
	Live      bool           `json:"live,omitempty"`
	Snapshots []snapshotView `json:"snapshots,omitempty"`
}

// write assembles the page. connect is the part of the policy about addresses to fetch.
func write(w io.Writer, data document, connect string) error {
	page := strings.NewReplacer(
		"{{style}}", style, "{{script}}", script,
		"{{policy}}", fmt.Sprintf("default-src 'none'; %sscript-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
			connect, hash(script), hash(style)),
	).Replace(read("page.html"))
	head, tail, _ := strings.Cut(page, "{{data}}")
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(data); err != nil { // encoding/json escapes <, > and & as \u003c and so on
		return err
	}
	_, err := io.WriteString(w, tail)
	return err
}

// style and script are each one element of the document.
var (
	style  = together("css", styles)
	script = together("js", scripts)
)

func together(kind string, names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(read(kind + "/" + name + "." + kind))
	}
	return b.String()
}

// read reads an embedded file.
func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// hash returns the form in which a policy names the text of an element.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
