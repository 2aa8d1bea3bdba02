package d3d9

// The codes of what Validate finds, besides those of the rules of form.
const (
	// The program as a whole.
	codeModel      = "unsupported-model" // not validated: pixel programs before ps_2_0
	codeSlots      = "slot-limit"
	codeArithmetic = "arithmetic-limit" // slots, where they are counted apart
	codeTexture    = "texture-limit"

	// Declarations.
	codeLate        = "late-declaration"      // after the first instruction
	codeDeclaration = "declaration"           // what the register's dcl cannot say
	codeDuplicate   = "duplicate-declaration" // a component or a semantic declared twice
	codeUndeclared  = "undeclared-register"   // needs a dcl and has none
	codeComponent   = "undeclared-component"  // not in the mask of its dcl

	// Operands.
	codeTemps      = "temporary-limit"  // beyond the last r#
	codeRange      = "register-range"   // beyond the last register of the file
	codeDstFile    = "destination-file" // not what the instruction can write
	codeSrcFile    = "source-file"      // not what the instruction can read there
	codeMask       = "write-mask"       // not for this instruction or register
	codeSaturate   = "saturate"         // an instruction without _sat
	codeSrcMod     = "source-modifier"  // not on this operand
	codeSwizzle    = "source-swizzle"   // not in the model, or not on this operand
	codeScalar     = "scalar-swizzle"   // a scalar operand that chooses no component
	codeOverlap    = "register-overlap" // operands that must be different registers
	codePorts      = "read-ports"       // too many different registers of a file
	codeConstReads = "constant-reads"   // too many operands that are c#
	codePredicate  = "predicate"        // a predicate's swizzle

	// Texture instructions.
	codeDependency = "texture-dependency"       // too long a chain of dependent reads
	codeGradient   = "gradient-in-varying-flow" // of an r# where pixels may part ways

	// Control flow.
	codeBlock          = "unmatched-block"
	codeBreak          = "break-outside-loop"
	codeLoopIndex      = "loop-register" // aL outside a loop
	codeNesting        = "nesting-limit"
	codeStaticFlow     = "static-flow-limit" // number of static flow-control statements
	codeLabel          = "misplaced-label"   // not after a ret
	codeDuplicateLabel = "duplicate-label"
	codeCall           = "call-target"   // no label further down
	codeRet            = "misplaced-ret" // within a block, or before other statements
	codeNoRet          = "missing-ret"   // of a subroutine

	// Values.
	codeUninitialized = "uninitialized-register"
	codeOutputWrite   = "output-write"   // in a form or place the model forbids
	codeOutputMissing = "output-missing" // never written
	codeOutputMask    = "output-mask"    // components or registers left out below others
)
