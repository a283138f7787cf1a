// Package notpinned copies memory of the Go heap asynchronously.
package notpinned

import "github.com/poolgen/poolgen/cuda"

func async(dst cuda.DevicePtr, s cuda.Stream) error {
	src := make([]byte, 100)
	return cuda.CopyToDeviceAsync(dst, src[:10], s) // want `PG109: this is memory of the Go heap`
}

// From here on, all is well.

func unknown(dst cuda.DevicePtr, src []byte, s cuda.Stream) error {
	return cuda.CopyToDeviceAsync(dst, src, s)
}
