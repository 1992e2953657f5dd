/* One of two runtimes in a process (silent-two-runtimes.c): its device is 2. */
int cudaGetDevice(int *device);
int cudaDeviceSynchronize(void);

int cudaGetDevice(int *device)
{
	*device = 2;
	return 0;
}

int cudaDeviceSynchronize(void)
{
	return 2;
}
