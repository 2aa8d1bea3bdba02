// A vertex with a colour and a texture, lit by one directional light, with fog.
vs_2_0
def c20, 0, 1, 0, 0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
m4x4 oPos, v0, c0
dp3 r0.x, v1, -c4
max r0.x, r0.x, c20.x
mul r1.xyz, r0.x, c5
mul r1.xyz, r1, c6
add r1.xyz, r1, c7
mov r1.w, c6.w
mov oD0, r1
dp4 r2.x, v0, c8
min r2.x, r2.x, c20.y
max r2.x, r2.x, c20.x
mov oD1.xyz, c20.x
mov oD1.w, r2.x
mov oT0.xy, v2
