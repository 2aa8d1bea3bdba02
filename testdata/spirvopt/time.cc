// time REPS VERTEX PIXEL...: translates pairs of Direct3D 9 bytecode to SPIR-V with MojoShader and
// times in this process what spirv-opt -O does to it: reading, its passes and writing. Prints how
// many pairs came through, and the microseconds of a processor that all of them together took, the
// least of REPS runs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <spirv-tools/optimizer.hpp>

extern "C" {
#include "mojoshader.h"
}

using Words = std::vector<uint32_t>;

static Words read(const char *path) {
	FILE *f = std::fopen(path, "rb");
	if (!f) {
		std::perror(path);
		std::exit(1);
	}
	Words words;
	for (uint32_t word; std::fread(&word, 4, 1, f) == 1;) {
		words.push_back(word);
	}
	std::fclose(f);
	return words;
}

static const MOJOSHADER_parseData *parsed(const Words &program) {
	return MOJOSHADER_parse("spirv", "main", (const unsigned char *)program.data(), 4 * program.size(),
		nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr);
}

static double processor() {
	timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static bool optimized(const Words &module) {
	spvtools::Optimizer optimizer(SPV_ENV_UNIVERSAL_1_0);
	optimizer.RegisterPerformancePasses();
	spvtools::OptimizerOptions options;
	options.set_run_validator(false); // as the command does
	Words out;
	return optimizer.Run(module.data(), module.size(), &out, options);
}

int main(int argc, char **argv) {
	std::vector<Words> modules;
	for (int i = 2; i + 1 < argc; i += 2) {
		const MOJOSHADER_parseData *stages[] = {parsed(read(argv[i])), parsed(read(argv[i + 1]))};
		if (stages[0]->error_count || stages[1]->error_count) {
			continue;
		}
		// Linking tells the size of what is left behind a module for the linker.
		int table = MOJOSHADER_linkSPIRVShaders(stages[0], stages[1], nullptr, 0);
		for (const MOJOSHADER_parseData *p : stages) {
			const uint32_t *words = (const uint32_t *)p->output;
			modules.emplace_back(words, words + (p->output_len - table) / 4);
		}
	}
	double best = 0;
	for (int rep = 0; rep < std::atoi(argv[1]); rep++) {
		double start = processor();
		for (const Words &m : modules) {
			if (!optimized(m)) {
				std::fprintf(stderr, "spirv-opt refuses what MojoShader wrote\n");
				return 1;
			}
		}
		double took = processor() - start;
		best = rep == 0 ? took : std::min(best, took);
	}
	std::printf("%zu %.0f\n", modules.size() / 2, best);
}
