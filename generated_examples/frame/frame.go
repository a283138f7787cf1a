// Package frame shows a bump pool: temporaries of one frame, freed all at once, or back to a mark.
package frame
