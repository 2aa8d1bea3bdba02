package ir

// Together reports whether o probably reads one register without a move: one value, lanes of one instruction,
// or different components of one home. Passes use this estimate to choose between forms before registers are
// assigned; emission decides. It returns false for leaves: [Dialect.Encodable] decides where those may be
// read.
func (o *Operand) Together() bool {
	var first *Value
	one, def, home := true, true, true
	var at [4]*Value // by component of the home
	for i := range o {
		v := o[i].V
		if v == nil || v.Kind == Undef {
			continue
		}
		if v.IsLeaf() {
			return false
		}
		if first == nil {
			first = v
		}
		one = one && v == first
		def = def && v.Def != nil && v.Def == first.Def && len(v.Def.Sub) == 0
		c := v.Home.Comp & 3
		home = home && v.Home.File == first.Home.File && v.Home.Index == first.Home.Index && (at[c] == nil || at[c] == v)
		at[c] = v
	}
	return one || def || home
}
