package nvtx_test

import (
	"fmt"

	"github.com/poolgen/poolgen/cuda/nvtx"
)

// The profile shows the upload as a range, with a mark in it.
func Example() {
	upload := func(frame int) {
		nvtx.RangePush("upload")
		defer nvtx.RangePop()
		if nvtx.Enabled() { // the text costs time
			nvtx.Mark(fmt.Sprintf("frame %d", frame))
		}
	}
	upload(1)
	// Output:
}
