// Package strict has what package strict of the templates does the same way for blocks of any size: the flags of full rows, the search for a word with a free
// block, and the gate that makes sure that none is free.
package strict
