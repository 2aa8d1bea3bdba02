// Draws one triangle with two SPIR-V modules through Vulkan 1.3, on the first device. The job comes from standard input as
// little-endian words, and the targets go to standard output, four words a pixel. doc.go describes the job.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static void fail(const char *what, int code) {
	fprintf(stderr, "%s: %d\n", what, code);
	exit(1);
}

#define CHECK(call) \
	do { \
		VkResult r_ = (call); \
		if (r_ != VK_SUCCESS) fail(#call, r_); \
	} while (0)

static VkDevice device;
static VkPhysicalDevice physical;
static VkCommandBuffer commands;

static uint32_t word(void) {
	uint32_t w;
	if (fread(&w, 4, 1, stdin) != 1) fail("the job is too short", 0);
	return w;
}

static uint32_t *words(uint32_t n) {
	uint32_t *p = malloc(4 * (size_t)n + 4);
	if (n && fread(p, 4, n, stdin) != n) fail("the job is too short", 0);
	return p;
}

static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags want) {
	VkPhysicalDeviceMemoryProperties p;
	vkGetPhysicalDeviceMemoryProperties(physical, &p);
	for (uint32_t i = 0; i < p.memoryTypeCount; i++)
		if (bits >> i & 1 && (p.memoryTypes[i].propertyFlags & want) == want) return i;
	fail("no memory", 0);
	return 0;
}

static VkBuffer buffer(VkDeviceSize size, const void *data, void **mapped) {
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
		.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkBuffer b;
	VkDeviceMemory m;
	VkMemoryRequirements q;
	void *p;
	CHECK(vkCreateBuffer(device, &info, NULL, &b));
	vkGetBufferMemoryRequirements(device, b, &q);
	VkMemoryAllocateInfo a = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = q.size,
		.memoryTypeIndex = memory_type(q.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
	CHECK(vkAllocateMemory(device, &a, NULL, &m));
	CHECK(vkBindBufferMemory(device, b, m, 0));
	CHECK(vkMapMemory(device, m, 0, VK_WHOLE_SIZE, 0, &p));
	if (data) memcpy(p, data, size);
	if (mapped) *mapped = p;
	return b;
}

static const VkFormat formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_R32G32B32A32_UINT};

static VkImage image(uint32_t kind, uint32_t format, uint32_t w, uint32_t h, uint32_t d, uint32_t layers, VkImageUsageFlags usage,
	VkImageView *view) {
	// kind: 0 1D, 1 2D, 2 3D, 3 cube; + 8 for arrays.
	static const VkImageType types[] = {VK_IMAGE_TYPE_1D, VK_IMAGE_TYPE_2D, VK_IMAGE_TYPE_3D, VK_IMAGE_TYPE_2D};
	static const VkImageViewType views[] = {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_3D,
		VK_IMAGE_VIEW_TYPE_CUBE, 0, 0, 0, 0, VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY};
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = types[kind & 7], .format = formats[format],
		.flags = (kind & 7) == 3 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0, .extent = {w, h, d}, .mipLevels = 1, .arrayLayers = layers,
		.samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL, .usage = usage};
	VkImage i;
	VkDeviceMemory m;
	VkMemoryRequirements q;
	CHECK(vkCreateImage(device, &info, NULL, &i));
	vkGetImageMemoryRequirements(device, i, &q);
	VkMemoryAllocateInfo a = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = q.size,
		.memoryTypeIndex = memory_type(q.memoryTypeBits, 0)};
	CHECK(vkAllocateMemory(device, &a, NULL, &m));
	CHECK(vkBindImageMemory(device, i, m, 0));
	VkImageViewCreateInfo v = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = i, .viewType = views[kind],
		.format = formats[format], .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers}};
	CHECK(vkCreateImageView(device, &v, NULL, view));
	return i;
}

static void transition(VkImage i, VkImageLayout from, VkImageLayout to) {
	VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = to, .image = i,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED, .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static VkShaderModule module(void) {
	uint32_t n = word();
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = 4 * n, .pCode = words(n)};
	VkShaderModule m;
	CHECK(vkCreateShaderModule(device, &info, NULL, &m));
	return m;
}

static char *name(void) {
	uint32_t n = word();
	char *s = (char *)words(n);
	s[4 * n] = 0;
	return s;
}

enum { MAX = 64 };

