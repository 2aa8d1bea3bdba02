// Package containers reads and writes files that contain shaders. [CheckForeign] recognizes formats that this program
// does not read, and advises how to convert the file.
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
