// Package newcomer does what the README tells those who are new, word for word, in an empty directory: its files are written as they stand there,
// its commands run as they stand there. Poolgen is served as a module made of the working tree, and everything else by the user's module
// proxy; there is no other network.
package newcomer
