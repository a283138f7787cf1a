package spec

import (
	"encoding/json"
	"net/url"
	"path/filepath"
)

// The part of the Static Analysis Results Interchange Format 2.1.0 that SARIF uses.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		URI   string      `json:"informationUri"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    Code      `json:"id"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"fullDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    Code            `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// SARIF prints the findings as one log, with the rules they are about.
func (ds Diagnostics) SARIF() string {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "poolgen", URI: "https://github.com/poolgen/poolgen"}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	for _, info := range Codes() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{info.Code, sarifText{info.Title}, sarifText{info.Help}})
	}
	for _, d := range ds {
		text := d.Message
		if d.Help != "" {
			text += "; " + d.Help
		}
		result := sarifResult{RuleID: d.Code, Level: "error", Message: sarifText{text},
			Locations: []sarifLocation{{Physical: sarifPlace(d.File, d.Pos, d.End)}}}
		for _, n := range d.Notes {
			related := sarifLocation{Message: &sarifText{n.Message}}
			if n.Pos.Line > 0 {
				related.Physical = sarifPlace(n.File, n.Pos, n.End)
			}
			result.Related = append(result.Related, related)
		}
		run.Results = append(run.Results, result)
	}
	log := sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
	out, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return string(out) + "\n"
}

func sarifPlace(file string, pos, end Position) *sarifPhysical {
	file = (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath()
	return &sarifPhysical{sarifArtifact{file}, sarifRegion{pos.Line, pos.Column, end.Line, end.Column}}
}
