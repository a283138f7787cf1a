package cli

import (
	"io"
	"os"
)

// output is standard output. It remembers the first write that failed, and commands do not have to check: a full disk must not look like success.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// fileOf returns the file that a stream goes to, if it is one.
func fileOf(stream any) (*os.File, bool) {
	if o, ok := stream.(*output); ok {
		stream = o.Writer
	}
	file, ok := stream.(*os.File)
	return file, ok
}
