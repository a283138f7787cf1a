package shards

// maxShards bounds how many shards there are: as many as processors when the first chunk comes, rounded up to a power of two, but
// no more than this, a power of two itself.
//
//poolgen:param
const maxShards = 64

// fronted: slabs stand in front of the shards, which break blocks up at times.
//
//poolgen:param
const fronted = true
