# The CUDA device: a plug-in that is loaded at run time.  `make cuda` builds it; `make`
# does too where there is both nvcc and a driver.  CUDA_ARCH= chooses what it has native
# code for; PTX of the newest goes in as well.
CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard $(CUDA_HOME)/bin/nvcc))
CUDA_ARCH ?= 80 90 100
CUDA_SRC := $(wildcard kernels/cuda/*.cu)
CUDA_HEADERS := $(wildcard kernels/cuda/*.cuh kernels/cuda/*.h) kernels/device.h src/base/error.h
CUDA_DIR ?= build/cuda
CUDA_SO ?= build/release/device-cuda.so
CUDA_GENCODE := $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a)$(comma)code=sm_$(a)) \
	$(foreach a,$(lastword $(CUDA_ARCH)),-gencode arch=compute_$(a)$(comma)code=compute_$(a))
NVCC_FLAGS := -std=c++17 -O3 -I. -Isrc $(CUDA_GENCODE) -Werror all-warnings \
	-Xptxas -warn-spills,-v -Xcompiler -fPIC$(comma)-fvisibility=hidden$(comma)-Wall

.PHONY: cuda
ifeq ($(NVCC),)
cuda: ## build the CUDA device, where nvcc is found (CUDA_ARCH="80 90 100")
	@echo 'nvcc was not found (PATH, CUDA_HOME=$(CUDA_HOME)): the CUDA device is not built'
else
cuda: $(CUDA_SO) ## build the CUDA device, where nvcc is found (CUDA_ARCH="80 90 100")
all: $(if $(wildcard /dev/nvidiactl),$(CUDA_SO))
endif

# Another compiler or other architectures rebuild everything.
CUDA_FLAGS_NOW := $(NVCC) $(NVCC_FLAGS)
ifneq ($(strip $(CUDA_FLAGS_NOW)),$(strip $(file <$(CUDA_DIR)/flags)))
$(CUDA_DIR)/flags: FORCE
endif
$(CUDA_DIR)/flags:
	@mkdir -p $(@D)
	@printf '%s\n' '$(CUDA_FLAGS_NOW)' >$@

# What ptxas says of each kernel is kept for `make cuda-table`.
CUDA_OBJ := $(CUDA_SRC:kernels/cuda/%.cu=$(CUDA_DIR)/%.o)
$(CUDA_DIR)/%.o: kernels/cuda/%.cu $(CUDA_HEADERS) $(CUDA_DIR)/flags
	@mkdir -p $(@D)
	$(NVCC) $(NVCC_FLAGS) -c -o $@ $< 2>$@.ptxas || { grep -v '^ptxas info' $@.ptxas >&2; exit 1; }

$(CUDA_DIR)/error.o: src/base/error.c src/base/error.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -D_GNU_SOURCE -Isrc -I. -fPIC -fvisibility=hidden -c -o $@ $<

$(CUDA_SO): $(CUDA_OBJ) $(CUDA_DIR)/error.o
	@mkdir -p $(@D)
	$(NVCC) -shared -o $@ $^ -lcublas -Xlinker -rpath=$(CUDA_HOME)/lib64

.PHONY: cuda-table
cuda-table: $(CUDA_OBJ) ## registers, stack, spills and shared memory of each CUDA kernel
	@t/ptxas_table.sh $(CUDA_OBJ:=.ptxas)
