"""Random programs, for the embedded database and for stock HappyBase against the binary."""
