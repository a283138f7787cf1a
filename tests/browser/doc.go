// Package browser tests the page that shows pools in a real browser, Debian's chromium or any other of its family. It is a module of its own, so no other
// module depends on the client that drives the browser. Screenshots are left in .build/page.
//
// Without a browser its tests skip; with POOLGEN_BROWSER=required in the environment they fail.
package browser
