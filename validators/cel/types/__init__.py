"""Static types of CEL, declarations of functions, and the errors of an evaluation."""
