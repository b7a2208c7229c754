#!/bin/bash
# The specs of tools that work on files and addresses against the tools themselves,
# inside a sandbox: see real_tool_check.py.
cd "$(dirname "$0")/.." || exit 1
source t/real_tools.bash
real_tools curl tar rsync jq
