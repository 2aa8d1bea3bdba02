package affine

import "github.com/shaderlift/shaderlift/ir"

// carried is a value that a loop carries, or its result.
type carried struct {
	in *ir.Instr // the loop
	at int       // its position
}

// recordCarried adds the values of the loop in to list. It adds a result if all breaks return the value of the trip,
// since trips that are not complete would count otherwise.
func recordCarried(list map[*ir.Value]carried, in *ir.Instr) {
	if in.Op != ir.OpLoop {
		return
	}
	body := in.Sub[0]
	for k, p := range body.Params {
		list[p] = carried{in, k}
		same := true
		body.EachBreak(func(b *ir.Instr) { same = same && b.Args[k] == p })
		if same {
			list[in.Results[k]] = carried{in, k}
		}
	}
}

// step returns the sum of the literals that a trip adds, and how the value may be read: as a float, as an integer,
// or both if a trip adds nothing.
func (c carried) step() (sum float64, float, integer, ok bool) {
	body := c.in.Sub[0]
	float, integer = true, true
	for v := body.Results[c.at]; v != body.Params[c.at]; {
		a, ok := Addition(v, IsLiteral)
		if !ok {
			return 0, false, false, false
		}
		if a.By.V != nil {
			sum += a.Amount()
			float, integer = float && a.Float, integer && !a.Float
		}
		v = a.From
	}
	return sum, float, integer, true
}
