"""What ``linkwise bench`` consists of."""
