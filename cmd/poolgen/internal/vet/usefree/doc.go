// Package usefree finds blocks that are used, or freed again, after a free in the same function or by a function that is known to free: PG102 and PG103, which
// poolgen explain shows with examples.
//
// Comparing a freed pointer and taking its length are no uses. A block whose free failed may be used. A function that names an error of refused frees, such as
// runtime.ErrDoubleFree, expects one, and in tests a second free whose error is looked at is taken for a test of the refusal.
package usefree
