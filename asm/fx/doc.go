// Package fx holds the concrete syntax of compiled Direct3D 9 effects (fx_2_0). fxc writes them;
// D3DX, Wine, and FNA by way of MojoShader read them. An effect has parameters, techniques and
// passes with their states, and the objects that these name, in particular the bytecode of shaders.
//
// [Decode] reads an effect, [Encode] writes one. Reading loses nothing: an unchanged effect is
// written back byte for byte. It keeps the pool of types, values and strings, including unused
// parts, the wrapper that XNA puts before effects, and the bytes after the end.
//
// Types, values and strings remember their [Place] in the pool. If you change one, clear its place;
// [Encode] then appends it to the pool and keeps the old data. Objects are outside the pool, so you
// can replace their bytes by others of any length.
//
// Records refer to each other by number, so you may append parameters, techniques, passes and
// states, but not reorder them. An [Object] belongs to a parameter, and any number of values may
// refer to its id, like the shaders of arrays. An [Assignment] belongs to one state.
// [Effect.Shaders] lists the bytecode among them.
package fx
