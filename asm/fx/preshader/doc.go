// Package preshader holds the programs that effects run on the CPU: preshaders, which
// compute constants of a shader from parameters before a draw and stand in a comment of
// its bytecode, and the expressions that select an element of an array of shaders.
//
// [Decode] reads the words of one, [Encode] writes them, from the fields alone: every
// program that compilers made comes back word for word. [Print] shows a program as text.
// [Run] executes it, in float64 as clients do; where the two known clients, D3DX as Wine
// implements it and MojoShader, compute different things, [Client] says whose way it is.
//
// A program is straight-line code over vectors of up to four consecutive components. Its
// inputs are a register file of their own, which its constant table maps parameters to;
// its outputs are registers of the shader.
package preshader
