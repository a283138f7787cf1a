package simulator

import "bytes"

// pageBytes is the unit in which device memory is allocated.
const pageBytes = 64 << 10

// store is physical memory. Memory of a device is in pages that are allocated when they are written in part. A page that was filled
// with one value, or never written, takes a few bytes: GPUs with more memory than this machine can be simulated. Memory of the host
// is one slice, whose address the program knows.
type store struct {
	id    uint64
	size  uint64
	host  []byte // of host memory
	fill  byte   // of pages that are not in pages
	pages map[uint64]page
}

// page is 64 KiB: data, or if that is nil, all value.
type page struct {
	value byte
	data  []byte
}

func (d *Driver) newStore(bytes uint64) *store {
	return &store{id: d.number(), size: bytes, fill: byte(d.cfg.Fill), pages: map[uint64]page{}}
}

func (d *Driver) hostStore(memory []byte) *store {
	return &store{id: d.number(), size: uint64(len(memory)), host: memory}
}

// page returns the page with a number.
func (s *store) page(n uint64) page {
	if p, ok := s.pages[n]; ok {
		return p
	}
	return page{value: s.fill}
}

// own returns the bytes of a page, which it allocates if necessary.
func (s *store) own(n uint64) []byte {
	p := s.page(n)
	if p.data == nil {
		p.data = bytes.Repeat([]byte{p.value}, pageBytes)
		s.pages[n] = p
	}
	return p.data
}

// each calls f for each piece of a range that lies within one page.
func each(off, n uint64, f func(page, from, to, done uint64)) {
	for done := uint64(0); done < n; {
		from := (off + done) % pageBytes
		to := min(pageBytes, from+n-done)
		f((off+done)/pageBytes, from, to, done)
		done += to - from
	}
}

// write copies bytes in.
func (s *store) write(off uint64, src []byte) {
	if s.host != nil {
		copy(s.host[off:], src)
		return
	}
	each(off, uint64(len(src)), func(n, from, to, done uint64) {
		copy(s.own(n)[from:to], src[done:])
	})
}

// set fills a range with a value; whole pages cost nothing.
func (s *store) set(off, n uint64, value byte) {
	switch {
	case s.host != nil:
		for i := range s.host[off : off+n] {
			s.host[off+uint64(i)] = value
		}
	case off == 0 && n == s.size:
		s.fill = value
		clear(s.pages)
	default:
		each(off, n, func(n, from, to, _ uint64) {
			if to-from == pageBytes {
				s.pages[n] = page{value: value}
				return
			}
			data := s.own(n)
			for i := from; i < to; i++ {
				data[i] = value
			}
		})
	}
}

// move copies n bytes of another store, or of this one if the ranges do not overlap; whole pages of one value stay pages of one value.
func (s *store) move(off uint64, src *store, at, n uint64) {
	if src.host != nil {
		s.write(off, src.host[at:at+n])
		return
	}
	each(at, n, func(n, from, to, done uint64) {
		p := src.page(n)
		if p.data != nil {
			s.write(off+done, p.data[from:to])
			return
		}
		s.set(off+done, to-from, p.value)
	})
}
