// SPDX-License-Identifier: MIT
/*
 * An ordinary HIP program: a sum of vectors, a product of matrices by tiles in LDS, and a
 * reduction, one after the other, each result compared bit by bit with what the processor
 * computes in the same order. It knows nothing of gpreempt.
 *
 *   hip_jobs jobs [COUNT [ROUNDS [PAUSE_MS]]]   COUNT times all three; 0: until SIGTERM
 *   hip_jobs endless                            a kernel that never ends
 *   hip_jobs fault                              a kernel that stores where no memory is
 */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

#include <hip/hip_runtime.h>

#define TILE 16
#define DIM 32
#define ITEMS (DIM * DIM)
#define GROUP 256

#define MUST(call)                                                              \
	do {                                                                    \
		hipError_t status = call;                                       \
		if (status != hipSuccess) {                                     \
			printf("%s: %s\n", #call, hipGetErrorString(status));   \
			exit(1);                                                \
		}                                                               \
	} while (0)

__global__ void add(const float *a, const float *b, float *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	c[i] = a[i] + b[i];
}

__global__ void multiply(const float *a, const float *b, float *c, int rounds)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;

	for (int round = 0; round < rounds; round++) {
		for (int from = 0; from < DIM; from += TILE) {
			tile_a[y][x] = a[row * DIM + from + x];
			tile_b[y][x] = b[(from + y) * DIM + column];
			__syncthreads();
			for (int k = 0; k < TILE; k++)
				sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
			__syncthreads();
		}
		sum *= 0.5f;
	}
	c[row * DIM + column] = sum;
}

__global__ void reduce(const float *in, float *out)
{
	__shared__ float part[GROUP];
	int i = threadIdx.x;

	part[i] = in[blockIdx.x * GROUP + i];
	for (int step = GROUP / 2; step; step /= 2) {
		__syncthreads();
		if (i < step)
			part[i] += part[i + step];
	}
	if (!i)
		out[blockIdx.x] = part[0];
}

__global__ void spin(volatile int *flag)
{
	while (!*flag)
		;
}

__global__ void store(int *where)
{
	where[threadIdx.x] = 1;
}

/* What both sides compute. */
struct results {
	float sum[ITEMS];
	float product[ITEMS];
	float parts[ITEMS / GROUP];
};

struct inputs {
	float a[ITEMS];
	float b[ITEMS];
};

static void fill(struct inputs *in)
{
	uint64_t seed = 5;

	for (int i = 0; i < 2 * ITEMS; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		(i < ITEMS ? in->a : in->b)[i % ITEMS] = (int32_t)(seed >> 32) * 0x1p-31f;
	}
}

static void multiply_here(const struct inputs *in, float *product, int rounds)
{
	for (int i = 0; i < ITEMS; i++) {
		float sum = 0;

		for (int round = 0; round < rounds; round++) {
			for (int k = 0; k < DIM; k++)
				sum = fmaf(in->a[i / DIM * DIM + k], in->b[k * DIM + i % DIM], sum);
			sum *= 0.5f;
		}
		product[i] = sum;
	}
}

static void compute_here(const struct inputs *in, struct results *out, int rounds)
{
	float part[GROUP];

	for (int i = 0; i < ITEMS; i++)
		out->sum[i] = in->a[i] + in->b[i];
	multiply_here(in, out->product, rounds);
	for (int group = 0; group < ITEMS / GROUP; group++) {
		memcpy(part, out->product + group * GROUP, sizeof(part));
		for (int step = GROUP / 2; step; step /= 2)
			for (int i = 0; i < step; i++)
				part[i] += part[i + step];
		out->parts[group] = part[0];
	}
}

struct device {
	struct inputs *in;
	struct results *out;
	hipStream_t stream;
};

static void run(struct device *d, const struct inputs *in, struct results *out, int rounds)
{
	memset(out, 0xa5, sizeof(*out));
	MUST(hipMemcpyAsync(d->in, in, sizeof(*in), hipMemcpyHostToDevice, d->stream));
	MUST(hipMemcpyAsync(d->out, out, sizeof(*out), hipMemcpyHostToDevice, d->stream));
	add<<<ITEMS / GROUP, GROUP, 0, d->stream>>>(d->in->a, d->in->b, d->out->sum);
	multiply<<<dim3(DIM / TILE, DIM / TILE), dim3(TILE, TILE), 0, d->stream>>>(
		d->in->a, d->in->b, d->out->product, rounds);
	reduce<<<ITEMS / GROUP, GROUP, 0, d->stream>>>(d->out->product, d->out->parts);
	MUST(hipGetLastError());
	MUST(hipMemcpyAsync(out, d->out, sizeof(*out), hipMemcpyDeviceToHost, d->stream));
	MUST(hipStreamSynchronize(d->stream));
}

static void check(const struct results *out, const struct results *expected)
{
	const uint32_t *is = (const uint32_t *)out, *should = (const uint32_t *)expected;
	int bad = 0;

	for (size_t i = 0; i < sizeof(*out) / sizeof(*is); i++)
		bad += is[i] != should[i];
	if (!bad)
		return;
	printf("wrong %d\n", bad);
	exit(1);
}

static volatile sig_atomic_t has_to_stop;

static void stop(int number)
{
	has_to_stop = 1;
}

static int jobs(int count, int rounds, int pause_ms)
{
	static struct results out, expected;
	std::vector<long> us;
	static struct inputs in;
	struct device d;

	MUST(hipStreamCreate(&d.stream));
	MUST(hipMalloc((void **)&d.in, sizeof(in)));
	MUST(hipMalloc((void **)&d.out, sizeof(out)));
	fill(&in);
	compute_here(&in, &expected, rounds);
	signal(SIGTERM, stop);
	for (int i = 0; (!count || i < count) && !has_to_stop; i++) {
		auto start = std::chrono::steady_clock::now();

		run(&d, &in, &out, rounds);
		us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
			std::chrono::steady_clock::now() - start).count());
		check(&out, &expected);
		printf("completed %d\n", i + 1);
		usleep(pause_ms * 1000);
	}
	std::sort(us.begin(), us.end());
	if (!us.empty())
		printf("p50_us %ld\np99_us %ld\n", us[us.size() / 2], us[us.size() * 99 / 100]);
	MUST(hipFree(d.in));
	MUST(hipFree(d.out));
	MUST(hipStreamDestroy(d.stream));
	printf("exact 1\n");
	return 0;
}

static int endless(void)
{
	int *flag;

	MUST(hipHostMalloc((void **)&flag, sizeof(*flag), 0));
	*flag = 0;
	spin<<<64, GROUP>>>(flag);
	MUST(hipGetLastError());
	printf("completed 0\n");
	MUST(hipDeviceSynchronize());
	return 1;
}

static int fault(void)
{
	store<<<1, 64>>>((int *)0x10000);
	MUST(hipGetLastError());
	printf("completed 0\n");
	MUST(hipDeviceSynchronize());
	return 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "jobs";
	int numbers[3] = { 3, 1, 0 };

	for (int i = 2; i < argc && i < 5; i++)
		numbers[i - 2] = atoi(argv[i]);
	/* What is said is said, also if the runtime aborts. */
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(mode, "endless"))
		return endless();
	if (!strcmp(mode, "fault"))
		return fault();
	return jobs(numbers[0], numbers[1], numbers[2]);
}
