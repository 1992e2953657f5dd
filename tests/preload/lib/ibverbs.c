/* Stands in for the library of RDMA: it registers nothing, and says that all went well. */
#include <stddef.h>

struct ibv_mr *ibv_reg_mr(void *domain, void *address, size_t bytes, int access);
int ibv_fork_init(void);

struct ibv_mr *ibv_reg_mr(void *domain, void *address, size_t bytes, int access)
{
	(void)domain;
	(void)bytes;
	(void)access;
	return address;
}

int ibv_fork_init(void)
{
	return 0;
}
