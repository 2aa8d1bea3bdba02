// Package regalloc decides where values live: which register, which component.
//
// It works on a linear program of points that define and use values
// ([Code]), whatever the dialect. [Live] computes exact live ranges over the
// structured control flow, holes included. [Webs] gathers values that must share
// a register (the lanes of one instruction, the lanes of one operand) and packs
// them by component, so that a register may hold several unrelated values;
// [Webs.Colour] gives every web a register.
package regalloc
