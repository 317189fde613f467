"""Topics: norms and questions labelled with CulturalBench's topics and CultureForest's domains by a named model."""
