package d3d9

import (
	"fmt"
	"github.com/shaderlift/shaderlift/asm"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"strconv"
	"strings"
	"testing"
)

// Frames are valid programs, except for the statements in place of @.
const (
	vs11 = "vs_1_1\ndcl_position v0\ndcl_texcoord v1.xy\nmov r0, v0\nmov r1, v1.xyxy\n@\nmov oPos, r0"
	vs20 = "vs_2_0\ndcl_position v0\ndcl_texcoord v1.xy\nmov r0, v0\nmov r1, v1.xyxy\nmova a0, r1\n@\nmov oPos, r0"
	vs2x = "vs_2_x\ndcl_position v0\nmov r0, v0\nmov r1, v0\n@\nmov oPos, r0"
	vs30 = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1.xy\ndcl_2d s0\nmov r0, v0\nmov r1, v0\nmov o0, r0\n@"
	ps11 = "ps_1_1\ntex t0\n@\nmov r0, t0"
	ps14 = "ps_1_4\ntexld r0, t0\nphase\ntexld r1, t1\n@\nmov r0, r1"
	ps20 = "ps_2_0\ndcl t0\ndcl t1.xy\ndcl v0\ndcl_2d s0\ndcl_cube s1\nmov r0, t0\nmov r1, v0\n@\nmov oC0, r0"
	ps2x = "ps_2_x\ndcl t0\ndcl v0\ndcl_2d s0\nmov r0, t0\nmov r1, v0\n@\nmov oC0, r0"
	ps30 = "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\nmov r0, v0\nmov r1, v1\n@\nmov oC0, r0"
)

// subs returns the frame up to the @, so that the inserted statements end the program.
func subs(frame string) string { return frame[:strings.Index(frame, "@")+1] }

