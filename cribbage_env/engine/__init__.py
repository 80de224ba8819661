"""The fast core: layout, tables, kernels; it knows the rules and nothing of learning."""
