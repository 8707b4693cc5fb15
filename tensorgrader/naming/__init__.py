"""Which known mistakes explain an answer, and the mistakes that any function can make."""
