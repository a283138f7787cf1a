// Command fragmentation writes the synthetic allocation traces of a seed into a directory, to be replayed on pools that were not made for them:
//
//	go run ./tests/cmd/fragmentation -seed 1 -dir /tmp/traces
//	GOFLAGS=-tags=cudasim go run ./cmd/poolgen replay generated_examples/modelmemory/poolgen.yaml --trace /tmp/traces/bursts.csv
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/poolgen/poolgen/tests/internal/synthetic"
)

func main() {
	seed := flag.Uint64("seed", 1, "decides all that is random")
	dir := flag.String("dir", ".", "directory for the traces")
	flag.Parse()
	for _, kind := range synthetic.Kinds {
		if err := write(filepath.Join(*dir, kind+".csv"), kind, *seed); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func write(file, kind string, seed uint64) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(synthetic.Write(f, kind, seed), f.Close())
}
