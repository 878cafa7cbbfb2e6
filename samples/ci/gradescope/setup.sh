#!/usr/bin/env bash
# Gradescope runs this once, as it makes the image of an autograder: it installs Python and the grader.
set -euo pipefail
GRADER="${GRADER:-sessiongrader}" # what pip installs: a name, a wheel in this zip, or an address

apt-get update -qq && apt-get install -y -qq python3-pip
python3 -m pip install --quiet uv || python3 -m pip install --quiet --break-system-packages uv
# Where everybody may read: submissions run as a user of their own.
export UV_PYTHON_INSTALL_DIR=/opt/python
uv venv --quiet --python 3.12 /opt/grader
cd /autograder/source
uv pip install --quiet --python /opt/grader/bin/python "$GRADER"
/opt/grader/bin/grader doctor || echo "nothing isolates submissions here: none will be graded"
