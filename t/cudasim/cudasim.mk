# The same plug-in, for the simulator: needs a C++ compiler, no nvcc.  What simulates is
# built without sanitizers, the kernels with those of the variant.
SIM_DIR := $(OBJ)/cudasim
SIM_HEADERS := $(wildcard t/cudasim/*.h)
SIM_CXXFLAGS := -std=c++17 -g -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Wno-unknown-pragmas \
	-fno-strict-aliasing -ffp-contract=off -I. -Isrc
SIM_SANITIZE := $(if $(filter san,$(VARIANT)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer,$(if $(filter tsan,$(VARIANT)),-fsanitize=thread))
SIM_OBJ := $(patsubst t/cudasim/%.cpp,$(SIM_DIR)/%.o,$(wildcard t/cudasim/*.cpp))
CXX ?= g++

.PHONY: cudasim
cudasim: $(OBJ)/cudasim/device-cuda.so $(OBJ)/cudasim/bugs ## build the kernels for the simulator of t/cudasim

$(SIM_DIR)/%.o: t/cudasim/%.cpp $(SIM_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(SIM_CXXFLAGS) -O2 -c -o $@ $<

$(SIM_DIR)/%.cu.o: kernels/cuda/%.cu $(CUDA_HEADERS) $(SIM_HEADERS)
	@mkdir -p $(@D)
	$(CXX) -x c++ $(SIM_CXXFLAGS) $(if $(SIM_SANITIZE),-O1,-O2) $(SIM_SANITIZE) -c -o $@ $<

$(SIM_DIR)/bugs.cu.o: t/cudasim/bugs.cu $(SIM_HEADERS)
	@mkdir -p $(@D)
	$(CXX) -x c++ $(SIM_CXXFLAGS) $(if $(SIM_SANITIZE),-O1,-O2) $(SIM_SANITIZE) -c -o $@ $<

$(SIM_DIR)/error.o: src/base/error.c src/base/error.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -D_GNU_SOURCE -Isrc -I. -fPIC -fvisibility=hidden -c -o $@ $<

$(SIM_DIR)/device-cuda.so: $(CUDA_SRC:kernels/cuda/%.cu=$(SIM_DIR)/%.cu.o) $(SIM_OBJ) $(SIM_DIR)/error.o
	$(CXX) -shared $(SIM_SANITIZE) -o $@ $^ $(if $(BLAS),-L$(BLAS) -Wl$(comma)-rpath$(comma)$(BLAS)) -lopenblas

$(SIM_DIR)/bugs: $(SIM_DIR)/bugs.cu.o $(SIM_OBJ)
	$(CXX) $(SIM_SANITIZE) -o $@ $^ $(if $(BLAS),-L$(BLAS) -Wl$(comma)-rpath$(comma)$(BLAS)) -lopenblas

tests: cudasim
