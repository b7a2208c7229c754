# A virtual environment of Python packages that tests compare with, made where the
# package index can be reached.
venv=build/venv-cli

# Whether the environment has this package, NAME or NAME==VERSION.
venv_has() {
  "$venv/bin/python" - "$1" 2>/dev/null <<'END'
import importlib.metadata, sys
name, _, version = sys.argv[1].partition("==")
found = importlib.metadata.version(name)
sys.exit(version not in ("", found))
END
}

# venv_need PACKAGE LOG: makes it so, or explains in LOG.  Tests that run at the same
# time wait for each other.
venv_need() {
  local status=0
  mkdir -p build
  exec 9>build/venv-cli.lock
  flock 9
  if ! venv_has "$1"; then
    { "$venv/bin/pip" --version >/dev/null 2>&1 || python3 -m venv --clear "$venv"; } >>"$2" 2>&1 9>&- &&
      "$venv/bin/pip" install -q --disable-pip-version-check "$1" >>"$2" 2>&1 9>&- || status=1
  fi
  exec 9>&-
  return $status
}

# compare_tokenizers SCRIPT: a whole test, t/helper-tokenize against Hugging Face's.
compare_tokenizers() {
  local helper=${TOKENIZE:-build/release/t/helper-tokenize}
  if [ ! -x "$helper" ]; then
    echo "1..0 # SKIP $helper is not built (make tests)"
    exit 0
  fi
  dir=$(mktemp -d) || exit 1
  trap 'rm -rf "$dir"' EXIT
  if ! venv_need tokenizers "$dir/log"; then
    echo "1..0 # SKIP tokenizers cannot be installed: $(tail -n 1 "$dir/log")"
    exit 0
  fi
  PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$1" "$helper" "$dir"
}
