/* More events for other processes than PyTorch ever makes. */
// expect: none
// note: ipc-limits
// fake: cuda
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

CUresult cuEventDestroy_v2(CUevent event);

#define EVENTS 1100

int main(void)
{
	static CUevent events[EVENTS];
	CUipcEventHandle handle;
	int i;

	use_device(0);
	for (i = 0; i < EVENTS; i++) {
		must(cuEventCreate(&events[i], CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING) ==
		     0);
		must(cuIpcGetEventHandle(&handle, events[i]) == 0);
	}
	for (i = 0; i < EVENTS; i++)
		must(cuEventDestroy_v2(events[i]) == 0);
	return 0;
}
