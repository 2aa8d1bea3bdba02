package ir

// Linearity is the way a value varies over a primitive. The classes are ordered: a sum is in the greater
// class of its operands.
//
// Affine is the class that code motion needs. The rasterizer interpolates a varying v with weights that sum
// to 1 (the perspective-correct barycentric coordinates), so sum w_i*(A*v_i + b) = A*(sum w_i*v_i) + b. An
// affine function of varyings may therefore be computed per vertex and interpolated, with equal results over
// the reals. This is condition C3 (equivalency) of Ikeda, Ino and Hagihara, "A Code Motion Technique for
// Accelerating General-Purpose Computation on the GPU", IPDPS 2006.
type Linearity uint8

const (
	Constant  Linearity = iota // literals only
	Invariant                  // the same for all invocations of a draw: depends on constants only
	Affine                     // affine in the interpolated inputs, with invariant coefficients
	Nonlinear                  // none of these
)

// Linearities classifies every value of f by ID; leaf classifies the leaves. It evaluates the formulas of the
// op table in the algebra of classes, so a dot product of an affine vector with an invariant one is affine.
// Results of fetches, conditional writes, loops and conditionals count as nonlinear, and so do derivatives
// and anything computed from these. The classes are upper bounds: v*v - v*v is constant and counts as
// nonlinear.
func Linearities(f *Func, leaf func(*Value) Linearity) []Linearity {
	class := make([]Linearity, f.NumValues())
	for i := range class {
		class[i] = Nonlinear
	}
	for _, v := range f.leaves {
		class[v.ID] = leaf(v)
	}
	f.Walk(func(in *Instr) {
		for lane, v := range in.Out {
			if v != nil {
				class[v.ID] = in.Linearity(lane, func(v *Value) Linearity { return class[v.ID] })
			}
		}
	})
	return class
}

// Linearity returns the class of a lane of in, given the classes of its operands.
func (in *Instr) Linearity(lane int, class func(*Value) Linearity) Linearity {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(Convergent) {
		return Nonlinear
	}
	var alg linearAlgebra
	c := Eval(alg, in.Op, lane, func(src, l int) Linearity {
		x := in.Src[src][l]
		if x.Mod&Abs != 0 {
			return alg.Call(PrimAbs, []Linearity{class(x.V)})
		}
		return class(x.V)
	})
	if in.Mods&Sat != 0 {
		c = alg.Call(PrimSat, []Linearity{c})
	}
	return c
}

// linearAlgebra maps the classes of operands to the class of a result. A sum takes the greater class, and a
// product of two affine factors is quadratic. A primitive of invariants is invariant, one of constants is
// constant. A primitive of an affine argument is nonlinear, except a selection under an invariant condition: for a
// draw, it is one of its arguments.
type linearAlgebra struct{}

func (linearAlgebra) Const(float32) Linearity      { return Constant }
func (linearAlgebra) Add(a, b Linearity) Linearity { return max(a, b) }
func (linearAlgebra) Neg(a Linearity) Linearity    { return a }
func (linearAlgebra) Mul(a, b Linearity) Linearity {
	if a == Affine && b == Affine {
		return Nonlinear
	}
	return max(a, b)
}

func (linearAlgebra) Call(p Prim, args []Linearity) Linearity {
	if p == PrimSel && args[0] <= Invariant {
		return max(args[0], args[1], args[2])
	}
	c := Constant
	for _, a := range args {
		c = max(c, a)
	}
	if c == Affine {
		return Nonlinear
	}
	return c
}
