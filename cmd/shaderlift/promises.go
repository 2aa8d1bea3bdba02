package main

import (
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
)

// promises is the report of --promises, or nil.
type promises struct {
	path   string
	report *shaderlift.Report
}

// readPromises reads the report at path. It returns nil if path is empty.
func (a *app) readPromises(path string) (*promises, error) {
	if path == "" {
		return nil, nil
	}
	data, err := a.readFile(path)
	if err != nil {
		return nil, err
	}
	report, err := shaderlift.ReadReport(path, data)
	return &promises{path, report}, err
}

// apply adds the terms of a result in a report of opt to o. Terms are uploads, constants,
// promises about the state of draws, the tile and the launches of a kernel, and the partner. Flags
// may add to these but not contradict them. A launch from --case replaces the launches.
func (p *promises) apply(in shaderlift.Input, o *shaderlift.Options) error {
	if p == nil {
		return nil
	}
	path := p.path
	res, err := resultFor(p.report, path, in)
	if err != nil {
		return err
	}
	o.Host.Uploads = append(o.Host.Uploads, res.Uploads...)
	o.Host.Constants = append(o.Host.Constants, res.Assumes...)
	o.Host.Assume = append(o.Host.Assume, res.Promises...)
	if c := res.Coarsened; c != nil {
		if asked := o.Kernel.Coarsen; asked != (shaderlift.Tile{}) && asked != c.Tile {
			return usagef("--coarsen %s: the report %s has --coarsen %s", asked, path, c.Tile)
		}
		if o.Kernel.Coarsen = c.Tile; o.Kernel.Domain == [2]int{} {
			o.Kernel.Domain = c.Only
		}
	}
	if o.Kernel.Case == nil {
		o.Kernel.Launches = res.Launches
	}
	if res.Partner != "" && o.Host.Partner == "" {
		if o.Host.Partner = res.Partner; o.Check() != nil {
			return usagef("%s was made with --partner FILE; give the same --partner", path)
		}
	}
	return nil
}

// resultFor returns the result for an input in a report, found by its path, or else by the names of
// its files.
func resultFor(report *shaderlift.Report, path string, in shaderlift.Input) (*shaderlift.Result, error) {
	var found []*shaderlift.Result
	for _, spelled := range []func(string) string{filepath.Clean, filepath.Base} {
		for _, r := range report.Results {
			if filesOf(r.Input, spelled) == filesOf(in.Path(), spelled) {
				found = append(found, r)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	switch {
	case len(found) == 0:
		return nil, usagef("--promises %s: the report has no result for %s", path, asm.Shown(in.Path()))
	case len(found) > 1:
		return nil, usagef("--promises %s: the report has several results for %s", path, asm.Shown(in.Path()))
	case found[0].Status == shaderlift.Failed:
		return nil, usagef("--promises %s: the result for %s is a failure", path, asm.Shown(in.Path()))
	}
	return found[0], nil
}

// filesOf applies spelled to the comma-separated files of an input.
func filesOf(input string, spelled func(string) string) string {
	files := strings.Split(input, ",")
	for i, f := range files {
		files[i] = spelled(f)
	}
	return strings.Join(files, ",")
}
