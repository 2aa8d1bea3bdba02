package ir

import "fmt"

// Check verifies the invariants of f and returns an error about the first broken one. Passes may assume all
// of them and must keep all of them:
//
//   - a value is defined once, and before its uses in program order;
//   - a use is inside the region of its definition, or of one within it (outputs
//     are read where the body ends, so they see the definitions at its top level);
//   - a value knows the instruction and the lane that define it;
//   - every operand has exactly the lanes set that its op reads;
//   - every lane that a predicated instruction writes has a predicate and a
//     pass-through value; a lane that is neither written nor used for an effect
//     (texkill) has no predicate, and an unwritten lane has no pass-through value;
//   - regions have as many results as their owner, a loop has an argument for each
//     parameter, and a break one for each result of its loop;
//   - a memory op reads a state of each memory it touches, and one that changes
//     them defines a new state of each;
//   - no output component is written twice.
//
// It takes time linear in f. It does not check whether the dialect can write an instruction
// ([Dialect.Encodable]), or whether the states of one memory are used in order.
func (f *Func) Check() error {
	c := &checker{f: f, seen: make([]bool, f.nextID)}
	for _, v := range f.leaves {
		c.seen[v.ID] = true
	}
	c.region(f.Body, nil)
	for i, o := range f.Outs {
		c.checkUse(o.V, "output")
		if i > 0 && f.Outs[i-1].Reg == o.Reg {
			c.fail("output %v is written twice", o.Reg)
		}
	}
	return c.err
}

// checker walks f once in program order. seen, by ID, is the scope: the values that
// code at the current point may read. Values leave it where their region ends.
type checker struct {
	f    *Func
	seen []bool
	err  error
}

// fail records the first error.
func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("ir: %s: %s", c.f.Name, fmt.Sprintf(format, args...))
	}
}

// checkUse checks that v is in scope.
func (c *checker) checkUse(v *Value, where any) {
	switch {
	case v == nil:
		c.fail("%v: nil value", where)
	case int(v.ID) >= len(c.seen):
		c.fail("%v: value v%d belongs to another function", where, v.ID)
	case !c.seen[v.ID]:
		c.fail("%v: v%d is used before or outside its definition", where, v.ID)
	}
}

// def checks a definition by in and puts it in scope.
func (c *checker) def(v *Value, in *Instr, scope *[]ID) {
	if c.seen[v.ID] {
		c.fail("%v: v%d is defined twice", in.Op, v.ID)
	}
	if v.Def != in {
		c.fail("%v: v%d does not know its definition", in.Op, v.ID)
	}
	c.seen[v.ID] = true
	*scope = append(*scope, v.ID)
}

// region checks r; loop is the innermost loop around r, if any. Parameters enter the scope first. The
// definitions of r leave the scope at its end, except those of the function's body.
func (c *checker) region(r *Region, loop *Instr) {
	scope := make([]ID, 0, 2*len(r.Code))
	for _, p := range append(r.Params[:len(r.Params):len(r.Params)], r.Index) {
		if p != nil {
			if c.seen[p.ID] || p.Kind != Param {
				c.fail("v%d cannot be a parameter: it is something else", p.ID)
			}
			c.seen[p.ID] = true
			scope = append(scope, p.ID)
		}
	}
	for _, in := range r.Code {
		c.instr(in, loop, &scope)
	}
	for _, v := range r.Results {
		c.checkUse(v, "region result")
	}
	for _, id := range scope {
		c.seen[id] = false
	}
	if r == c.f.Body { // outputs are read where the body ends
		for _, id := range scope {
			c.seen[id] = true
		}
	}
}

// instr checks in and the regions within. Definitions enter the scope last, so that an instruction cannot
// read itself.
func (c *checker) instr(in *Instr, loop *Instr, scope *[]ID) {
	if c.err != nil {
		return
	}
	if n := in.Op.Info().NSrc; len(in.Src) < n && !in.Op.Has(Structured) && !in.Op.Has(AsSet) {
		c.fail("%v at %v: %d sources, not %d", in.Op, in.Pos, len(in.Src), n)
	}
	for i, v := range in.Out {
		if v != nil && (!in.Op.Writes(i) || v.Lane != uint8(i)) {
			c.fail("%v at %v: v%d cannot be its lane %d", in.Op, in.Pos, v.ID, i)
		}
	}
	// Lanes of operands. Only a loop may omit lanes of its source: a bare count has no step.
	predicated := in.IsPredicated()
	for s := range in.Src {
		want := in.Reads(s)
		for i, l := range in.Src[s] {
			if set := l.V != nil; set != (want>>i&1 != 0) && in.Op != OpLoop {
				c.fail("%v at %v: source %d lane %d: set is %v", in.Op, in.Pos, s, i, set)
			}
			if l.V != nil {
				c.checkUse(l.V, in.Op)
			}
		}
	}
	// Predicates: every written lane has a predicate and a pass-through value, or no lane has either.
	for i, l := range in.Pred {
		if l.V != nil {
			c.checkUse(l.V, in.Op)
		}
		if in.Out[i] == nil && (l.V != nil && !in.Op.Has(Effect) || in.Keep[i] != nil) {
			c.fail("%v at %v: lane %d has a predicate or what to keep, but is not written", in.Op, in.Pos, i)
		}
		if in.Out[i] != nil && (predicated != (l.V != nil) || predicated != (in.Keep[i] != nil)) {
			c.fail("%v at %v: lane %d has a predicate without what to keep, or not that of the others", in.Op, in.Pos, i)
		}
		if in.Keep[i] != nil {
			c.checkUse(in.Keep[i], in.Op)
		}
	}
	for _, v := range in.Args {
		c.checkUse(v, in.Op)
	}
	if in.Op.Has(Memory) && len(in.Results) != 0 && len(in.Results) != len(in.Args) {
		c.fail("%v at %v leaves %d memories of %d", in.Op, in.Pos, len(in.Results), len(in.Args))
	}
	// Constructs and their block arguments.
	inner := loop
	switch in.Op {
	case OpLoop:
		inner = in
		if len(in.Sub) != 1 || len(in.Args) != len(in.Sub[0].Params) {
			c.fail("loop at %v: %d arguments", in.Pos, len(in.Args))
		}
	case OpIf:
		if len(in.Sub) != 2 {
			c.fail("if at %v: %d regions", in.Pos, len(in.Sub))
		}
	case OpBreak:
		if loop == nil || len(in.Args) != len(loop.Results) {
			c.fail("break at %v does not fit its loop", in.Pos)
		}
	}
	for _, r := range in.Sub {
		if len(r.Results) != len(in.Results) {
			c.fail("%v at %v: a region hands over %d values, not %d", in.Op, in.Pos, len(r.Results), len(in.Results))
		}
		c.region(r, inner)
	}
	in.EachDef(func(v *Value) { c.def(v, in, scope) })
}
