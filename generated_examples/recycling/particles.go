package recycling

// Particle is a particle of a simulation.
type Particle struct{ X, Y, Z, DX, DY, DZ float32 }

// spares are particles to be used again: all of one type, of one goroutine, put back in one place of the program. There is nothing to check, to bound
// or to divide, so a slice does it.
type spares []*Particle

func (s *spares) get() *Particle {
	last := len(*s) - 1
	if last < 0 {
		return new(Particle)
	}
	p := (*s)[last]
	*s = (*s)[:last]
	return p
}

func (s *spares) put(p *Particle) { *s = append(*s, p) }
