package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// maxPlaces limits the places of a group that are listed.
const maxPlaces = 4

// Grouped joins the diagnostics of a file for the same reason. The first one names the places of the others. Codes of
// the port to a profile have several reasons, and their messages tell them apart.
func Grouped(all asm.Diags) (list asm.Diags) {
	type reason struct{ file, what string }
	places := map[reason][]string{}
	first := map[reason]*asm.Diag{}
	of := func(d *asm.Diag) reason {
		r := reason{d.Pos.File, string(d.Code)}
		if strings.HasPrefix(r.what, "fit-") || !d.Pos.IsValid() {
			r.what = d.Msg
		}
		return r
	}
	for _, d := range all {
		r := of(d)
		if first[r] == nil {
			first[r] = d
			list = append(list, d)
			continue
		}
		place := fmt.Sprint(d.Pos.Line)
		if d.Pos.Line == 0 {
			place = fmt.Sprintf("+%#x", d.Pos.Offset)
		}
		if !slices.Contains(places[r], place) {
			places[r] = append(places[r], place)
		}
	}
	for i, d := range list {
		at := places[of(d)]
		if len(at) == 0 {
			continue
		}
		what := "; also in line "
		if len(at) > 1 {
			what = "; also in lines "
		}
		if d.Pos.Line == 0 {
			what = "; also at "
		}
		more := ""
		if n := len(at) - maxPlaces; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		list[i] = asm.Errorf(d.Pos, d.Code, "%s%s%s%s", d.Msg, what, strings.Join(at[:min(len(at), maxPlaces)], ", "), more)
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
