// What SpriteBatch of XNA and FNA draws with where an effect has no vertex program of its own: the position by
// MatrixTransform, which it sets itself, and the tint and the texture coordinate as they are.
vs_2_0
dcl_color v0
dcl_texcoord v1
dcl_position v2
dp4 oPos.x, v2, c0
dp4 oPos.y, v2, c1
dp4 oPos.z, v2, c2
dp4 oPos.w, v2, c3
mov oD0, v0
mov oT0.xy, v1
