package d3d9

import "github.com/shaderlift/shaderlift/asm"

// The codes of what Validate finds, besides those of the rules of form.
const (
	// The program as a whole.
	codeModel      asm.Code = "unsupported-model" // not a model
	codeSlots      asm.Code = "slot-limit"
	codeArithmetic asm.Code = "arithmetic-limit" // slots, where they are counted apart
	codeTexture    asm.Code = "texture-limit"

	// Declarations.
	codeLate        asm.Code = "late-declaration"      // after the first instruction
	codeDeclaration asm.Code = "declaration"           // what the register's dcl cannot say
	codeDuplicate   asm.Code = "duplicate-declaration" // a component or a semantic declared twice
	codeUndeclared  asm.Code = "undeclared-register"   // needs a dcl and has none
	codeComponent   asm.Code = "undeclared-component"  // not in the mask of its dcl

	// UndeclaredBuiltin is told of a read of vPos or vFace without a dcl. The assembler refuses that;
	// there is nothing that a dcl could say of them, and Wine does without.
	UndeclaredBuiltin asm.Code = "undeclared-builtin"

	// Operands.
	codeTemps      asm.Code = "temporary-limit"  // beyond the last r#
	codeRange      asm.Code = "register-range"   // beyond the last register of the file
	codeDstFile    asm.Code = "destination-file" // not what the instruction can write
	codeSrcFile    asm.Code = "source-file"      // not what the instruction can read there
	codeMask       asm.Code = "write-mask"       // not for this instruction or register
	codeSaturate   asm.Code = "saturate"         // an instruction without _sat
	codeSrcMod     asm.Code = "source-modifier"  // not on this operand
	codeSwizzle    asm.Code = "source-swizzle"   // not in the model, or not on this operand
	codeScalar     asm.Code = "scalar-swizzle"   // a scalar operand that chooses no component
	codeOverlap    asm.Code = "register-overlap" // operands that must be different registers
	codePorts      asm.Code = "read-ports"       // too many different registers of a file
	codeConstReads asm.Code = "constant-reads"   // too many operands that are c#
	codePredicate  asm.Code = "predicate"        // a predicate's swizzle

	// Texture instructions.
	codeDependency asm.Code = "texture-dependency"       // too long a chain of dependent reads
	codeGradient   asm.Code = "gradient-in-varying-flow" // of an r# where pixels may part ways

	// Of ps_1_x.
	codeOrder   asm.Code = "texture-order"     // after arithmetic, or registers out of sequence
	codePair    asm.Code = "co-issue"          // instructions that cannot be issued together
	codePhase   asm.Code = "phase"             // more than one, or something in the wrong one
	codeRepeats asm.Code = "instruction-count" // an instruction of which there may be so many

	// Control flow.
	codeBlock          asm.Code = "unmatched-block"
	codeBreak          asm.Code = "break-outside-loop"
	codeLoopIndex      asm.Code = "loop-register" // aL outside a loop
	codeNesting        asm.Code = "nesting-limit"
	codeStaticFlow     asm.Code = "static-flow-limit" // number of static flow-control statements
	codeLabel          asm.Code = "misplaced-label"   // not after a ret
	codeDuplicateLabel asm.Code = "duplicate-label"
	codeCall           asm.Code = "call-target"   // no label further down
	codeRet            asm.Code = "misplaced-ret" // within a block, or before other statements
	codeNoRet          asm.Code = "missing-ret"   // of a subroutine

	// Values.
	codeUninitialized asm.Code = "uninitialized-register"

	// PartlyInitialized is told of a read of what some of the paths there have written and others have
	// not. The assembler refuses that; the runtime and drivers do not.
	PartlyInitialized asm.Code = "partly-initialized"

	codeOutputWrite   asm.Code = "output-write"   // in a form or place the model forbids
	codeOutputMissing asm.Code = "output-missing" // never written
	codeOutputMask    asm.Code = "output-mask"    // components or registers left out below others
)
