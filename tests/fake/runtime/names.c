/* Every name that a runtime exports: those without a body elsewhere say what is wrong with the driver, or that they are not supported. */
int runtime_unsupported(void);

#define BOTH(name)                                                  \
	int name(void);                                             \
	__attribute__((weak, visibility("default"))) int name(void) \
	{                                                           \
		return runtime_unsupported();                       \
	}
#if FAKE_RUNTIME >= 13
#define ONLY_12(name)
#define ONLY_13(name) BOTH(name)
#else
#define ONLY_12(name) BOTH(name)
#define ONLY_13(name)
#endif

#include "names.def"