// ruleTests has, for every rule, statements that break only this rule, and the most similar valid
// ones. The entry has the whole program if the rule concerns it. The fault is on the line that
// begins with a blank, if any.
var ruleTests = []struct {
	code             asm.Code
	frame, bad, good string
}{
	{codeSlots, vs11, strings.Repeat("mov r0, r1\n", 126), strings.Repeat("mov r0, r1\n", 125)},
	{codeSlots, vs20, strings.Repeat("nrm r2.xyz, r1\n", 85), strings.Repeat("nrm r2.xyz, r1\n", 84)},
	{codeSlots, ps2x, strings.Repeat("dp2add r0, r1, r1, r1.x\n", 255), strings.Repeat("dp2add r0, r1, r1, r1.x\n", 254)},
	{codeArithmetic, ps20, strings.Repeat("mov r0, r1\n", 62), strings.Repeat("mov r0, r1\n", 61)},
	{codeTexture, ps20, strings.Repeat("texkill t0\n", 33), strings.Repeat("texkill t0\n", 32)},

	{codeLate, ps20, " dcl t2\nmov r0, t2", "mov r0, t1.x"},
	{codeLate, vs11, " def c0, 0, 0, 0, 0", "mov r0, c0"},
	{codeDeclaration, "ps_2_0\n@\nmov oC0, c0", " dcl s3", "dcl_volume s3"},
	{codeDeclaration, "ps_3_0\n@\nmov oC0, c0", " dcl vPos", "dcl vPos.xy"},
	{codeDeclaration, "ps_3_0\n@\nmov oC0, c0", " dcl_position v0", "dcl_position1 v0"},
	{codeDeclaration, "ps_3_0\n@\nmov oC0, c0", " dcl_pp vFace", "dcl vFace"},
	{codeDeclaration, "vs_3_0\n@\nmov o0, c0", " dcl_position o0.xyz\ndcl_fog o0.w", "dcl_position o0"},
	{codeDeclaration, "vs_3_0\ndcl_position o0\n@\nmov o0, c0", " dcl_psize o1.xy", "dcl_psize o1.x"},
	{codeDuplicate, "ps_2_0\ndcl t0\n@\nmov oC0, c0", " dcl t0", "dcl t1"},
	{codeDuplicate, "vs_3_0\ndcl_position o0\n@\nmov o0, c0", "dcl_texcoord o1.xy\n dcl_texcoord1 o1.yz",
		"dcl_texcoord o1.xy\ndcl_texcoord1 o1.z"},
	{codeDuplicate, "vs_1_1\ndcl_position v0\n@\nmov oPos, v0", " dcl_position v1", "dcl_position1 v1"},
	{codeUndeclared, ps20, " mov r0, t2", "mov r0, t1.x"},
	{codeUndeclared, ps20, " mov r0, v1", "mov r0, v0"},
	{codeUndeclared, ps20, " texld r0, t0, s2", "texld r0, t0, s0"},
	{codeUndeclared, vs11, " mov r0, v2", "mov r0, v0"},
	{codeUndeclared, "vs_1_1\n@\nmov oPos, r0", "dcl_position v0\n m4x4 r0, v1, c0", "m4x4 r0, v1, c0"},
	{codeUndeclared, vs30, " mov o2, r0", "mov o1.xy, r0"},
	{UndeclaredBuiltin, ps30, " cmp r0, vFace, r0, r1", "cmp r0, v0, r0, r1"},
	{UndeclaredBuiltin, "ps_3_0\n@mov oC0, r0", " mov r0, vPos.xyxy\n", "dcl vPos.xy\nmov r0, vPos.xyxy\n"},
	{codeComponent, ps20, " mov r0, t1", "mov r0.xy, t1"},
	{codeComponent, ps20, " texldp r0, t1, s0", "texld r0, t1, s0"},
	{codeComponent, ps20, " texld r0, t1, s1", "texld r0, t0, s1"},
	{codeComponent, vs20, " mov r0, v1.z", "mov r0, v1.y"},
	{codeComponent, vs30, " mov o1, r0", "mov o1.xy, r0"},

	{codeRange, vs11, " mov r0, c256", "mov r0, c255"},
	{codeTemps, vs20, " mov r12, r0", "mov r11, r0"},
	{codeTemps, ps20, " mov r31, r0", "mov r11, r0"},
	{codeInputs, "ps_3_0\n@mov oC0, r0", " dcl_texcoord v10\nmov r0, v10\n", "dcl_texcoord v9\nmov r0, v9\n"},
	{codeRange, vs20, " m4x4 r0, v0, c253", "m4x4 r0, v0, c252"},
	{codeRange, vs20, " mov r0, c300", "mov r0, c[a0.x + 300]"},
	{codeDstFile, vs20, " mov a0, r0", "mova a0, r0"},
	{codeDstFile, vs20, " mova r0, r0", "mova a0, r0"},
	{codeDstFile, vs20, " add c0, r0, r1", "add r0, r0, r1"},
	{codeDstFile, ps20, " nrm oC0.xyz, r0", "nrm r1.xyz, r0"},
	{codeDstFile, vs20, " lrp oD0, r0, r1, r0", "lrp r2, r0, r1, r0"},
	{codeDstFile, ps2x, " setp_gt r0, r0, r1", "setp_gt p0, r0, r1"},
	{codeSrcFile, vs20, " mov r0, a0", "mov r0, c[a0.x]"},
	{codeSrcFile, vs20, " mov r0, oPos", "mov oPos, r0"},
	{codeSrcFile, vs20, " rep r0\nendrep", "rep i0\nendrep"},
	{codeSrcFile, vs20, " loop i0, i0\nendloop", "loop aL, i0\nendloop"},
	{codeSrcFile, vs20, " if r0\nendif", "if b0\nendif"},
	{codeSrcFile, ps20, " texld r0, r1, t1", "texld r0, t0, s0"},
	{codeSrcFile, ps20, " mov r0, s0", "mov r0, c0"},
	{codeSrcFile, vs20, " sincos r2.xy, r0.x, r1, c1", "sincos r2.xy, r0.x, c0, c1"},
	{codeMask, vs11, " frc r0, r1", "frc r0.xy, r1"},
	{codeMask, vs11, " mov a0, r1.x", "mov a0.x, r1.x"},
	{codeMask, vs20, " mov oFog.xy, r1.x", "mov oFog.x, r1.x"},
	{codeMask, vs20, " crs r2, r0, r1", "crs r2.xyz, r0, r1"},
	{codeMask, vs20, " nrm r2.xy, r0", "nrm r2.xyz, r0"},
	{codeMask, vs20, " sincos r2.xyz, r0.x, c0, c1", "sincos r2.xy, r0.x, c0, c1"},
	{codeMask, vs20, " m3x3 r2, r0, c0", "m3x3 r2.xyz, r0, c0"},
	{codeMask, vs20, " m4x4 r2.xyz, r0, c0", "m4x3 r2.xyz, r0, c0"},
	{codeMask, ps20, " texkill r0.xy", "texkill r0"},
	{codeSaturate, ps20, " frc_sat r0, r1", "mov_sat r0, r1"},
	{codeSaturate, ps30, " texld_sat r0, r1, s0", "texld_pp r0, r1, s0"},
	{codeSaturate, vs30, " sincos_sat r2.xy, r0.x", "sincos r2.xy, r0.x"},
	{codeSrcMod, ps20, " texld r0, -r1, s0", "texld r0, r1, s0"},
	{codeSrcMod, ps30, " texld r0, -r1, s0", "texld r0, r1, s0"},
	{codeSrcMod, vs20, " m4x4 r2, r0, -c0", "m4x4 r2, -r0, c0"},
	{codeSwizzle, ps20, " mov r0, r1.xxyy", "mov r0, r1.yzxw"},
	{codeSwizzle, ps20, " texld r0, r1, s0.x", "texld r0, r1, s0"},
	{codeSwizzle, vs20, " m4x4 r2, r0, c0.x", "m4x4 r2, r0.x, c0"},
	{codeSwizzle, vs20, " crs r2.xyz, r0.yzxw, r1", "crs r2.xyz, r0, r1"},
	{codeScalar, vs20, " rcp r0, r1", "rcp r0, r1.w"},
	{codeScalar, vs11, " rcp r0, r1.wzyx", "rcp r0, r1"},
	{codeScalar, ps20, " pow r2, r0.x, r1", "pow r2, r0.x, r1.y"},
	{codeScalar, ps20, " dp2add r2, r0, r1, r0", "dp2add r2, r0, r1, r0.z"},
	{codeScalar, vs20, " sincos r2.xy, r0, c0, c1", "sincos r2.xy, r0.y, c0, c1"},
	{codeScalar, ps30, " if_gt r0, r1.x\nendif", "if_gt r0.x, r1.x\nendif"},
	{codeOverlap, vs20, " crs r1.xyz, r0, r1", "crs r2.xyz, r0, r1"},
	{codeOverlap, vs20, " nrm r0.xyz, r0", "nrm r2.xyz, r0"},
	{codeOverlap, vs20, " pow r1, r0.x, r1.x", "pow r0, r0.x, r1.x"},
	{codeOverlap, vs20, " m4x4 r0, r0, c0", "m4x4 r2, r0, c0"},
	{codeOverlap, vs20, "mov r2, r1\n m3x2 r2.xy, r0, r1", "mov r2, r1\nm3x2 r3.xy, r0, r1"},
	{codeOverlap, vs20, " lrp r0, r0, r1, r1", "lrp r0, r1, r0, r1"},
	{codeOverlap, vs20, " lrp r0, r1, r1, r0", "lrp r2, r1, r1, r0"},
	{codeOverlap, vs20, " sgn r2, r0, r3, r3", "sgn r2, r0, r3, r4"},
	{codeOverlap, vs20, " sincos r2.xy, r0.x, c0, c0", "sincos r2.xy, r0.x, c0, c1"},
	{codeOverlap, vs20, " sincos r0.xy, r0.x, c0, c1\nmov r0, r1", "sincos r0.xy, r1.x, c0, c1\nmov r0, r1"},
	{codePorts, vs20, " add r0, c0, c1", "add r0, c0, c0.x"},
	{codePorts, vs20, " add r0, v0, v1.x", "add r0, v0, v0"},
	{codePorts, vs20, " add r0, c[a0.x], c[a0.y]", "add r0, c[a0.x], c[a0.x].y"},
	{codePorts, vs20, " add r0, c[a0.x], c0", "add r0, c[a0.x], r1"},
	{codePorts, vs30, " mad r0, c0, r0, c1", "mad r0, c1, r0, c1"},
	{codePorts, ps20, " add r0, t0, t1.x", "add r0, t0, v0"},
	{codePorts, ps30, " mul r0, v0, v1", "mul r0, v0, v0"},
	{codeConstReads, vs20, " mad r0, c0, c0, c0", "mad r0, c0, c0, r0"},
	{codeConstReads, ps20, " mad r0, c0.x, c0.y, c0.z", "mad r0, c0.x, c0.y, r0"},
	{codePredicate, ps2x, "setp_gt p0, r0, r1\n (p0.yxzw) mov r0, r1", "setp_gt p0, r0, r1\n(!p0.y) mov r0, r1"},
	{codePredicate, vs2x, "setp_gt p0, r0, r1\n (p0) sincos r2.xy, r0.x, c0, c1",
		"setp_gt p0, r0, r1\n(p0.x) sincos r2.xy, r0.x, c0, c1"},
	{codePredicate, ps2x, "setp_gt p0, r0, r1\n if p0\nendif", "setp_gt p0, r0, r1\nif p0.x\nendif"},

	{codeSrcFile, ps20, " texld r0, v0, s0", "texld r0, t0, s0"},
	{codeSwizzle, ps20, " texld r0, r1.x, s0", "texld r0, r1, s0"},
	{codeMask, ps20, " texld r0.xyz, t0, s0", "texld r0, t0, s0"},
	{codeMask, ps2x, " texldp r0.w, t0, s0", "texldd r0.w, t0, s0, r0, r1"},
	{codeDependency, ps20, "texld r2, r0, s0\ntexld r3, r2, s0\nadd r3, r3, r3\ntexld r4, r3, s0\n texld r5, r4, s0",
		"texld r2, t0, s0\ntexld r3, r2, s0\nadd r3, r3, r3\ntexld r4, r3, s0\ntexld r5, r4, s0"},
	{codeDependency, ps20, "texld r0, t0, s0\ntexld r0, t0, s0\ntexld r0, t0, s0\n texld r0, t0, s0", // r0 has been written before
		"texld r2, t0, s0\ntexld r2, t0, s0\ntexld r2, t0, s0\ntexld r2, t0, s0"},
	{codeGradient, ps30, "if_gt r0.x, r1.x\n texld r0, r1, s0\nendif", "if_gt r0.x, r1.x\ntexld r0, v0, s0\nendif"},
	{codeGradient, ps30, "if_gt r0.x, r1.x\n dsx r0, r1\nendif", "if b0\ndsx r0, r1\nendif"},
	{codeGradient, ps30, "rep i0\n texld r0, r1, s0\nbreak_gt r0.x, r1.x\nendrep", "rep i0\ntexld r0, r1, s0\nendrep"},
	{codeGradient, subs(ps30), "setp_gt p0, r0, r1\ncallnz l0, p0.x\nmov oC0, r0\nret\nlabel l0\n texld r0, r1, s0\nret",
		"callnz l0, b0\nmov oC0, r0\nret\nlabel l0\ntexld r0, r1, s0\nret"},

	{codeBlock, vs20, " endif", ""},
	{codeBlock, vs20, " if b0", "if b0\nendif"},
	{codeBlock, vs20, "if b0\n endrep\nendif", "if b0\nrep i0\nendrep\nendif"},
	{codeBlock, vs20, "if b0\nelse\n else\nendif", "if b0\nelse\nendif"},
	{codeBreak, ps30, " break", "rep i0\nbreak\nendrep"},
	{codeBreak, ps30, "if_gt r0.x, r1.x\n break\nendif", "rep i0\nif_gt r0.x, r1.x\nbreak\nendif\nendrep"},
	{codeLoopIndex, vs20, " mov r0, c[aL]", "loop aL, i0\nmov r0, c[aL]\nendloop"},
	{codeLoopIndex, vs20, "rep i0\n mov r0, c[aL]\nendrep", "rep i0\nmov r0, c[a0.x]\nendrep"},
	{codeNesting, vs20, "rep i0\n rep i1\nendrep\nendrep", "rep i0\nendrep\nrep i1\nendrep"},
	{codeNesting, subs(vs20), "call l0\nmov oPos, r0\nret\nlabel l0\n call l1\nret\nlabel l1\nret",
		"call l0\ncall l1\nmov oPos, r0\nret\nlabel l0\nret\nlabel l1\nret"},
	{codeNesting, ps30, strings.Repeat("if_gt r0.x, r1.x\n", 24) + " if_gt r0.x, r1.x\n" + strings.Repeat("endif\n", 25),
		strings.Repeat("if_gt r0.x, r1.x\n", 24) + strings.Repeat("endif\n", 24)},
	{codeNesting, ps30, "rep i0\n" + strings.Repeat("if_gt r0.x, r1.x\n", 24) + " break_gt r0.x, r1.x\n" +
		strings.Repeat("endif\n", 24) + "endrep",
		"rep i0\n" + strings.Repeat("if_gt r0.x, r1.x\n", 24) + "break\n" + strings.Repeat("endif\n", 24) + "endrep"},
	{codeNesting, vs30, strings.Repeat("if b0\n", 24) + " if b0\n" + strings.Repeat("endif\n", 25),
		strings.Repeat("if b0\n", 24) + strings.Repeat("endif\n", 24)},
	{loopConstant, "vs_2_0\ndcl_position v0\n@\nmov oPos, v0", "defi i0, 256, 0, 0, 0\n rep i0\nendrep",
		"defi i0, 255, 0, 0, 1\nrep i0\nendrep"},
	{loopConstant, "vs_2_0\ndcl_position v0\n@\nmov oPos, v0", "defi i0, 1, 0, 128, 0\n loop aL, i0\nendloop",
		"defi i0, 1, 255, -128, 0\nloop aL, i0\nendloop"},
	{loopConstant, "vs_2_0\ndcl_position v0\n@\nmov oPos, v0", "defi i0, 1, 0, 1, 1\n loop aL, i0\nendloop",
		"defi i0, 1, 0, 1, 0\nloop aL, i0\nendloop"},
	{codeStaticFlow, vs20, strings.Repeat("if b0\nelse\nendif\n", 8) + "rep i0\nendrep",
		strings.Repeat("if b0\nelse\nendif\n", 8)},
	{codeLabel, subs(vs20), "call l0\n label l0\nmov oPos, r0\nret", "call l0\nmov oPos, r0\nret\nlabel l0\nret"},
	{codeDuplicateLabel, subs(vs20), "call l0\nmov oPos, r0\nret\nlabel l0\nret\n label l0\nret",
		"call l0\nmov oPos, r0\nret\nlabel l0\nret\nlabel l1\nret"},
	{codeCall, subs(vs20), " call l1\nmov oPos, r0\nret\nlabel l0\nret", "call l0\nmov oPos, r0\nret\nlabel l0\nret"},
	{codeCall, subs(vs2x), "call l0\nmov oPos, r0\nret\nlabel l0\n call l0\nret",
		"call l0\nmov oPos, r0\nret\nlabel l0\nret"},
	{codeRet, vs20, "ret\n", ""},
	{codeRet, vs20, "if b0\n ret\nendif", "if b0\nendif"},
	{codeNoRet, subs(vs20), "call l0\nmov oPos, r0\nret\nlabel l0", "call l0\nmov oPos, r0\nret\nlabel l0\nret"},

	{Uninitialized, ps20, " add r0, r0, r2", "mov r2, r1\nadd r0, r0, r2"},
	{Uninitialized, ps20, "mov r2.xy, r1\n dp3 r0, r0, r2", "mov r2.xyz, r1\ndp3 r0, r0, r2"},
	{Uninitialized, ps20, "mov r2.x, r1\n texld r0, r2, s0", "mov r2.xy, r1\ntexld r0, r2, s0"},
	{Uninitialized, ps20, "mov r2.xy, r1\n texkill r2", "mov r2.xyz, r1\ntexkill r2"},
	{Uninitialized, vs2x, " mov r0, c[a0.x]", "mova a0.x, r1\nmov r0, c[a0.x]"},
	{codeUndefined, vs20, "sincos r1.x, r0.x, c0, c1\n mov r0, r1", "sincos r1.x, r0.x, c0, c1\nmov r0, r1.xwxw"},
	{Uninitialized, ps2x, " (p0) mov r0, r1", "setp_gt p0, r0, r1\n(p0) mov r0, r1"},
	{Uninitialized, ps2x, "setp_gt p0.y, r0, r1\n if p0.x\nendif", "setp_gt p0.y, r0, r1\nif p0.y\nendif"},
	{PartlyInitialized, ps30, "if b0\nmov r2, r1\nendif\n mov r0, r2",
		"if b0\nmov r2, r1\nelse\nmov r2, r0\nendif\nmov r0, r2"},
	{PartlyInitialized, ps30, "rep i0\nmov r2, r1\nendrep\n mov r0, r2", "rep i0\nmov r2, r1\nmov r0, r2\nendrep"},
	{PartlyInitialized, ps30, "mov r2, r1\nrep i0\nbreak_gt r0.x, r1.x\nmov r3, r2\nendrep\n mov r0, r3",
		"mov r3, r1\nrep i0\nbreak_gt r0.x, r1.x\nmov r3, r0\nendrep\nmov r0, r3"},
	{PartlyInitialized, ps30, "rep i0\nif b0\nbreak\nelse\nmov r2, r0\nendif\nmov r0, r2\nendrep\n mov r0, r2",
		"rep i0\nif b0\nbreak\nelse\nmov r2, r0\nendif\nmov r0, r2\nendrep"},
	{codeUndefined, vs20, "rep i0\n mov r0, r1\nsincos r1.x, r0.x, c0, c1\nendrep",
		"rep i0\nmov r0, r1.xwxw\nsincos r1.x, r0.x, c0, c1\nendrep"},
	{PartlyInitialized, subs(vs20), "callnz l0, b0\n mov oPos, r2\nret\nlabel l0\nmov r2, r1\nret",
		"call l0\nmov oPos, r2\nret\nlabel l0\nmov r2, r1\nret"},
	{PartlyInitialized, subs(vs20), "call l0\nmov r2, r0\ncall l0\nmov oPos, r0\nret\nlabel l0\n mov r1, r2\nret",
		"mov r2, r0\ncall l0\ncall l0\nmov oPos, r0\nret\nlabel l0\nmov r1, r2\nret"},
	{PartlyInitialized, ps30, "rep i0\n add r0, r0, r2\nmov r2, r1\nendrep",
		"mov r2, r0\nrep i0\nadd r0, r0, r2\nmov r2, r1\nendrep"},
	{PartlyInitialized, ps30, "if b0\nif b1\nmov r2, r1\nendif\nelse\nmov r2.xyz, r0\nendif\n mov r0.x, r2.w",
		"if b0\nmov r2, r1\nelse\nmov r2.xyz, r0\nendif\nmov r0.x, r2.x"},
	{PartlyInitialized, vs2x, "if b0\nmova a0.x, r1\nendif\n mov r0, c[a0.x]",
		"mova a0.x, r1\nif b0\nmova a0.x, r0\nendif\nmov r0, c[a0.x]"},
	{PartlyInitialized, ps2x, "if b0\nsetp_gt p0, r0, r1\nendif\n (p0) mov r0, r1",
		"setp_gt p0, r0, r1\nif b0\nsetp_gt p0, r1, r0\nendif\n(p0) mov r0, r1"},
	// Other codes apply if no path has written it, or if one has spoiled it.
	{Uninitialized, ps30, "if b0\nmov r2.x, r1\nelse\n mov r0, r2\nendif",
		"if b0\nmov r2.x, r1\nelse\nmov r2, r0\nmov r0, r2\nendif"},
	{Uninitialized, ps30, "rep i0\nbreak\nmov r2, r1\nendrep\n mov r0, r2",
		"mov r2, r1\nrep i0\nbreak\nendrep\nmov r0, r2"},
	{codeUndefined, vs20, "mov r1, r0\nif b0\nsincos r1.x, r0.x, c0, c1\nendif\n mov r0.x, r1.y",
		"mov r1, r0\nif b0\nsincos r1.xy, r0.x, c0, c1\nendif\nmov r0.x, r1.y"},
	{codeUndefined, subs(vs20), "if b0\nmov r2, r0\nendif\ncall l0\n mov oPos, r2.y\nret\nlabel l0\nsincos r2.x, r0.x, c0, c1\nret", "call l0\nmov oPos, r2.xxxx\nret\nlabel l0\nsincos r2.x, r0.x, c0, c1\nret"},
	{codeDstFile, ps20, " add oC1, r0, r1", "mov oC1, r0"},
	{codeDstFile, ps30, " nrm oC1.xyz, r0", "lrp oC1, r0, r1, r0"},
	{codeDstFile, vs30, " lrp o1.xy, r0, v0, r0", "add o1.xy, r0, v0"},
	{codeOutputWrite, ps20, " mov oC1.xyz, r0", "mov_pp oC1, r0"},
	{codeOutputWrite, ps20, " mov oC1, -r0", "mov oC1, r0"},
	{codeOutputWrite, ps20, " mov_sat oC1, r0", "mov oC1, r0"},
	{codeOutputWrite, ps20, " mov oC1, r0.x", "mov oC1, r0"},
	{codeOutputWrite, ps20, " mov oDepth, r0", "mov oDepth, r0.x"},
	{codeOutputWrite, ps20, "mov oC1, r0\n mov oC1, r1", "mov oC1, r0\nmov oC2, r1"},
	{codeOutputWrite, ps2x, "setp_gt p0, r0, r1\n (p0) mov oC1, r0", "setp_gt p0, r0, r1\nmov oC1, r0"},
	{codeOutputWrite, ps2x, "if_gt r0.x, r1.x\n mov oC1, r0\nendif", "if b0\nmov oC1, r0\nendif"},
	{unwrittenOutput, "vs_1_1\ndcl_position v0\n@", "mov oPos.xyz, v0", "mov oPos, v0"},
	{unwrittenOutput, "vs_3_0\ndcl_position v0\ndcl_position o3\n@", "mov o3.x, v0", "mov o3, v0"},
	{codeOutputMissing, "vs_3_0\ndcl_position o0\nloop aL, i0\n@\nendloop", "mov r0, c0", "mov o[aL], c0"},
	{codeOutputMissing, "vs_3_0\n@", "dcl_color o0\nmov o0, c0", "dcl_position o0\nmov o0, c0"},
	{codeOutputMissing, "ps_2_0\n@", "mov oDepth, c0.x", "mov oDepth, c0.x\nmov oC0, c0"},
	{codeOutputMissing, "ps_3_0\n@", "mov r0, c0", "mov oDepth, c0.x"},
	{codeOutputMask, ps20, "mov oC2, r0", "mov oC2, r0\nmov oC1, r0"},
	{unwrittenOutput, vs20, "mov oT0.xz, r0", "mov oT0.xz, r0\nmov oT0.y, r1"},

	{outputGap, vs11, "mov oT0, r0\nmov oT3, r0", "mov oT0, r0\nmov oT1, r0"},
	{codeScalarOut, vs11, " mad oFog, -r1, c0.z, c0.w", "mad oFog, -r1.x, c0.z, c0.w"},
	{codeScalarOut, vs20, " mov oPts.x, r1", "mov oPts.x, r1.w"},
	{codeScalarOut, vs20, " mov oFog, r1.zxyw", "dp4 oFog, r1, c0"},
	// ps_1_x.
	{codeUndefined, ps11, " mov r1, t1", "mov r1, t0"},
	{codeUndefined, ps14, " mul r0, r0, r1", "mul r0.xyz, r0, r1"},
	{Uninitialized, ps11, "mov r0.xyz, t0\n +mul r1.w, r1, t0", "mov r1.w, t0\nmov r0.xyz, t0\n+mul r1.w, r1, t0"},
	{Uninitialized, "ps_1_1\ntex t0\n@", "mov r0.xyz, t0", "mov r0, t0"},
	{codeOutputMissing, "ps_1_1\ntex t0\n@", "mov r1, t0", "mov r0, t0"},
	{codeOutputMissing, "vs_1_1\ndcl_position v0\n@", "mov oT0, v0", "mov oPos, v0"},
	{codeArithmetic, ps11, strings.Repeat("mov r0, t0\n", 8), strings.Repeat("mov r0, t0\n", 7)},
	{codeArithmetic, ps11, strings.Repeat("mov r0.xyz, t0\n+mov r0.w, t0\n", 8),
		strings.Repeat("mov r0.xyz, t0\n+mov r0.w, t0\n", 7)},
	{codeArithmetic, ps14, strings.Repeat("mov r0, c0\n", 8), strings.Repeat("mov r0, c0\n", 7)},
	{codeTexture, "ps_1_1\ntex t0\ntex t1\ntex t2\ntex t3\n@\nmov r0, t0", "texkill t3", ""},
	{codeArithmetic, "ps_1_1\ntex t0\n@\n" + strings.Repeat("mov r0, t1\n", 8), "texbeml t1, t0", "texbem t1, t0"},
	{codeArithmetic, "ps_1_1\ntex t0\ntexbeml t1, t0\ntexbeml t2, t0\ntexbeml t3, t0\n@",
		strings.Repeat("mov r0, t1\n", 6), strings.Repeat("mov r0, t1\n", 5)},
	{codeDstFile, ps14, " mov t0, r1", "mov r0, r1"},
	{codeSrcFile, ps14, " mov r0, t0", "mov r0, c0"},
	{codeMask, ps11, " mov r1.xy, t0", "mov r1.xyz, t0"},
	{codeMask, ps11, " dp3 r1.w, t0, t0", "dp3 r1.xyz, t0, t0"},
	{codeSaturate, ps11, " mov_x8 r1, t0", "mov_x4 r1, t0"},
	{codeSaturate, ps14, " texld_sat r2, t2", "texld r2, t2"},
	{codeSrcMod, ps11, " mul_x2 r1, t0, t0_x2", "mul_x2 r1, t0_bx2, t0"},
	{codeSrcMod, "ps_1_1\ntex t0\n@\nmov r0, t0", " texreg2ar t1, t0_bx2", "texreg2ar t1, t0"},
	{constantModifier, ps11, " add r1, t0, -c0", "add r1, -t0, c0"},
	{constantModifier, ps11, " mul r1, t0, 1-c0", "mul r1, 1-t0, c0"},
	{codeSrcMod, ps14, " add r0, r1, -c0", "add r0, -r1, c0"},
	{codeSrcMod, "ps_1_4\n@\nmov r0, r0", " texld r0, t0_dz", "texld r0, t0_dw.xyw"},
	{codeSrcMod, "ps_1_4\n@\nmov r0, r0", " texld r0, t0_dw", "texld r0, t0"},
	{codeSrcMod, "ps_1_4\ntexld r1, t0\nphase\n@\nmov r0, r0", " texld r0, r1_dw.xyz", "texld r0, r1_dz"},
	{codeMask, "ps_1_4\n@\nmov r0, c0", " texcrd r1.xyz, t0_dw.xyw", "texcrd r1.xy, t0_dw.xyw"},
	{codeSwizzle, "ps_1_4\n@\nmov r0, r0", "texld r0, t0.xyw\n texld r1, t0", "texld r0, t0.xyz\ntexld r1, t0"},
	{codeRepeats, "ps_1_4\ntexld r0, t0\ntexld r1, t1\ntexld r2, t2\nphase\n@\nmov r0, r0",
		"texld r0, r0_dz\ntexld r1, r1_dz\n texld r2, r2_dz", "texld r0, r0_dz\ntexld r1, r1_dz\ntexld r2, r2"},
	{codeSwizzle, ps11, " mov r1.xyz, t0.z", "mov r1.w, t0.z"},
	{codeSwizzle, ps14, " mov r1, c0.xyyy", "mov r1, c0.y"},
	{codeScalar, "ps_1_1\ntex t0\nmov r0, t0\n@", " cnd r0, r0, t0, c0", "cnd r0, r0.w, t0, c0"},
	{codePorts, ps11, " mad r1, c0, c1, c2", "mad r1, c0, c1, c1"},
	{codeOverlap, "ps_1_2\ntex t0\nmov r0, t0\n@", " cmp r0, r0, t0, c0", "cmp r1, r0, t0, c0"},
	{codeOrder, ps11, "mov r1, t0\n tex t1", "mov r1, t0"},
	{codeOrder, "ps_1_1\ntex t0\n@\nmov r0, t0", "texm3x2pad t1, t0\n texm3x3tex t2, t0",
		"texm3x2pad t1, t0\ntexm3x2tex t2, t0"},
	{codeOrder, "ps_1_1\ntex t1\n@\nmov r0, t1", " texreg2ar t0, t1", "texreg2ar t2, t1"},
	{codePair, ps11, "mov r1.xyz, t0\n +mov r1.xyz, c0", "mov r1.xyz, t0\n+mov r1.w, c0"},
	{codePair, ps14, "dp4 r1.xyz, c0, c0\n +mov r1.w, c0", "dp3 r1.xyz, c0, c0\n+mov r1.w, c0"},
	{codePair, ps11, "mad r1.xyz, t0, c0, c1\n +mad r1.w, t0, c2, c3", "mad r1.xyz, t0, c0, c1\n+mad r1.w, t0, c2, c1"},
	{codePair, ps11, "mov r0, t0\nmov r1.w, t0\n +cnd r1.xyz, r0.w, t0, c0",
		"mov r0, t0\nmov r1.xyz, t0\n+cnd r1.w, r0.w, t0, c0"},
	{codeOrder, "ps_1_1\ntex t0\n@\nmov r0, t1", "texbem t1, t0\n texreg2ar t2, t0", "texbem t1, t0\ntexbem t2, t0"},
	{codeOrder, "ps_1_1\ntex t0\ntexbem t1, t0\n@\nmov r0, t1", " mul r0, t0, t1", "mov t0, t1\nmul r0, t0, t1"},
	{codePhase, "ps_1_4\nphase\n@\nmov r0, c0", " phase", "mov r2, c0"},
	{codePhase, "ps_1_4\ntexld r0, t0\n@\nphase\nmov r0, c0", " mov r1, v0", "bem r1.xy, c0, r0"},
	{codePhase, ps14, " bem r1.xy, c0, r0", "mov r1.xy, c0"},
	{codeRepeats, "ps_1_2\ntex t0\n@", strings.Repeat("cmp r0, t0, c0, c1\n", 3) + " cmp r0, t0, c0, c1",
		strings.Repeat("cmp r0, t0, c0, c1\n", 3)},

	// The rules of form, which also apply to generated statements.
	{"op-not-in-model", ps20, "", ""},
}

