package poolimpl

// meteredStreams is a StreamSource whose calls for blocks are counted.
type meteredStreams struct {
	StreamSource
	meter
}

func (m meteredStreams) Alloc(size, align int64) (Chunk, error) {
	defer m.end(m.begin())
	return m.StreamSource.Alloc(size, align)
}

func (m meteredStreams) AllocOn(s Stream, size, align int64) (Chunk, error) {
	defer m.end(m.begin())
	return m.StreamSource.AllocOn(s, size, align)
}

func (m meteredStreams) Free(c Chunk) error {
	defer m.end(m.begin())
	return m.StreamSource.Free(c)
}

func (m meteredStreams) FreeOn(s Stream, c Chunk) error {
	defer m.end(m.begin())
	return m.StreamSource.FreeOn(s, c)
}

func (m meteredStreams) FreeBehind(s Stream, c Chunk) error {
	defer m.end(m.begin())
	return m.StreamSource.FreeBehind(s, c)
}