int main(void) {
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo ii = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	VkInstance instance;
	CHECK(vkCreateInstance(&ii, NULL, &instance));
	uint32_t one = 1;
	VkResult r = vkEnumeratePhysicalDevices(instance, &one, &physical);
	if ((r != VK_SUCCESS && r != VK_INCOMPLETE) || !one) fail("no device", r);
	VkPhysicalDeviceVulkan13Features f13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
	VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13};
	VkPhysicalDeviceVulkan11Features f11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12};
	VkPhysicalDeviceFeatures2 f2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f11};
	vkGetPhysicalDeviceFeatures2(physical, &f2);
	float priority = 1;
	VkDeviceQueueCreateInfo qi = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo di = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f2, .queueCreateInfoCount = 1, .pQueueCreateInfos = &qi};
	CHECK(vkCreateDevice(physical, &di, NULL, &device));
	VkQueue queue;
	vkGetDeviceQueue(device, 0, 0, &queue);
	VkCommandPoolCreateInfo pi = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;
	CHECK(vkCreateCommandPool(device, &pi, NULL, &pool));
	VkCommandBufferAllocateInfo ci = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
	CHECK(vkAllocateCommandBuffers(device, &ci, &commands));
	VkCommandBufferBeginInfo bi = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	CHECK(vkBeginCommandBuffer(commands, &bi));

	uint32_t width = word(), height = word(), nearest = word();
	VkPipelineShaderStageCreateInfo stages[2] = {{0}};
	for (int i = 0; i < 2; i++) {
		stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
		stages[i].stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
		stages[i].pName = name();
		stages[i].module = module();
	}

	// Attributes: location, format, four words for each of three vertices.
	VkVertexInputBindingDescription vb[MAX];
	VkVertexInputAttributeDescription va[MAX];
	VkBuffer buffers[MAX];
	VkDeviceSize zeros[MAX] = {0};
	uint32_t attributes = word();
	if (attributes > MAX) fail("too many attributes", attributes);
	for (uint32_t i = 0; i < attributes; i++) {
		va[i] = (VkVertexInputAttributeDescription){.location = word(), .binding = i, .format = formats[word()]};
		vb[i] = (VkVertexInputBindingDescription){i, 16, VK_VERTEX_INPUT_RATE_VERTEX};
		buffers[i] = buffer(48, words(12), NULL);
	}
	VkPipelineVertexInputStateCreateInfo vi = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = attributes, .pVertexBindingDescriptions = vb, .vertexAttributeDescriptionCount = attributes,
		.pVertexAttributeDescriptions = va};

	// Push constants: their words.
	uint32_t push = word();
	uint32_t *pushed = words(push);
	VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4 * push};

	// Descriptors, sorted by set: set, binding, type, count, then of buffers the words; of images the kind, the format, the
	// size, the layers and the words.
	uint32_t descriptors = word();
	if (descriptors > MAX) fail("too many descriptors", descriptors);
	VkDescriptorSetLayoutBinding bindings[MAX];
	uint32_t set_of[MAX], sets = 0;
	VkDescriptorBufferInfo infos[MAX];
	VkDescriptorImageInfo pictures[MAX];
	for (uint32_t i = 0; i < descriptors; i++) {
		set_of[i] = word();
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = word(), .descriptorType = word(), .descriptorCount = word(),
			.stageFlags = range.stageFlags};
		if (set_of[i] + 1 > sets) sets = set_of[i] + 1;
		VkDescriptorType type = bindings[i].descriptorType;
		memset(&pictures[i], 0, sizeof pictures[i]);
		if (type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
			uint32_t n = word();
			infos[i] = (VkDescriptorBufferInfo){buffer(4 * n, words(n), NULL), 0, VK_WHOLE_SIZE};
			continue;
		}
		uint32_t format = 0;
		if (type != VK_DESCRIPTOR_TYPE_SAMPLER) {
			uint32_t kind = word();
			format = word();
			uint32_t w = word(), h = word(), d = word(), layers = word();
			VkBuffer b = buffer(16 * w * h * d * layers, words(4 * w * h * d * layers), NULL);
			VkImage m = image(kind, format, w, h, d, layers, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
				&pictures[i].imageView);
			VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layers}, .imageExtent = {w, h, d}};
			transition(m, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
			vkCmdCopyBufferToImage(commands, b, m, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
			transition(m, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
			pictures[i].imageLayout = VK_IMAGE_LAYOUT_GENERAL;
		}
		if (type != VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE) {
			VkFilter filter = nearest || format ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
			VkSamplerCreateInfo s = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = filter, .minFilter = filter};
			CHECK(vkCreateSampler(device, &s, NULL, &pictures[i].sampler));
		}
	}
	VkDescriptorSetLayout layouts[MAX];
	VkDescriptorSet chosen[MAX];
	VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1024}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1024},
		{VK_DESCRIPTOR_TYPE_SAMPLER, 1024}, {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1024}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1024}};
	VkDescriptorPoolCreateInfo dp = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = MAX, .poolSizeCount = 5, .pPoolSizes = sizes};
	VkDescriptorPool dpool;
	CHECK(vkCreateDescriptorPool(device, &dp, NULL, &dpool));
	if (sets > 32) fail("too many sets", sets);
	for (uint32_t s = 0; s < sets; s++) {
		VkDescriptorSetLayoutBinding mine[MAX];
		uint32_t n = 0;
		for (uint32_t i = 0; i < descriptors; i++)
			if (set_of[i] == s) mine[n++] = bindings[i];
		VkDescriptorSetLayoutCreateInfo li = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = n, .pBindings = mine};
		CHECK(vkCreateDescriptorSetLayout(device, &li, NULL, &layouts[s]));
		VkDescriptorSetAllocateInfo ai = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = dpool,
			.descriptorSetCount = 1, .pSetLayouts = &layouts[s]};
		CHECK(vkAllocateDescriptorSets(device, &ai, &chosen[s]));
	}
	for (uint32_t i = 0; i < descriptors; i++)
		for (uint32_t e = 0; e < bindings[i].descriptorCount; e++) {
			VkWriteDescriptorSet w = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = chosen[set_of[i]],
				.dstBinding = bindings[i].binding, .dstArrayElement = e, .descriptorCount = 1, .descriptorType = bindings[i].descriptorType,
				.pImageInfo = &pictures[i], .pBufferInfo = &infos[i]};
			vkUpdateDescriptorSets(device, 1, &w, 0, NULL);
		}
	VkPipelineLayoutCreateInfo pl = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = sets, .pSetLayouts = layouts,
		.pushConstantRangeCount = push != 0, .pPushConstantRanges = &range};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &pl, NULL, &layout));

	// Targets: their formats.
	uint32_t targets = word();
	if (targets > 8) fail("too many targets", targets);
	VkFormat target_formats[8];
	VkImage images[8];
	VkRenderingAttachmentInfo attachments[8];
	VkPipelineColorBlendAttachmentState blends[8];
	for (uint32_t i = 0; i < targets; i++) {
		uint32_t format = word();
		target_formats[i] = formats[format];
		attachments[i] = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
			.imageLayout = VK_IMAGE_LAYOUT_GENERAL, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
		for (int k = 0; k < 4; k++) attachments[i].clearValue.color.uint32[k] = 0x7fc0dead; // marks pixels without a fragment
		images[i] = image(1, format, width, height, 1, 1, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
			&attachments[i].imageView);
		transition(images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
		blends[i] = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 15};
	}
	VkPipelineInputAssemblyStateCreateInfo ia = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	VkViewport viewport = {0, 0, width, height, 0, 1};
	VkRect2D scissor = {{0, 0}, {width, height}};
	VkPipelineViewportStateCreateInfo vp = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1,
		.pViewports = &viewport, .scissorCount = 1, .pScissors = &scissor};
	VkPipelineRasterizationStateCreateInfo rs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo ms = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = 1};
	VkPipelineColorBlendStateCreateInfo cb = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = targets,
		.pAttachments = blends};
	VkPipelineRenderingCreateInfo rc = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = targets,
		.pColorAttachmentFormats = target_formats};
	VkGraphicsPipelineCreateInfo gp = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &rc, .stageCount = 2,
		.pStages = stages, .pVertexInputState = &vi, .pInputAssemblyState = &ia, .pViewportState = &vp, .pRasterizationState = &rs,
		.pMultisampleState = &ms, .pColorBlendState = &cb, .layout = layout};
	VkPipeline pipeline;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &gp, NULL, &pipeline));

	VkRenderingInfo ri = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = scissor, .layerCount = 1, .colorAttachmentCount = targets,
		.pColorAttachments = attachments};
	vkCmdBeginRendering(commands, &ri);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	if (attributes) vkCmdBindVertexBuffers(commands, 0, attributes, buffers, zeros);
	if (sets) vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, sets, chosen, 0, NULL);
	if (push) vkCmdPushConstants(commands, layout, range.stageFlags, 0, 4 * push, pushed);
	vkCmdDraw(commands, 3, 1, 0, 0);
	vkCmdEndRendering(commands);
	size_t size = 16 * (size_t)width * height;
	void *results[8];
	for (uint32_t i = 0; i < targets; i++) {
		VkBuffer b = buffer(size, NULL, &results[i]);
		VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {width, height, 1}};
		transition(images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
		vkCmdCopyImageToBuffer(commands, images[i], VK_IMAGE_LAYOUT_GENERAL, b, 1, &copy);
	}
	CHECK(vkEndCommandBuffer(commands));
	VkSubmitInfo si = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
	CHECK(vkQueueSubmit(queue, 1, &si, VK_NULL_HANDLE));
	CHECK(vkDeviceWaitIdle(device));
	for (uint32_t i = 0; i < targets; i++) fwrite(results[i], 1, size, stdout);
	return 0;
}