// faultLine returns the line of the fault, or 0 if it concerns the whole program.
func faultLine(src string) int {
	for i, l := range strings.Split(src, "\n") {
		if strings.HasPrefix(l, " ") {
			return i + 1
		}
	}
	return 0
}

func TestRules(t *testing.T) {
	for _, test := range ruleTests {
		src := strings.Replace(test.frame, "@", test.bad, 1)
		if test.good != "" || test.bad != "" {
			good := strings.Replace(test.frame, "@", test.good, 1)
			if ds := Validate(parse(t, good)); len(ds) > 0 {
				t.Errorf("%s: %v\nin\n%s", test.code, ds, good)
			}
		}
		p := parse(t, src)
		if test.bad == "" {
			p.Insts = append(p.Insts, Inst{Op: OpSlt})
		}
		ds := Validate(p)
		if len(ds) == 0 {
			t.Errorf("%s: nothing found in\n%s", test.code, src)
			continue
		}
		for _, d := range ds {
			if d.Code != test.code {
				t.Errorf("%s: found %v in\n%s", test.code, d, src)
			}
		}
		if want := faultLine(src); want > 0 && ds[0].Pos.Line != want {
			t.Errorf("%s: at line %d, want %d, in\n%s", test.code, ds[0].Pos.Line, want, src)
		}
	}
}

