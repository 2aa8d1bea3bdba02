package d3d9

import "github.com/shaderlift/shaderlift/asm"

// The codes of Validate, in addition to those of the rules of form.
const (
	// The program as a whole.
	codeModel      asm.Code = "unsupported-model" // not a model
	codeSlots      asm.Code = "slot-limit"
	codeArithmetic asm.Code = "arithmetic-limit" // slots, in models that count them separately
	codeTexture    asm.Code = "texture-limit"

	// Declarations.
	codeLate        asm.Code = "late-declaration"      // after the first instruction
	codeDeclaration asm.Code = "declaration"           // information that the register's dcl cannot have
	codeDuplicate   asm.Code = "duplicate-declaration" // a component or a semantic declared twice
	codeUndeclared  asm.Code = "undeclared-register"   // needs a dcl and has none
	codeComponent   asm.Code = "undeclared-component"  // not in the mask of its dcl

	// UndeclaredBuiltin reports a read of vPos or vFace without a dcl. The assembler refuses it,
	// but the dcl would add no information, and Wine accepts it.
	UndeclaredBuiltin asm.Code = "undeclared-builtin"

	// Operands.
	codeTemps      asm.Code = "temporary-limit"  // beyond the last r#
	codeInputs     asm.Code = "input-limit"      // beyond the last v# of a pixel program
	codeRange      asm.Code = "register-range"   // beyond the last register of the file
	codeDstFile    asm.Code = "destination-file" // the instruction cannot write this file
	codeSrcFile    asm.Code = "source-file"      // the instruction cannot read this file at this operand
	codeMask       asm.Code = "write-mask"       // not for this instruction or register
	codeSaturate   asm.Code = "saturate"         // an instruction without _sat
	codeSrcMod     asm.Code = "source-modifier"  // not on this operand
	codeSwizzle    asm.Code = "source-swizzle"   // not in the model, or not on this operand
	codeScalar     asm.Code = "scalar-swizzle"   // a scalar operand that selects no component
	codeScalarOut  asm.Code = "scalar-output"    // the same, in a write to an output of one component
	codeOverlap    asm.Code = "register-overlap" // operands that must be different registers
	codePorts      asm.Code = "read-ports"       // too many different registers of a file
	codeConstReads asm.Code = "constant-reads"   // too many operands that are c#
	codePredicate  asm.Code = "predicate"        // a predicate's swizzle
	// constantModifier reports a modifier on c# in ps_1_1 to ps_1_3. The result is undefined (MSDN, "Pixel Shader
	// Source Register Modifiers"), but the assembler accepts it.
	constantModifier asm.Code = "constant-modifier"

	// Texture instructions.
	codeDependency asm.Code = "texture-dependency"       // too long a chain of dependent reads
	codeGradient   asm.Code = "gradient-in-varying-flow" // of an r# in varying flow control

	// Of ps_1_x.
	codeOrder   asm.Code = "texture-order"     // after arithmetic, or registers out of sequence
	codePair    asm.Code = "co-issue"          // instructions that cannot be issued together
	codePhase   asm.Code = "phase"             // more than one, or something in the wrong one
	codeRepeats asm.Code = "instruction-count" // too many of an instruction whose number is limited

	// Control flow.
	codeBlock      asm.Code = "unmatched-block"
	codeBreak      asm.Code = "break-outside-loop"
	codeLoopIndex  asm.Code = "loop-register" // aL outside a loop
	codeNesting    asm.Code = "nesting-limit"
	codeStaticFlow asm.Code = "static-flow-limit" // number of static flow-control statements
	// loopConstant reports a loop or rep with a defi outside of the ranges that the reference gives.
	loopConstant       asm.Code = "loop-constant"
	codeLabel          asm.Code = "misplaced-label" // not after a ret
	codeDuplicateLabel asm.Code = "duplicate-label"
	codeCall           asm.Code = "call-target"   // no later statement has the label
	codeRet            asm.Code = "misplaced-ret" // within a block, or before other statements
	codeNoRet          asm.Code = "missing-ret"   // a subroutine without ret

	// Values.

	// Uninitialized reports a read of a component that no statement has written, which returns the
	// register's initial value. The assembler refuses it; the runtime and drivers do not.
	Uninitialized asm.Code = "uninitialized-register"
	codeUndefined asm.Code = "undefined-register" // an instruction has left it undefined

	// PartlyInitialized reports a read of a component that only some of the paths have written. The
	// assembler refuses it; the runtime and drivers do not.
	PartlyInitialized asm.Code = "partly-initialized"

	// unwrittenOutput reports a component of a position or a texture coordinate that is not
	// written. The assembler refuses it; the runtime and drivers do not.
	unwrittenOutput asm.Code = "unwritten-output"

	codeOutputWrite   asm.Code = "output-write"   // in a form or place the model forbids
	codeOutputMissing asm.Code = "output-missing" // never written
	codeOutputMask    asm.Code = "output-mask"    // components or registers missing below others
	// outputGap reports a missing oT# below another one. The reference forbids it, but compilers
	// write it.
	outputGap asm.Code = "output-gap"
)

// AssemblerRefuses reports whether Microsoft's assembler refuses programs that break the tolerated rule of code.
func AssemblerRefuses(code asm.Code) bool {
	switch code {
	case UndeclaredBuiltin, Uninitialized, PartlyInitialized, unwrittenOutput:
		return true
	}
	return false
}

// Tolerated reports whether the runtime and drivers accept programs that break the rule of code,
// and such programs exist. A rewrite may keep such a fault but may not add one.
func Tolerated(code asm.Code) bool {
	switch code {
	case UndeclaredBuiltin, Uninitialized, PartlyInitialized, unwrittenOutput, constantModifier, loopConstant, outputGap:
		return true
	}
	return false
}
