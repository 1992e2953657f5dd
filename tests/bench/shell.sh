#!/bin/bash
# Runs /bin/true, `shell.sh COUNT` times; prints the nanoseconds of one.
begin=$EPOCHREALTIME
for ((i = 0; i < $1; i++)); do
	/bin/true
done
end=$EPOCHREALTIME
echo $(((${end/./} - ${begin/./}) * 1000 / $1))
