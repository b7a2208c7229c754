#!/bin/bash
# No host of a registry of packages, images or models is named anywhere: what is made up
# stands below example.com, .example and the like.
cd "$(dirname "$0")/.." || exit 1
names='ghcr[.]io|docker[.](io|com)|quay[.]io|gcr[.]io|lscr[.]io|nvcr[.]io|k8s[.]io|pkg[.]dev|azurecr|amazonaws'
names+='|ecr[.]aws|mcr[.]microsoft|registry[.](gitlab|npmjs|hub|k8s|terraform)|pypi[.](org|io)|pythonhosted'
names+='|pytorch[.]org|anaconda[.]org|npmjs|yarnpkg|crates[.]io|rubygems|golang[.]org|huggingface[.]co'
names+='|maven[.]org|debian[.]org|ubuntu[.]com'

# hosts FILE...: the lines that name one.
hosts() {
  grep -nIHE "$names" "$@"
}

echo 1..2
files=(Makefile README.md THREATS.md packages.txt)
while IFS= read -r file; do
  files+=("$file")
done < <(find .ci kernels pipelines seeds src t testdata -type f ! -name "${0##*/}")
out=$(hosts "${files[@]}")
if [ -z "$out" ] && [ ${#files[@]} -gt 500 ]; then
  echo "ok 1 - none in ${#files[@]} files"
else
  echo "not ok 1 - none in ${#files[@]} files"
  cut -c 1-160 <<<"$out" | head -n 30 | sed 's/^/# /'
fi
found=$(printf 'pull gh%s.io/acme/api\nfrom registry.example.com/acme/api\n--index-url https://py%s.org/simple\n' cr pi | hosts - | wc -l)
[ "$found" = 2 ] && echo 'ok 2 - one would be found' || echo "not ok 2 - one would be found: $found of 2"
