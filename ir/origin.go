package ir

import "github.com/shaderlift/shaderlift/asm"

// TakeIn notes that in does the work of from now, by a rewrite of that kind. It changes nothing
// of what in computes, and from may stay for others.
func (in *Instr) TakeIn(from *Instr, code asm.Code) {
	if in != from && (in.Pos != from.Pos || from.Also != nil) {
		in.Also = in.Also.Merged(from.Pos, code, from.Also)
	}
}

// TakeCopy is TakeIn of a move of which in reads what a lane copies. Nothing is left of one of a
// number that was evaluated, and is kept nowhere.
func (in *Instr) TakeCopy(from *Instr, lane int, code asm.Code) {
	if v := from.Src[0][lane].V; v.Kind != Literal || v.Home.File != 0 {
		in.TakeIn(from, code)
	}
}
