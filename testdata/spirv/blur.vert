#version 310 es
// The rectangle of blur.frag.
layout(std140, set=0, binding=0) uniform Frame { mat4 mvp; vec2 size; vec2 atlas; vec4 taps[5]; } frame;
layout(location=0) in vec2 position;
layout(location=1) in vec2 textureCoords;
layout(location=0) out vec2 coords;
void main() {
  gl_Position = frame.mvp * vec4(position, 0.0, 1.0);
  coords = textureCoords;
}
