package opt

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify"
)

// verifyModules compares two versions of a SPIR-V module, or of a vertex and a fragment module.
func verifyModules(before, after Input, o job, by effort, res *Result) error {
	old, err := o.readModules(before, res)
	if err != nil {
		return err
	}
	now, err := o.readModules(after, nil)
	if err != nil {
		return err
	}
	if len(old) != len(now) {
		return asm.Errorf(asm.Pos{File: after.Path()}, "wrong-pair", "the two versions do not have the same stages")
	}
	least, err := o.least()
	if err != nil {
		return err
	}
	options := o.verification(o.Numerics, by)
	options.Visible = true
	report := verify.CheckModules(old, now, options)
	res.needsDescriptors(report)
	return res.refused(report, least, &o.Options)
}

// needsDescriptors adds remarks about the descriptors that stages did not use before.
func (r *Result) needsDescriptors(report verify.Report) {
	for _, what := range report.Further {
		r.remark(asm.Pos{}, "descriptor-visibility", fmt.Sprintf("the result needs %s, which did not use it before; "+
			"the application has to make it visible to this stage", what))
	}
}
