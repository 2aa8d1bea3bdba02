// Package containers reads and writes files that contain shaders. [CheckForeign] recognizes formats that this program
// does not read, and advises how to convert the file.
//
// # Files with several programs
//
// [Open] finds the Direct3D 9 programs in these files. [Container.Encode] writes the file with other programs in their
// places, and keeps all other bytes:
//
//   - .vcs files of the Source engine (versions 5 and 6). Offsets and sizes change; no checksum covers the programs. A
//     static combo with a changed program is packed again, by LZMA if it was.
//   - shaders of bgfx (.bin). The size changes; hashes cover names only.
//   - compiled ShaderLab text of Unity 3 and 4. The text between quotes changes, and a length before the file.
//   - arrays in C and C++. The numbers change in their layout, and the size in brackets and the listing of fxc before
//     the array. In an array of several programs, code outside has offsets, so a comment fills the place of a shorter
//     program, and a larger one is refused.
//   - asm blocks in the source of an effect.
//
// A [Program] may have several places. [Container.Units] returns the pairs that a file shows: by pass and keywords in
// ShaderLab, by pass in an effect.
//
// # Content files
//
// [Decode] and [Encode] read and write the content files of XNA (.xnb), as far as needed to extract and
// replace an effect.
//
// [Decode] reads plain files and files compressed by LZX (XNA) or LZ4 (MonoGame). [Encode] writes
// plain files, which all readers of content files accept: FNA, MonoGame and XNA. It keeps the names
// of readers, platform, version and profile; it writes an unchanged plain file byte for byte as it
// was read.
//
// # LZX
//
// The decoder reads LZX, the method of Microsoft's cabinets, in the form that XNA uses in
// content files. These have frames of 32768 bytes, each with its own compressed bytes, and a window
// of 64 KB that spans them.
//
// The format is that of the Microsoft Cabinet LZX specification ([MS-PATCH] section 2 describes its
// successor). Only the tests have an encoder.
package containers
