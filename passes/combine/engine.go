package combine

import (
	"slices"
	"sync"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// rule is one rewrite of an instruction: a row, or code.
type rule struct {
	*rules.Compiled // nil for code
	ops             []ir.Op
	class           passes.Class
	// apply changes nothing unless it reports that it applied.
	apply func(c *combiner, in *ir.Instr) bool
}

// table lists rules by op, in the order they are tried. The first that applies counts, so rules that save
// more come first.
type table [ir.NumOps][]*rule

func tableOf(lists ...[]*rule) *table {
	t := new(table)
	for _, list := range lists {
		for _, r := range list {
			for _, op := range r.ops {
				t[op] = append(t[op], r)
			}
		}
	}
	return t
}

// compileRules compiles lists of rows; row returns the rule for one, and code a rule for a function.
func compileRules(lists ...[]rules.Rule) (list []*rule) {
	for _, rows := range lists {
		for i := range rows {
			list = append(list, tableRule(rules.Compile(&rows[i])))
		}
	}
	return list
}

func tableRule(r *rules.Compiled) *rule {
	return &rule{Compiled: r, ops: r.RootOps(),
		apply: func(c *combiner, in *ir.Instr) bool { return c.applyRule(r, in) }}
}

func funcRule(class passes.Class, apply func(*combiner, *ir.Instr) bool, ops ...ir.Op) []*rule {
	return []*rule{{ops: ops, class: class, apply: apply}}
}

// always holds the rules that pay in every program: the slot cost decides, not the cost model.
var always = sync.OnceValue(func() *table {
	return tableOf(
		funcRule(passes.Terms, (*combiner).absorb, ir.OpMov),
		compileRules(sums, chains),
		funcRule(passes.Real, (*combiner).dot, ir.OpAdd, ir.OpMad),
		compileRules(lerps, masks),
		funcRule(passes.Real, (*combiner).length, ir.OpNrm),
		funcRule(passes.Real, (*combiner).zeroLane, ir.OpDp4),
		funcRule(passes.Real, (*combiner).kill, ir.OpKill),
		funcRule(passes.Bits, (*combiner).choose, ir.OpAdd, ir.OpMul, ir.OpMad, ir.OpLrp),
		compileRules(choices, signs, common, clamps, bounded, powers, functions),
		compileRules(neutral, scales, offsets, regroupings, complements, decisions),
	)
})

// keeps returns the class of r.
func (c *combiner) keeps(r *rule) passes.Class {
	if r.Compiled != nil {
		return r.Keeps(c.f.Dialect)
	}
	return r.class
}

// applyRule applies a rule to in.
func (c *combiner) applyRule(r *rules.Compiled, in *ir.Instr) bool {
	c.matcher.Reals = c.ctx.Allows(passes.Real, in)
	if r.Every {
		return c.everywhere(r, in)
	}
	w, ok := c.matcher.Rewrite(r, in)
	return ok && c.rewrite(in, &w)
}

// rewrite replaces in by w, if a step is granted.
func (c *combiner) rewrite(in *ir.Instr, w *rules.Rewrite) bool {
	c.doing = "made " + w.To.Op.String()
	if !c.shouldRewrite(in) {
		return false
	}
	w.Define(c.f)
	for _, add := range w.Before {
		c.insert(add, in)
	}
	for _, def := range w.Takes {
		w.To.TakeIn(def, merged)
	}
	c.replace(in, w.To)
	return true
}

// maxReaders bounds the readers of an instruction that has to die everywhere. More readers are not worth the
// work (assumed).
const maxReaders = 16

// everywhere applies a rule to all readers of the shared operation, or to none: it pays only if that
// operation dies.
func (c *combiner) everywhere(r *rules.Compiled, in *ir.Instr) bool {
	defer func() { c.matcher.About = nil }()
	for k := range in.Src {
		def := c.source(&in.Src[k], in)
		if def == nil {
			continue
		}
		c.matcher.About = def
		if _, ok := c.matcher.Rewrite(r, in); !ok {
			continue
		}
		if readers, ways := c.readersOf(r, def); readers != nil {
			for i, in := range readers {
				if !c.rewrite(in, &ways[i]) {
					return i > 0
				}
			}
			return true
		}
	}
	return false
}

// readersOf returns the readers of def and their rewrites, or nil unless all of them can be rewritten.
func (c *combiner) readersOf(r *rules.Compiled, def *ir.Instr) (readers []*ir.Instr, ways []rules.Rewrite) {
	left := c.readsOf(def)
	for _, v := range def.Out {
		if v == nil {
			continue
		}
		for _, in := range c.readers[v.ID] {
			n := readsFrom(in, def)
			if n == 0 || c.dead[in] || slices.Contains(readers, in) {
				continue
			}
			w, ok := c.matcher.Rewrite(r, in)
			if !ok || in.IsPredicated() || !c.ctx.Allows(r.Keeps(c.f.Dialect), in) || readsFrom(&w.To, def) > 0 ||
				len(readers) == maxReaders {
				return nil, nil
			}
			readers, ways = append(readers, in), append(ways, w)
			left -= n
		}
	}
	if left != 0 {
		return nil, nil
	}
	return readers, ways
}

// readsFrom returns the number of source lanes of in that def writes.
func readsFrom(in, def *ir.Instr) (n int32) {
	eachOperandLane(in, func(l ir.Lane) {
		if l.V.Def == def {
			n++
		}
	})
	return n
}
