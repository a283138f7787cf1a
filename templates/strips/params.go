package strips

// maxProcStrips is the largest number of processors that have strips of their own.
//
//poolgen:param
const maxProcStrips = 256
