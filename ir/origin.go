package ir

import "github.com/shaderlift/shaderlift/asm"

// TakeIn records in in.Also that in now does the work of from, after a rewrite of kind code. It does not
// change the value of in, and from may stay for other readers.
func (in *Instr) TakeIn(from *Instr, code asm.Code) {
	if in != from && (in.Pos != from.Pos || from.Also != nil) {
		in.Also = in.Also.Merged(from.Pos, code, from.Also)
	}
}

// TakeCopy records, as TakeIn does, that in reads the source of the move from directly. It records nothing if
// the source is an evaluated number without a register.
func (in *Instr) TakeCopy(from *Instr, lane int, code asm.Code) {
	if v := from.Src[0][lane].V; v.Kind != Literal || v.Home.File != 0 {
		in.TakeIn(from, code)
	}
}
