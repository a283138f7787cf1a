module github.com/poolgen/poolgen/cmd/poolgen/internal/vet/testdata
