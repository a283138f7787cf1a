package spec

import (
	"slices"
	"strings"
)

// Code is the stable identifier of a kind of finding, such as PG014.
type Code string

const (
	codeNotText        Code = "PG001"
	codeTab            Code = "PG002"
	codeSyntax         Code = "PG003"
	codeUnclosed       Code = "PG004"
	codeDuplicateKey   Code = "PG005"
	codeAlias          Code = "PG006"
	codeSecondDocument Code = "PG007"
	codeEmpty          Code = "PG008"
	codeTooLarge       Code = "PG009"
	codeUnknownKey     Code = "PG010"
	codeKind           Code = "PG011"
	codeUnknownValue   Code = "PG012"
	codeMissing        Code = "PG013"
	codeChunkBlock     Code = "PG014"
	codeSize           Code = "PG015"
	codeNumber         Code = "PG016"
	codeVersion        Code = "PG017"
	codePackage        Code = "PG018"
	codeOutput         Code = "PG019"
	codeImport         Code = "PG020"
	codeUnusedImport   Code = "PG021"
	codeName           Code = "PG022"
	codeCollision      Code = "PG023"
	codeDeclared       Code = "PG024"
	codeDoc            Code = "PG025"
	codeItem           Code = "PG026"
	codePointers       Code = "PG027"
	codeQualifier      Code = "PG028"
	codeNotApplicable  Code = "PG029"
	codeCombination    Code = "PG030"
	codeOrdering       Code = "PG031"
	codeAlignment      Code = "PG032"
	codeLimitChunk     Code = "PG033"
	codeLimits         Code = "PG034"
	codeBudget         Code = "PG035"
	codeBudgetChunk    Code = "PG036"
	codeBins           Code = "PG037"
	codeBinChunk       Code = "PG038"
	codeLadder         Code = "PG039"
	codeRungIdle       Code = "PG040"
	codeLender         Code = "PG041"
	codeLenderDiffers  Code = "PG042"
	codeCircle         Code = "PG043"
	codeBlockSize      Code = "PG044"
	codeParts          Code = "PG045"
	codeDevice         Code = "PG046"
	codeDriverPool     Code = "PG047"
	codeFallback       Code = "PG048"
	codeFunction       Code = "PG049"
	codePackageDiffers Code = "PG050"
	codeMaxLimit       Code = "PG052"
	codeAllocators     Code = "PG053"
	codeGuarantee      Code = "PG054"
	codeBuildTags      Code = "PG055"
)

// CodeInfo explains a code, for poolgen explain and the reference.
type CodeInfo struct {
	Code  Code
	Title string // the rule, in a few words
	Help  string // the reason for the rule, and what to do
	Bad   string // a pool file that breaks it; Go code, for findings of vet
	Good  string // the same, corrected
	// GoFile is a Go file in the output directory that the example needs; "" for most.
	GoFile string
	// Generator: the finding comes from generating, not from Validate.
	Generator bool
	// Vet: the finding is about Go code that uses pools.
	Vet bool
	Fix string // what to do, on one line; only for findings of vet, because others give help in terms of the file
}

// Codes lists all diagnostics, in the order of their numbers.
func Codes() []CodeInfo {
	var out []CodeInfo
	for _, table := range [][]CodeInfo{fileCodes, valueCodes, nameCodes, sizeCodes, poolCodes, generateCodes, vetCodes} {
		out = append(out, table...)
	}
	slices.SortFunc(out, func(a, b CodeInfo) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return out
}

// Explanation looks up a code, written in either case; false if there is none.
func Explanation(code string) (CodeInfo, bool) {
	for _, info := range Codes() {
		if strings.EqualFold(string(info.Code), code) {
			return info, true
		}
	}
	return CodeInfo{}, false
}

// file is a pool file of some lines behind its version.
func file(lines ...string) string { return "version: 1\n" + strings.Join(lines, "\n") + "\n" }

// vertex is a pool file with one pool, Vertex, of some keys.
func vertex(keys ...string) string {
	return file("pools:", "  - name: Vertex", "    "+strings.Join(keys, "\n    "))
}
