package recycling

import (
	"errors"
	"sync"

	"github.com/poolgen/poolgen/cuda"
)

// mappedLayers paints pictures by way of layers, whose memory it keeps in a map by length. It is fast while the same lengths come again, and all
// work is on one stream. Nothing goes back to the driver: not even when a length never comes again.
type mappedLayers struct {
	mu   sync.Mutex
	free map[int][]cuda.DevicePtr
}

func (l *mappedLayers) get(n int) (cuda.DevicePtr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if list := l.free[n]; len(list) > 0 {
		last := len(list) - 1
		l.free[n] = list[:last]
		return list[last], nil
	}
	return cuda.Device(0).Alloc(int64(n))
}

func (l *mappedLayers) put(layer cuda.DevicePtr, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == nil {
		l.free = map[int][]cuda.DevicePtr{}
	}
	l.free[n] = append(l.free[n], layer)
}

// paint fills n bytes of a picture with a colour. It returns before the stream has done so, and then another stream may get the layer.
func (l *mappedLayers) paint(picture cuda.DevicePtr, n int, colour byte, s cuda.Stream) error {
	layer, err := l.get(n)
	if err != nil {
		return err
	}
	defer l.put(layer, n)
	return errors.Join(
		cuda.MemsetAsync(layer, colour, int64(n), s),
		cuda.CopyDeviceAsync(picture, layer, int64(n), s))
}

// close returns all memory. The streams must have finished.
func (l *mappedLayers) close() (err error) {
	for _, list := range l.free {
		for _, layer := range list {
			err = errors.Join(err, cuda.Device(0).Free(layer))
		}
	}
	l.free = nil
	return err
}
