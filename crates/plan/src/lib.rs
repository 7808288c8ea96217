//! Target, live and policy to an ordered plan; the inventory as a value.
