package fx

import "fmt"

// Operation identifies a state. 0 to 102 are render states, in their own order. The states of
// fixed-function lighting and texture stages follow, which have no names here, then shaders and the
// states of samplers. The numbers are those of D3DX's effect compiler, as in Wine's state_table
// (d3dx9_36/effect.c) and MojoShader's MOJOSHADER_renderStateType.
type Operation uint32

// The states that set shaders and textures. Other states have no named constants.
const (
	SetVertexShader Operation = 146
	SetPixelShader  Operation = 147
	SetTexture      Operation = 164
)

// SetsConstants reports whether o is VertexShaderConstant or PixelShaderConstant in one of its
// forms for types and sizes. These states set registers by number.
func (o Operation) SetsConstants() bool { return 148 <= o && o <= 163 }

// ReplacesCoordinates reports whether o is Wrap0 to Wrap15 or PointSpriteEnable. With these, the
// rasterizer modifies or replaces interpolated texture coordinates.
func (o Operation) ReplacesCoordinates() bool { return 31 <= o && o <= 46 || o == 62 }

// operationNames are the names in D3DRENDERSTATETYPE and D3DSAMPLERSTATETYPE, in the spelling of
// effects.
var operationNames = [...]string{
	0: "ZEnable", "FillMode", "ShadeMode", "ZWriteEnable", "AlphaTestEnable", "LastPixel", "SrcBlend", "DestBlend",
	8: "CullMode", "ZFunc", "AlphaRef", "AlphaFunc", "DitherEnable", "AlphaBlendEnable", "FogEnable", "SpecularEnable",
	16: "FogColor", "FogTableMode", "FogStart", "FogEnd", "FogDensity", "RangeFogEnable",
	22: "StencilEnable", "StencilFail", "StencilZFail", "StencilPass", "StencilFunc", "StencilRef", "StencilMask", "StencilWriteMask",
	30: "TextureFactor", "Wrap0", "Wrap1", "Wrap2", "Wrap3", "Wrap4", "Wrap5", "Wrap6", "Wrap7",
	39: "Wrap8", "Wrap9", "Wrap10", "Wrap11", "Wrap12", "Wrap13", "Wrap14", "Wrap15",
	47: "Clipping", "Lighting", "Ambient", "FogVertexMode", "ColorVertex", "LocalViewer", "NormalizeNormals",
	54: "DiffuseMaterialSource", "SpecularMaterialSource", "AmbientMaterialSource", "EmissiveMaterialSource", "VertexBlend",
	59: "ClipPlaneEnable", "PointSize", "PointSize_Min", "PointSpriteEnable", "PointScaleEnable", "PointScale_A", "PointScale_B", "PointScale_C",
	67: "MultiSampleAntialias", "MultiSampleMask", "PatchEdgeStyle", "DebugMonitorToken", "PointSize_Max", "IndexedVertexBlendEnable",
	73: "ColorWriteEnable", "TweenFactor", "BlendOp", "PositionDegree", "NormalDegree", "ScissorTestEnable", "SlopeScaleDepthBias",
	80: "AntialiasedLineEnable", "MinTessellationLevel", "MaxTessellationLevel", "AdaptiveTess_X", "AdaptiveTess_Y", "AdaptiveTess_Z", "AdaptiveTess_W",
	87: "EnableAdaptiveTessellation", "TwoSidedStencilMode", "CCW_StencilFail", "CCW_StencilZFail", "CCW_StencilPass", "CCW_StencilFunc",
	93: "ColorWriteEnable1", "ColorWriteEnable2", "ColorWriteEnable3", "BlendFactor", "SRGBWriteEnable", "DepthBias",
	99: "SeparateAlphaBlendEnable", "SrcBlendAlpha", "DestBlendAlpha", "BlendOpAlpha",

	146: "VertexShader", "PixelShader",
	164: "Texture", "AddressU", "AddressV", "AddressW", "BorderColor", "MagFilter", "MinFilter", "MipFilter", "MipMapLODBias",
	173: "MaxMipLevel", "MaxAnisotropy", "SRGBTexture", "ElementIndex", "DMapOffset", "Sampler",
}

func (o Operation) String() string {
	if int(o) < len(operationNames) && operationNames[o] != "" {
		return operationNames[o]
	}
	return fmt.Sprintf("State%d", uint32(o))
}
