# Learning curve of a GRPO run: data, terminal and out come from the command line.
eval sprintf("set terminal %s", terminal)
set output out
set key right bottom
set xlabel "GRPO step"
set yrange [-1:1]
set grid
set title "mean reward of the samples, and share of exact answers"
plot data using 1:2 with lines title "mean reward" smooth sbezier, \
     data using 1:3 with lines title "exact share" smooth sbezier
