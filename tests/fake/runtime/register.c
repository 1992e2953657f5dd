/* What compiled programs call before main and around `<<<>>>`. Nothing here touches the driver. */
#include "runtime.h"

struct dim3 {
	unsigned x, y, z;
};

static __thread struct {
	struct dim3 grid, block;
	size_t shared;
	void *stream;
} next_launch;

void **__cudaRegisterFatBinary(void *image);
EXPORT void **__cudaRegisterFatBinary(void *image)
{
	static void *registered;

	registered = image;
	return &registered;
}

/* Functions and variables of an image: their addresses on the host are names enough. */
#define IGNORE(name)                   \
	void name(void **image);       \
	EXPORT void name(void **image) \
	{                              \
		(void)image;           \
	}

IGNORE(__cudaRegisterFatBinaryEnd)
IGNORE(__cudaUnregisterFatBinary)
IGNORE(__cudaRegisterFunction)
IGNORE(__cudaRegisterVar)
IGNORE(__cudaRegisterManagedVar)
IGNORE(__cudaRegisterHostVar)

char __cudaInitModule(void **image);
EXPORT char __cudaInitModule(void **image)
{
	(void)image;
	return 1;
}

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
				     void *stream);
EXPORT unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
					    void *stream)
{
	next_launch.grid = grid;
	next_launch.block = block;
	next_launch.shared = shared;
	next_launch.stream = stream;
	return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
				       void **stream);
EXPORT cudaError_t __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
					      void **stream)
{
	*grid = next_launch.grid;
	*block = next_launch.block;
	*shared = next_launch.shared;
	*stream = next_launch.stream;
	return cudaSuccess;
}
