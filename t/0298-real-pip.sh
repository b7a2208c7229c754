#!/bin/bash
# The spec of pip against its own parser, which runs nothing: see real_tool_check.py.
cd "$(dirname "$0")/.." || exit 1
source t/real_tools.bash
real_tools pip
