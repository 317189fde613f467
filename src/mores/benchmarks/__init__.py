"""What is measured: a catalogue of benchmarks, the shapes of play they share, and one room per family."""
