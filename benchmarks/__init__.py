"""What every figure in the documentation comes from; see README.md."""
