package poolz

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// OnlyHosts returns a handler that answers as h does, but only requests to the given hosts, with any port.
// The status of others is 403. Without names the hosts are the loopback: localhost, 127.0.0.1 and [::1].
//
//	http.ListenAndServe("localhost:6060", poolz.OnlyHosts(http.DefaultServeMux))
//
// A browser on the machine is a way in for other sites (DNS rebinding): a page whose own name leads to
// 127.0.0.1 a moment after the page was loaded may read all that is served there, since to the browser both
// are one site. The name is in each request of that page, and OnlyHosts refuses it. OnlyHosts guards whatever
// h serves, net/http/pprof and expvar too. It is no password: programs other than browsers send any name.
func OnlyHosts(h http.Handler, hosts ...string) http.Handler {
	if len(hosts) == 0 {
		hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	allowed := make([]string, len(hosts))
	for i, host := range hosts {
		allowed[i] = bare(host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(allowed, bare(r.Host)) {
			http.Error(w, "this host is not among those that poolz.OnlyHosts was given", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// bare returns a host in lower case, without its port and the brackets of an address.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}
