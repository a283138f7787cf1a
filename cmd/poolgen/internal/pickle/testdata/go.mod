module github.com/poolgen/poolgen/cmd/poolgen/internal/pickle/testdata
