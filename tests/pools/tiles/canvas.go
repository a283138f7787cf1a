package tiles

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cuda"
)

// Canvas is a two-dimensional sparse array of bytes through which tests write and read tiles. It has places for single tiles, numbered row by row.
type Canvas struct {
	array   cuda.SparseArray
	stream  cuda.Stream
	shape   cuda.TileShape
	columns int
	places  int
}

// NewCanvas makes a canvas on a device, size bytes wide and high, whose tiles are bound in the order of a stream.
func NewCanvas(d cuda.Device, size int, s cuda.Stream) (*Canvas, error) {
	a, err := d.NewSparseArray(cuda.SparseDesc{Width: int64(size), Height: int64(size), Format: cuda.Uint8, Channels: 1})
	if err != nil {
		return nil, err
	}
	shape, err := a.Tiles()
	if err == nil && shape.Width*shape.Height != cuda.TileBytes {
		err = fmt.Errorf("tiles of %d x %d bytes", shape.Width, shape.Height)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	columns := size / shape.Width
	return &Canvas{a, s, shape, columns, columns * (size / shape.Height)}, nil
}

// Places returns how many tiles the array has.
func (c *Canvas) Places() int { return c.places }

// at returns the coordinates at which a place begins.
func (c *Canvas) at(place int) (x, y int) {
	return place % c.columns * c.shape.Width, place / c.columns * c.shape.Height
}

// Bind maps a place to the tile at an offset of the memory; the zero Memory unmaps it.
func (c *Canvas) Bind(place int, m cuda.Memory, offset int64) error {
	x, y := c.at(place)
	return c.array.Bind(c.stream, cuda.Binding{
		Memory: m, Offset: offset, X: x, Y: y, Width: c.shape.Width, Height: c.shape.Height, Depth: 1,
	})
}

// Write fills a place with the pattern of a value, after the stream has done its binds.
func (c *Canvas) Write(place, value int) error {
	if err := c.stream.Synchronize(); err != nil {
		return err
	}
	b := make([]byte, cuda.TileBytes)
	for i := range b {
		b[i] = pattern(value, i)
	}
	x, y := c.at(place)
	return c.array.Write(x, y, c.shape.Width, c.shape.Height, b)
}

// Check reports the first byte of a place that is not as Write left it.
func (c *Canvas) Check(place, value int) error {
	if err := c.stream.Synchronize(); err != nil {
		return err
	}
	b := make([]byte, cuda.TileBytes)
	x, y := c.at(place)
	if err := c.array.Read(b, x, y, c.shape.Width, c.shape.Height); err != nil {
		return err
	}
	for i := range b {
		if b[i] != pattern(value, i) {
			return fmt.Errorf("place %d: byte %d is %#x, not %#x as for value %d", place, i, b[i], pattern(value, i), value)
		}
	}
	return nil
}

// pattern returns byte i of the pattern of a value. Patterns of different values differ in almost every byte.
func pattern(value, i int) byte { return byte((uint32(value)*2654435761 + uint32(i)*40503) >> 11) }

// Close unbinds all tiles and destroys the array.
func (c *Canvas) Close() error {
	var errs []error
	for p := range c.places {
		errs = append(errs, c.Bind(p, cuda.Memory{}, 0))
	}
	return errors.Join(append(errs, c.stream.Synchronize(), c.array.Close())...)
}
