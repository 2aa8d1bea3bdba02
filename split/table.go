package split

// Table says which kernel takes the place of another for which constants.
type Table struct {
	Conditions []Condition `json:"conditions"`
	Kernels    []Kernel    `json:"kernels"`
	// Otherwise is the file of the kernel itself, for all other constants.
	Otherwise string `json:"otherwise"`
}

// Kernel is one that may be launched where all conditions come out as When says.
type Kernel struct {
	File string    `json:"file"`
	When []Outcome `json:"when"`
}

// Choose is the file of the kernel to launch for constants, by names such as cb0[3].x.
func (t *Table) Choose(constant func(name string) uint32) string {
	for _, k := range t.Kernels {
		fits := true
		for _, o := range k.When {
			w, known := t.Conditions[o.Condition].Expr.eval(constant)
			fits = fits && known && (w != 0) == o.Holds
		}
		if fits {
			return k.File
		}
	}
	return t.Otherwise
}
