#!/bin/sh
# Slurm's task prolog: records every task of a job step that was submitted with OVERHEAR=1 in its environment.
#
#     TaskProlog=/opt/overhear/task-prolog.sh        # slurm.conf
#     OVERHEAR=1 srun -n 4 ./app
#     srun --task-prolog=/opt/overhear/task-prolog.sh -n 4 ./app
#
# slurmd does what each line `export NAME=VALUE` or `unset NAME` that this prints says to the task's environment. OVERHEAR_LIBRARY names another liboverhear.so.
set -eu
library=${OVERHEAR_LIBRARY:-/opt/overhear/lib/liboverhear.so}
if [ "${OVERHEAR:-0}" = 1 ]; then
    if [ -r "$library" ]; then
        # The recorder refuses a run with variables that it does not know.
        echo "unset OVERHEAR_LIBRARY"
        echo "export LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD}"
        echo "export NVTX_INJECTION64_PATH=$library"
        # One folder for all tasks of a step, below the one in which they start.
        echo "export OVERHEAR_DIR=${OVERHEAR_DIR:-overhear-${SLURM_JOB_ID:-job}-${SLURM_STEP_ID:-0}}"
    else
        echo "print overhear: $(hostname) does not see $library; this task runs unrecorded"
    fi
fi
