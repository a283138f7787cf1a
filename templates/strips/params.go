package strips

// maxProcStrips bounds how many lanes there are: as many as processors when the first chunk comes, rounded up to a power of two, but
// no more than this.
//
//poolgen:param
const maxProcStrips = 256
