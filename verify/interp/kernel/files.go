package kernel

import "slices"

// FileWord is what says in a case file that data comes from another file.
const FileWord = "file"

// WithoutFiles is c with what it took from files spelled out, so that its text needs none.
func (c *Case) WithoutFiles() *Case {
	d := *c
	spell := func(data *Data) {
		if data.Kind == File {
			*data = Data{Kind: Words, Words: data.Words}
		}
	}
	d.Inputs, d.Resources, d.Views = slices.Clone(c.Inputs), slices.Clone(c.Resources), slices.Clone(c.Views)
	for i := range d.Inputs {
		spell(&d.Inputs[i].Data)
	}
	for i := range d.Resources {
		spell(&d.Resources[i].Data)
	}
	for i := range d.Views {
		spell(&d.Views[i].Data)
	}
	if c.Global != nil {
		g := *c.Global
		spell(&g.Data)
		d.Global = &g
	}
	return &d
}
