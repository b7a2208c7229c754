#!/bin/bash
# The spec of git against git itself, inside a sandbox: see real_tool_check.py.
cd "$(dirname "$0")/.." || exit 1
source t/real_tools.bash
real_tools git
