// What PostProcessVS of ReShade.fxh does: a triangle over the screen, from the numbers 0, 1 and 2 of its vertices. The
// coordinates are (0, 0), (0, 2) and (2, 0). The position is (2x - 1, 1 - 2y, 0, 1).
vs_2_0
def c0, 1.5, 0.5, 2, 0
def c1, 2, -2, 0, 0
def c2, -1, 1, 0, 1
dcl_texcoord v0
sge r0.xy, v0.x, c0
add r0.y, r0.y, -r0.x
mul r0.xy, r0, c0.z
mov r0.zw, c0.w
mov oT0.xy, r0
mov r1, c2
mad oPos, r0, c1, r1
