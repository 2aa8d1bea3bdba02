package kernel

// SplitTable maps constants to the specialized kernels.
type SplitTable struct {
	Conditions []Condition   `json:"conditions"`
	Kernels    []SplitKernel `json:"kernels"`
	// Otherwise is the file of the original kernel, for all other constants.
	Otherwise string `json:"otherwise"`
}

// SplitKernel is a kernel that may be launched if all conditions have the outcomes in When.
type SplitKernel struct {
	File string    `json:"file"`
	When []Outcome `json:"when"`
}

// Choose returns the file of the kernel to launch; constant maps names such as cb0[3].x to values.
func (t *SplitTable) Choose(constant func(name string) uint32) string {
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
