package shards

// maxShards is the largest number of shards, a power of two. There are as many as processors when the first chunk is added, rounded up to a power
// of two.
//
//poolgen:param
const maxShards = 64

// resets: Reset frees live blocks.
//
//poolgen:param
const resets = true

// fronted: slabs are cut from blocks of the shards.
//
//poolgen:param
const fronted = true
