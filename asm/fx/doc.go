// Package fx holds the concrete syntax of compiled Direct3D 9 effects (fx_2_0), as fxc
// writes them and D3DX, Wine, and FNA by way of MojoShader read them: parameters,
// techniques and passes with their states, and the objects these name, above all the
// bytecode of shaders.
//
// [Decode] reads an effect, [Encode] writes one. Reading loses nothing: an effect that
// nobody changed is written byte for byte as it was, with the pool of types, values and
// strings that the records point into, what nothing points at in it, the wrapper that XNA
// puts before effects, and what stands behind the end.
//
// What is in the pool remembers its [Place] there. Who changes a type, a value or a
// string clears its place; it is then appended to the pool, and what was there stays.
// Objects are in no pool: their bytes are replaced by others of any length.
//
// Records name each other by number: parameters, techniques, passes and states may be
// appended to, but not reordered. An [Object] belongs to a parameter and is named by its
// id in any number of values, as the shaders of arrays are; an [Assignment] belongs to
// one state. [Effect.Shaders] lists what is bytecode among them.
package fx
