// Command loops writes the loops of tests/pools/bench/threads: the same for each pool, with direct calls as in programs. Through an interface or a
// type parameter a call would cost as much as an operation of the fastest pools.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"os"
	"text/template"
)

//go:embed loops.tmpl
var text string

func main() {
	if err := write("pools.go"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the loops of all subjects to a file, unless the file has them already.
func write(name string) error {
	t, err := template.New("loops").Parse(text)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, subjects); err != nil {
		return err
	}
	for _, s := range subjects {
		if err := t.ExecuteTemplate(&b, s.Template(), s); err != nil {
			return err
		}
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(name); err == nil && bytes.Equal(was, source) {
		return nil // the file keeps its modification time, which tells the go command that nothing has changed
	}
	return os.WriteFile(name, source, 0o666)
}
