"""Tensordicts that live in an HDF5 file."""
