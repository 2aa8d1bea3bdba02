package main

import (
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// caseFile is the text of a draw or a launch. Which one it is depends on the input, so it is parsed
// for each. A nil caseFile means none was given.
type caseFile struct {
	name string
	data []byte
}

// readCase reads a case file, and notes the files that it takes data from; none if the
// name is empty.
func (a *app) readCase(name string) (*caseFile, error) {
	if name == "" {
		return nil, nil
	}
	data, err := a.readFile(name)
	if err != nil {
		return nil, err
	}
	if launch, err := kernel.ParseCaseWith(name, data, kernel.Beside(name)); err == nil {
		for _, path := range launch.Files(name) {
			a.paths.reads(path)
		}
	}
	return &caseFile{name, data}, nil
}

// parse reads c into o, as a launch or as a draw.
func (c *caseFile) parse(launch bool, o *shaderlift.Options) (err error) {
	switch {
	case c == nil:
	case launch:
		o.KernelCase, err = kernel.ParseCaseWith(c.name, c.data, kernel.Beside(c.name))
	default:
		o.Case, err = interp.ParseCase(c.name, c.data)
	}
	return err
}
