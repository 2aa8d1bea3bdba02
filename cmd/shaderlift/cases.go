package main

import (
	"bytes"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// caseFile is the text of a draw or a launch. The input determines which, so it is parsed for each
// input. A nil caseFile means that none was given.
type caseFile struct {
	name string
	data []byte
}

// readCase reads a case file, and records the data files that it uses. It returns nil if the name
// is empty.
func (a *app) readCase(name string) (*caseFile, error) {
	if name == "" {
		return nil, nil
	}
	data, err := a.readFile(name)
	if err != nil {
		return nil, err
	}
	c := &caseFile{name, data}
	if launch, err := c.launch(); err == nil {
		for _, path := range launch.Files(name) {
			a.paths.reads(path)
		}
	}
	return c, nil
}

// parse parses c into o: as a launch for a kernel, as a draw for a pair, and as attributes for each
// invocation of a single program.
func (c *caseFile) parse(kind shaderlift.Kind, o *shaderlift.Options) (err error) {
	if c == nil {
		return nil
	}
	if kind == shaderlift.KindModule {
		return usagef("--case %s: SPIR-V modules run with generated inputs; leave --case out", c.name)
	}
	if kind != shaderlift.KindKernel {
		read := interp.ParseCase
		if kind == shaderlift.KindPair {
			read = interp.ParseDraw
		}
		if o.Draw.Case, err = read(c.name, c.data); err != nil && c.isLaunch() {
			return otherCase(err, "this is the launch of a kernel; want a draw of Direct3D 9 programs")
		}
		return err
	}
	if o.Kernel.Case, err = c.launch(); err != nil {
		if _, draw := interp.ParseCase(c.name, c.data); draw == nil {
			return otherCase(err, "this is a draw of Direct3D 9 programs; want the launch of a kernel")
		}
	}
	return err
}

// otherCase adds the actual kind of a case to the error from parsing it as another kind.
func otherCase(err error, what string) error {
	if d, ok := err.(*asm.Diag); ok {
		other := *d
		other.Msg += ": " + what
		return &other
	}
	return err
}

// launch parses c as a launch of a kernel.
func (c *caseFile) launch() (*kernel.Case, error) {
	return kernel.ParseCaseWith(c.name, c.data, kernel.Beside(c.name))
}

// isLaunch reports whether c is a launch of a kernel. An empty file fits any kind.
func (c *caseFile) isLaunch() bool {
	_, err := c.launch()
	return err == nil && len(bytes.TrimSpace(c.data)) > 0
}
