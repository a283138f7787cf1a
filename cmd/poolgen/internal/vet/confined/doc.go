// Package confined finds pools of concurrency none that two goroutines use: PG113, which poolgen explain shows with an example.
//
// The rule reports a pool that a goroutine allocates from or frees to, if the pool is also used by the function that started the goroutine, after the go
// statement in the same list of statements, or by another goroutine of the same loop. If there may be a handover in between, such as a call of Wait
// or Lock, a channel, or an unknown function, nothing is reported; the same holds if the goroutine itself begins with one. A tick is no handover.
package confined