// TestBlocksOnce checks that an unclosed block is reported once, with its beginning, and that other
// subroutines are still checked.
func TestBlocksOnce(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"rep i0\nif b0\nelse\nendrep\nrep i0\nendrep\nendif", "9:1 unmatched-block: endrep within the else of line 8"},
		{"if b0\nrep i0\nendif\nendif", "8:1 unmatched-block: endif within the rep of line 7"},
		{"if b0\nrep i0", "6:1 unmatched-block: if is never closed; 7:1 unmatched-block: rep is never closed"},
		{"call l0\ncall l1\nret\nlabel l0\nif b0\nret\nlabel l1\nendif\nendrep\nret",
			"11:1 misplaced-ret: ret within the if of line 10; 13:1 unmatched-block: endif closes no block; 14:1 unmatched-block: endrep closes no block"},
		{"call l0\nloop aL, i0\nlabel l0\nmov r0, r0\nret", "8:1 misplaced-label: label within the loop of line 7"},
		{"call l0\nret\nlabel l0\nrep i0\nendif\nret", "10:1 unmatched-block: endif within the rep of line 9"},
	} {
		p := parse(t, "vs_2_0\ndcl_position v0\ndef c0, 0, 1, 0, 1\ndefi i0, 4, 0, 1, 0\nmov oPos, v0\n"+c.text+"\n")
		var got []string
		for _, d := range Validate(p) {
			got = append(got, fmt.Sprintf("%d:%d %s: %s", d.Pos.Line, d.Pos.Col, d.Code, d.Msg))
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s gives\n  %s\nwant\n  %s", c.text, got, c.want)
		}
	}
	// Positions in binaries are offsets.
	p := parse(t, "vs_2_0\ndcl_position v0\nmov oPos, v0\nif b0\nendrep\n")
	for i := range p.Insts {
		p.Insts[i].Pos = asm.Pos{Offset: 16 * i}
	}
	if ds := Validate(p); len(ds) != 1 || ds[0].Msg != "endrep within the if at +0x20" {
		t.Error(ds)
	}
}

func TestUnknownModel(t *testing.T) {
	if ds := Validate(&Program{Model: Model{Pixel, 7, 0}}); len(ds) != 1 || ds[0].Code != codeModel {
		t.Error(ds)
	}
}

// TestCodesTested checks that every code has a test.
func TestCodesTested(t *testing.T) {
	file, err := goparser.ParseFile(gotoken.NewFileSet(), "validate_codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		if _, imported := node.(*ast.ImportSpec); imported {
			return false
		}
		lit, ok := node.(*ast.BasicLit)
		if !ok {
			return true
		}
		code, _ := strconv.Unquote(lit.Value)
		if n++; asm.Code(code) == codeModel { // no program that can be read has it
			return true
		}
		for _, test := range ruleTests {
			if test.code == asm.Code(code) {
				return true
			}
		}
		t.Errorf("no test breaks the rule %s", code)
		return true
	})
	if n == 0 {
		t.Error("validate_codes.go has no codes")
	}
}
