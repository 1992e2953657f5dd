/* One of two runtimes in a process (silent-two-runtimes.c): its device is 1. */
int cudaGetDevice(int *device);
int cudaDeviceSynchronize(void);

int cudaGetDevice(int *device)
{
	*device = 1;
	return 0;
}

int cudaDeviceSynchronize(void)
{
	return 1;
}
