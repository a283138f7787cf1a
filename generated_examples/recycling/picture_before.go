package recycling

import (
	"errors"
	"runtime"

	"github.com/poolgen/poolgen/cuda"
)

// collectedPicture is a picture in device memory that nobody has to close: the garbage collector returns the memory. But the collector sees an object
// of a few bytes, and does not know that the device is full.
type collectedPicture struct {
	at     cuda.DevicePtr
	stream cuda.Stream // that the picture is used on
}

func newCollectedPicture(n int, s cuda.Stream) (*collectedPicture, error) {
	at, err := cuda.Device(0).Alloc(int64(n))
	if err != nil {
		return nil, err
	}
	p := &collectedPicture{at, s}
	runtime.SetFinalizer(p, func(p *collectedPicture) { _ = cuda.Device(0).Free(p.at) })
	return p, nil
}

// write and read copy pixels to the picture and back. Whether they fit is up to the caller.
func (p *collectedPicture) write(pixels []byte) error {
	defer runtime.KeepAlive(p) // or the collector returns the memory before the copy
	return cuda.CopyToDeviceAsync(p.at, pixels, p.stream)
}

func (p *collectedPicture) read(pixels []byte) error {
	defer runtime.KeepAlive(p)
	return cuda.CopyToHostAsync(pixels, p.at, p.stream)
}

// showCollected copies pixels to a picture and back from there. It has nothing to clean up.
func showCollected(pixels, shown []byte, s cuda.Stream) error {
	p, err := newCollectedPicture(len(pixels), s)
	if err != nil {
		return err
	}
	return errors.Join(p.write(pixels), p.read(shown))
}
