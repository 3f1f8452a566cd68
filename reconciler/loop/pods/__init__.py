"""The addresses of pods: which entries their records lack, and the writes."""
