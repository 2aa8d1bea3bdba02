// Package xnb reads and writes the content files of XNA (.xnb), as far as needed to extract and
// replace an effect.
//
// [Decode] reads plain files and files compressed by LZX (XNA) or LZ4 (MonoGame). [Encode] writes
// plain files, which all readers of content files accept: FNA, MonoGame and XNA. It keeps the names
// of readers, platform, version and profile; it writes an unchanged plain file byte for byte as it
// was read.
package xnb
