package bump

// known is a mark and the number of blocks that were live when it was made.
type known struct {
	m    Mark
	live int
	dead bool
}

func (m *model) mark(uint64) {
	m.marks = append(m.marks, known{m: m.c.Mark(), live: len(m.live)})
}

func (m *model) release(x uint64) {
	if len(m.marks) == 0 {
		return
	}
	k := m.marks[x%uint64(len(m.marks))]
	if got := m.c.Release(k.m); got == k.dead {
		m.t.Fatalf("Release = %v, dead %v", got, k.dead)
	}
	if !k.dead {
		m.cut(k.live)
	}
}

// kill makes marks invalid that were made with more than n blocks live.
func (m *model) kill(n int) {
	for i := range m.marks {
		if m.marks[i].live > n {
			m.marks[i].dead = true
		}
	}
}

// checkMark demands that a fresh mark is valid, and keeps the list of marks short.
func (m *model) checkMark() {
	if !m.c.Release(m.c.Mark()) {
		m.t.Fatal("a fresh mark was refused")
	}
	if len(m.marks) > 30 {
		m.marks = append(m.marks[:0], m.marks[20:]...)
	}
}
