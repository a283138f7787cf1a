package main

import (
	"bytes"
	"errors"
	"fmt"
)

// drawing is a page on its way from the texture to the host.
type drawing struct {
	page   *page
	texels []byte
}

// underWay is how many bytes of drawings there may be at a time: less than the ring has, so that there is always room for what is loaded.
const underWay = 4 << 20

// draw reads pages through their texture. It stands for the kernels that a program would let sample it, and comes back with what they
// would have seen.
func (l *Loader) draw(hits []*page) error {
	n := 0
	for _, p := range hits {
		if n += p.bytes(); n > underWay {
			if err := errors.Join(l.view.Synchronize(), l.verify()); err != nil {
				return err
			}
			n = p.bytes()
		}
		texels, err := l.pools.stages.AllocOn(p.bytes(), l.view)
		if err != nil {
			return err
		}
		l.drawn = append(l.drawn, drawing{p, texels})
		if err := p.texture.array.ReadAsync(texels, p.x, p.y, pageSide, pageSide, l.view); err != nil {
			return err
		}
	}
	return nil
}

// verify compares what was drawn with the images, when the stream has passed it, and frees it.
func (l *Loader) verify() (err error) {
	for _, d := range l.drawn {
		want := make([]byte, len(d.texels))
		d.page.texture.image(want, d.page.x, d.page.y)
		if !bytes.Equal(d.texels, want) {
			err = errors.Join(err, fmt.Errorf("%v does not show its image", d.page))
		}
		err = errors.Join(err, l.pools.stages.Free(d.texels))
	}
	l.drawn = l.drawn[:0]
	return err
}
