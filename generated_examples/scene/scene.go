// Package scene shows several pools under one budget: vertices of a type of another package, index rows of any length, and
// matrices that arrive zeroed and aligned to a cache line. Together they never reserve more than 8 MiB.
package scene
