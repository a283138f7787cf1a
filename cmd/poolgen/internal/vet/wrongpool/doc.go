// Package wrongpool finds blocks that are given to another pool than they came from: PG104, which poolgen explain shows with an example.
//
// Pools are told apart by what generated code declares, not by the instance: whether two variables of one pool type hold the same pool is not known.
package wrongpool
