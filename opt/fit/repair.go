package fit

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
)

// repairs describes how --fit repairs the broken rules of a model, by the code of the diagnostic. All
// are limits except the last: a write to an output that the model does not allow, whose meaning is
// unambiguous.
var repairs = map[asm.Code]string{
	"arithmetic-limit":   "it is optimized until it does",
	"slot-limit":         "it is optimized until it does",
	"texture-limit":      "textures are read once for all that needs them",
	"temporary-limit":    "values share registers",
	"input-limit":        "varyings share registers",
	"texture-dependency": "reads that depend on none are done before",
	"read-ports":         "all but one are copied first",
	"constant-reads":     "all but one are copied first",
	"source-swizzle":     "a temporary has the components in that order",
	"output-write":       "a temporary has it first",
}

// Repaired returns the repair as the end of a sentence.
func Repaired(code asm.Code) string {
	if how := repairs[code]; how != "" {
		return "; " + how
	}
	return ""
}

// WithRepairs returns the diagnostics that have a repair, with the repair added.
func WithRepairs(all asm.Diags) (list asm.Diags) {
	for _, d := range all {
		if how := Repaired(d.Code); how != "" {
			list = append(list, asm.Errorf(d.Pos, d.Code, "%s%s", d.Msg, how))
		}
	}
	return list
}

// SortedByPlace sorts diagnostics by file and position.
func SortedByPlace(all asm.Diags) asm.Diags {
	slices.SortStableFunc(all, func(a, b *asm.Diag) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Offset-b.Pos.Offset,
			a.Pos.Col-b.Pos.Col)
	})
	return all
}

// Mendable moves the diagnostics that --fit can repair from wrong to the limits.
func Mendable(wrong, large asm.Diags) (left, more asm.Diags) {
	for _, d := range wrong {
		if repairs[d.Code] != "" {
			large = append(large, d)
		} else {
			left = append(left, d)
		}
	}
	return left, large
}
