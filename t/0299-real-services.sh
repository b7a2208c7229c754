#!/bin/bash
# The specs of tools that talk to a daemon against the tools themselves, inside a
# sandbox where no daemon is: see real_tool_check.py.
cd "$(dirname "$0")/.." || exit 1
source t/real_tools.bash
real_tools docker systemctl
