package recycling

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// pooledLayers paints pictures by way of layers, which are blocks of a pool.
type pooledLayers struct{ pool PixelPool }

// paint fills n bytes of a picture with a colour. It returns before the stream has done so: the layer is freed in the order of the stream.
func (l *pooledLayers) paint(picture cuda.DevicePtr, n int, colour byte, s cuda.Stream) error {
	return l.pool.WithOn(n, s, func(layer PixelSpan) error {
		return errors.Join(
			cuda.MemsetAsync(layer.Addr(), colour, layer.Bytes(), s),
			cuda.CopyDeviceAsync(picture, layer.Addr(), layer.Bytes(), s))
	})
}

// close returns all memory, and waits for the streams.
func (l *pooledLayers) close() error { return l.pool.Close() }
