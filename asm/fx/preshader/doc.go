// Package preshader handles the programs that effects run on the CPU. Preshaders compute constants
// of a shader from parameters before a draw; they are in a comment of its bytecode. Expressions
// select an element of an array of shaders.
//
// [Decode] reads the words of a program, and [Encode] writes them from its fields; a program from a
// compiler is reproduced word for word. [Print] formats a program as text. [Run] executes it in
// float64, as clients do. The two known clients, D3DX as implemented by Wine and MojoShader,
// sometimes compute different results; [Client] selects one.
//
// A program is straight-line code over vectors of up to four consecutive components. Its inputs are
// a separate register file, to which its constant table maps parameters; its outputs are registers
// of the shader.
package preshader
