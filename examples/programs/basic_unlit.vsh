// A vertex with a colour and a texture, as it is.
vs_2_0
def c20, 0, 1, 0, 0
dcl_position v0
dcl_texcoord v2
m4x4 oPos, v0, c0
mov r1, c6
mov oD0, r1
mov oD1.xyz, c20.x
mov oD1.w, c20.x
mov oT0.xy, v2
