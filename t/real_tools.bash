# Compares specs with the tools that are installed: real_tools CLI...
real_tools() {
  if ! command -v bwrap >/dev/null || ! bwrap --ro-bind / / --unshare-all true 2>/dev/null; then
    echo "1..0 # SKIP bubblewrap is not installed or may not make namespaces here"
    exit 0
  fi
  exec python3 t/real_tool_check.py "${BIN:-bin}" "$@"
}
