// Package leak finds blocks that a function allocates and neither frees nor hands on, on some path to its end: PG101, which poolgen explain shows with an example.
//
// It says nothing where a block is passed to a function that nobody knows, stored, sent, or used in a closure that does more than look; where the allocation's error is
// kept elsewhere than in a variable of the function; in func main, whose end is that of all blocks; and of a pool that the function ends with CloseForce. A test
// that throws a block away and looks at the error alone is taken to expect that error.
package leak
