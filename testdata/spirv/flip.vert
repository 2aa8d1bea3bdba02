#version 310 es
// The rectangle of flip.frag.
layout(std140, set=0, binding=0) uniform Frame { float yScale; float alpha; } frame;
layout(location=0) in vec2 position;
layout(location=1) in vec2 textureCoords;
layout(location=0) out vec2 coords;
void main() {
  gl_Position = vec4(position, 0.0, 1.0);
  coords = textureCoords;
}
